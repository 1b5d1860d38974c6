import { createHash, randomUUID } from 'node:crypto'
import type { Observation } from '../observation.ts'
import { type Outcome, rejected } from '../outcome.ts'
import { bareAddressOf, domainOf } from './address.ts'
import { stanzaError } from './errors.ts'
import { messageIdOf } from './outgoing.ts'
import { attribute, element, ns, type Xml } from './xml.ts'

/** How long a message is put off that the network refused with "not now" (the error type `wait`). */
const putOff = 60_000

/** What a message stanza says that came at `at`, when it is not an error. Usually nothing or one thing. */
export function observationsIn(message: Xml, account: string, at: number): readonly Observation[] {
  const from = bareAddressOf(attribute(message, 'from'))
  if (from === null || message.attrs.type === 'error' || message.attrs.type === 'groupchat') return []
  const receipt = receiptIn(message, from)
  if (receipt) return [receipt]
  const text = message.getChildText('body')
  if (!text || message.attrs.type === 'headline') return []
  const network_message_id = idOf(message, account)
  return [{ kind: 'message-received', network_message_id, from, conversation: from, at, text, file: null }]
}

/** XEP-0184 receipts, and the markers of XEP-0333, whose own `received` means the same as a receipt. */
function receiptIn(message: Xml, from: string): Observation | null {
  const signs = [
    [message.getChild('displayed', ns.markers), 'read'],
    [message.getChild('acknowledged', ns.markers), 'read'],
    [message.getChild('received', ns.receipts), 'delivered'],
    [message.getChild('received', ns.markers), 'delivered'],
  ] as const
  for (const [sign, state] of signs) {
    const id = sign && attribute(sign, 'id')
    // Ids of ours are plain; another one cannot name a message of ours. Clients that mark only the last of what they show
    // mark the caption of a file, and mean both.
    if (id && isPlain(id)) return { kind: 'receipt', network_message_id: messageIdOf(id), from, state }
  }
  return null
}

/**
 * The id under which our own server filed a message (XEP-0359), or else the sender's, or else one made up here. Anyone
 * can write a `stanza-id` into a message: only one `by` our own account counts, since our server takes out those that
 * are not its own.
 */
function idOf(message: Xml, account: string): string {
  const filed = message
    .getChildren('stanza-id', ns.stanzaIds)
    .find((stanzaId) => bareAddressOf(attribute(stanzaId, 'by')) === account)
  const id = (filed && attribute(filed, 'id')) ?? attribute(message, 'id') ?? randomUUID()
  return isPlain(id) ? id : createHash('sha256').update(id).digest('base64url')
}

/** Visible ASCII of reasonable length, which an id can be kept and shown as. A sender may choose anything. */
function isPlain(id: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(id)
}

/**
 * Whether the account's own server speaks: without a name, or in the name of the account or the domain (RFC 6120 section
 * 8.1.2.1). Anybody may send an iq that looks like an answer.
 */
export function isFromServer(stanza: Xml, account: string): boolean {
  const from = attribute(stanza, 'from')
  return from === undefined || from === domainOf(account) || bareAddressOf(from) === account
}

/** An error about a message of ours: what it means for a message under way, and for one that was accepted. */
export interface Bounce {
  readonly id: string
  readonly from: string | null
  readonly outcome: Outcome
  readonly returned: Observation | null
}

/** Reads a message of type `error`; null where it names no message or is only a warning. */
export function bounceIn(message: Xml, now: number): Bounce | null {
  const id = attribute(message, 'id')
  const error = stanzaError(message, 'under-way')
  const afterwards = stanzaError(message, 'returned')
  if (!id || !isPlain(id) || !error || !afterwards) return null
  const from = bareAddressOf(attribute(message, 'from'))
  const outcome: Outcome = error.permanent
    ? rejected(error)
    : { kind: 'deferred', until: now + putOff, error }
  const returned: Observation | null = from
    ? { kind: 'message-returned', network_message_id: id, from, error: afterwards }
    : null
  return { id, from, outcome, returned }
}

/** The answer that RFC 6120 section 8.2.3 demands for every iq request: to pings the good one, else "not here". */
export function answerTo(iq: Xml): string | null {
  const type = attribute(iq, 'type')
  const id = attribute(iq, 'id')
  if ((type !== 'get' && type !== 'set') || id === undefined) return null
  const to = attribute(iq, 'from')
  if (type === 'get' && iq.getChild('ping', ns.ping))
    return element('iq', { type: 'result', id, to }).toString()
  const condition = element('service-unavailable', { xmlns: ns.stanzaErrors })
  const error = element('error', { type: 'cancel' }, condition)
  return element('iq', { type: 'error', id, to }, error).toString()
}
