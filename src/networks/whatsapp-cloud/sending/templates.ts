import {
  longestRejection,
  longestTemplateWord,
  maxTemplateComponents,
  type Template,
  type TemplateStatus,
} from '../../../contract/resources/template.ts'
import type { Log } from '../../../runtime/log.ts'
import {
  placePattern,
  type TemplateQuestion,
  type TemplatesAnswer,
} from '../../driver/abilities/templates.ts'
import type { NetworkError } from '../../driver/outcome.ts'
import { eachObjectIn, isShallow, type Json, objectIn, objectsIn, textIn } from '../../kit/json.ts'
import { cutText } from '../../kit/received-text.ts'
import { errorOf } from '../errors.ts'
import type { GraphApi, GraphRefusal } from '../graph/graph-api.ts'
import { meaningOf } from '../graph/graph-codes.ts'

/** Source: WhatsApp Business Management API, Message templates; Webhooks, message_template_status_update (April 2026). */
const statuses: Readonly<Record<string, TemplateStatus>> = {
  APPROVED: 'approved',
  // Approved still, and at risk.
  FLAGGED: 'approved',
  REINSTATED: 'approved',
  UNARCHIVED: 'approved',
  PENDING: 'pending',
  IN_APPEAL: 'pending',
  PAUSED: 'paused',
  REJECTED: 'rejected',
  DISABLED: 'disabled',
  LIMIT_EXCEEDED: 'disabled',
  ARCHIVED: 'disabled',
  PENDING_DELETION: 'disabled',
  DELETED: 'disabled',
}

/** The status that Meta has this word for. */
export function templateStatusOf(word: string): TemplateStatus {
  return (Object.hasOwn(statuses, word) && statuses[word]) || 'other'
}

const fields = 'name,language,category,status,rejected_reason,components'

/** Templates that are asked for at once: with the largest there are, the answer stays below its limit. */
const maxAtOnce = 50
/** Depth of the parts of a template; those of carousels have six levels. */
const deepest = 20
/** In bytes. */
const longestAnswer = 1024 * 1024

const isPlace = new RegExp(placePattern)

export interface ListingOptions {
  readonly api: GraphApi
  readonly accountId: string | undefined
  /** Milliseconds that the API may take to answer. */
  readonly answerTime: number
  readonly log: Pick<Log, 'warn'>
}

/** Asks for the templates of the business account (`GET /{business-account-id}/message_templates`). */
export async function listTemplates(
  { api, accountId, answerTime, log }: ListingOptions,
  { limit, after: given, name, signal }: TemplateQuestion,
): Promise<TemplatesAnswer> {
  if (accountId === undefined) return { kind: 'setting-missing', detail: accountMissing }
  const place = placeIn(given)
  const { after } = place
  const query = new URLSearchParams({ fields, limit: String(Math.min(limit, maxAtOnce)) })
  if (after !== null) query.set('after', after)
  if (name !== undefined) query.set('name', name)
  const path = `${accountId}/message_templates?${query}`
  const limits = { headers: answerTime, total: answerTime }
  const answer = await api.call({ method: 'GET', path, limits, signal, maxBytes: longestAnswer })
  if (answer.kind === 'ok') return listed(answer.json, { ...place, limit, log })
  if (answer.kind === 'refused') return { kind: 'rejected', error: refusal(answer) }
  return { kind: 'unanswered', detail: 'The Cloud API did not answer.' }
}

const accountMissing =
  'The templates belong to the business account, and the instance does not know its id. Set it as ' +
  '`business_account_id` (`PATCH /v1/instances/{name}`).'

function refusal(answer: GraphRefusal): NetworkError {
  const { error, effect } = meaningOf(answer)
  // Codes about messages and numbers have other causes here: most of them are that the token may not see the account.
  const isLimit =
    answer.isTransient || ['account', 'number', 'temporary', 'uncertain'].includes(String(effect))
  return errorOf(isLimit ? error : 'templates_refused', !isLimit, String(answer.code))
}

/** A place in the list: a page of Meta, by its cursor, and how many of that page were given already. */
interface Place {
  readonly after: string | null
  readonly skip: number
}

function placeIn(text: string | null): Place {
  const [, skip, after] = /^(\d{1,6}):(.*)$/.exec(text ?? '') ?? []
  return skip === undefined ? { after: text, skip: 0 } : { after: after || null, skip: Number(skip) }
}

function listed(
  json: Json,
  { after, skip, limit, log }: Place & Pick<TemplateQuestion, 'limit'> & Pick<ListingOptions, 'log'>,
): TemplatesAnswer {
  const all = objectsIn(json, 'data')
  const asked = all.slice(skip, skip + limit)
  const templates = asked.map(templateIn).filter((template) => template !== null)
  const count = asked.length - templates.length
  if (count > 0) log.warn({ count }, 'templates without a name or a language were skipped')
  // It never gives more than it is asked for; if it does, the rest follows.
  const next = skip + limit < all.length ? `${skip + limit}:${after ?? ''}` : nextPageIn(json)
  return { kind: 'listed', templates, next: next !== null && isPlace.test(next) ? next : null }
}

/** Meta names a next page only if there is one. */
function nextPageIn(json: Json): string | null {
  const paging = objectIn(json, 'paging')
  const more = paging && textIn(paging, 'next') !== null
  const after = more ? textIn(objectIn(paging, 'cursors') ?? {}, 'after') : null
  return after && `0:${after}`
}

function templateIn(json: Json): Template | null {
  const [name, language] = [textIn(json, 'name'), textIn(json, 'language')]
  if (name === null || language === null || name.length > 512 || language.length < 2 || language.length > 35)
    return null
  const status = textIn(json, 'status')
  const reason = textIn(json, 'rejected_reason')
  return {
    name,
    language,
    category: wordOf(textIn(json, 'category')?.toLowerCase() ?? null),
    status: status === null ? 'other' : templateStatusOf(status),
    network_status: wordOf(status),
    rejected_reason: reason === null || reason === 'NONE' ? null : cutText(reason, longestRejection),
    components: eachObjectIn(json, 'components')
      .filter((component) => isShallow(component, deepest))
      .take(maxTemplateComponents)
      .toArray(),
  }
}

function wordOf(word: string | null): string | null {
  return word && cutText(word, longestTemplateWord)
}
