import { randomBytes } from 'node:crypto'
import { stampOf } from '../stanzas/date-time.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import { isAccount } from '../stanzas/stanza-sender.ts'
import { attribute, conditionIn, element, ns, type Xml } from '../stanzas/xml.ts'
import { type Forwarded, forwardedIn } from './forwarded.ts'

/**
 * The beginning of a page: after a message, and at a time (milliseconds since the epoch). Or its end: before a message, or
 * with the latest message if `before` is empty.
 */
export interface Beginning {
  readonly after?: string
  readonly before?: string
  readonly since?: number
}

/** A message as it was archived, in either direction. */
export interface ArchivedMessage extends Forwarded {
  readonly id: string
}

/**
 * The end of a page: if it was the last one in its direction, and its outermost entries, from which the next one continues.
 */
export interface ArchivePage {
  readonly complete: boolean
  readonly first: string | null
  readonly last: string | null
}

/** The archive refused to answer. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused'
  /** The condition of RFC 6120 section 8.3.3, verbatim. */
  readonly condition: string

  constructor(condition: string) {
    super(`the archive answered with ${condition}`)
    this.condition = condition
  }
}

/** Messages that are asked for at once; servers give fewer if they like. */
const pageSize = 50

/** The messages of one account as its server archived them (XEP-0313), read page by page (XEP-0059), oldest first. */
export class Archive {
  readonly #account: string
  readonly #iqRequests: IqRequests
  #reading: { readonly id: string; take(entry: ArchivedMessage): void } | null = null

  constructor(account: string, iqRequests: IqRequests) {
    this.#account = account
    this.#iqRequests = iqRequests
  }

  /** Reads one page; every entry of it is handed on before this resolves. Rejects with `ArchiveRefused`, or when the signal aborts. */
  async page(
    beginning: Beginning,
    take: (entry: ArchivedMessage) => void,
    signal: AbortSignal,
  ): Promise<ArchivePage> {
    const id = randomBytes(12).toString('base64url')
    this.#reading = { id, take }
    try {
      const answer = await this.#iqRequests.ask('set', this.#account, query(id, beginning), signal)
      const ending = answer.attrs.type === 'result' ? answer.getChild('fin', ns.archive) : undefined
      if (!ending) {
        throw new ArchiveRefused(conditionIn(answer.getChild('error'), ns.stanzaErrors) ?? 'no page')
      }
      const set = ending.getChild('set', ns.resultSets)
      const first = set?.getChildText('first') || null
      const last = set?.getChildText('last') || null
      return { complete: isTrue(attribute(ending, 'complete')), first, last }
    } finally {
      this.#reading = null
    }
  }

  /**
   * Handles an entry of the page that is being read; false if the stanza is not one. Any sender can forge one (CVE-2017-5589
   * and its like): it counts only in the name of the account or in none, and for the latest question.
   */
  take(stanza: Xml): boolean {
    const from = attribute(stanza, 'from')
    const result = stanza.getChild('result', ns.archive)
    if (!result || !this.#reading || attribute(result, 'queryid') !== this.#reading.id) return false
    if (from !== undefined && !isAccount(from, this.#account)) return false
    const id = attribute(result, 'id')
    const forwarded = forwardedIn(result)
    if (id && forwarded) this.#reading.take({ id, ...forwarded })
    return true
  }
}

function query(id: string, { after, before, since }: Beginning): Xml {
  const set = element('set', { xmlns: ns.resultSets }, element('max', {}, String(pageSize)))
  if (after !== undefined) set.append(element('after', {}, after))
  if (before !== undefined) set.append(element('before', {}, before))
  const form = element('x', { xmlns: ns.dataForms, type: 'submit' }, field('FORM_TYPE', ns.archive, 'hidden'))
  if (since !== undefined) form.append(field('start', stampOf(since)))
  return element('query', { xmlns: ns.archive, queryid: id }, form, set)
}

function field(name: string, value: string, type?: string): Xml {
  return element('field', { var: name, type }, element('value', {}, value))
}

function isTrue(value: string | undefined): boolean {
  return value === 'true' || value === '1'
}
