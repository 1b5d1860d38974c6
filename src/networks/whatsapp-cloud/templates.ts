import type { Template, TemplateStatus } from '../../contract/resources/template.ts'
import { isShallow, type Json, objectIn, objectsIn, textIn } from '../json.ts'
import type { NetworkError } from '../outcome.ts'
import { placePattern, type TemplateQuestion, type TemplatesAnswer } from '../templates.ts'
import { errorOf } from './errors.ts'
import type { GraphAnswer, GraphApi } from './graph-api.ts'
import { graphCode } from './graph-codes.ts'

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

const fields = 'name,language,category,status,rejected_reason,components'

/** How many templates are asked for at once: with the largest there are, the answer stays below its limit. */
const mostAtOnce = 50
/** How deep the parts of a template are nested; those of carousels have six levels. */
const deepest = 20
/** In bytes. */
const longestAnswer = 1024 * 1024

const isPlace = new RegExp(placePattern)

export interface ListingOptions {
  readonly api: GraphApi
  readonly accountId: string | undefined
  /** How long the API may take to answer, in milliseconds. */
  readonly answerTime: number
}

/** Asks for the templates of the business account (`GET /{business-account-id}/message_templates`). */
export async function listTemplates(
  { api, accountId, answerTime }: ListingOptions,
  { limit, after, signal }: TemplateQuestion,
): Promise<TemplatesAnswer> {
  if (accountId === undefined) return { kind: 'setting-missing', detail: accountMissing }
  const query = new URLSearchParams({ fields, limit: String(Math.min(limit, mostAtOnce)) })
  if (after !== null) query.set('after', after)
  const path = `${accountId}/message_templates?${query}`
  const limits = { headers: answerTime, total: answerTime }
  const answer = await api.call({ method: 'GET', path, limits, signal, maxBytes: longestAnswer })
  if (answer.kind === 'ok') return listed(answer.json)
  if (answer.kind === 'refused') return { kind: 'rejected', error: refusal(answer) }
  return { kind: 'unanswered', detail: 'The Cloud API did not answer.' }
}

const accountMissing =
  'The templates belong to the business account, and the instance does not know its id. Remove the instance, and create it again with ' +
  'the setting `business_account_id`.'

function refusal({ code, subcode }: Extract<GraphAnswer, { readonly kind: 'refused' }>): NetworkError {
  const meaning = graphCode(code, subcode)
  // Codes about messages and numbers have other causes here: most of them are that the token may not see the account.
  const isLimit = meaning?.effect === 'account' || meaning?.effect === 'temporary'
  return errorOf(isLimit ? meaning.error : 'templates_refused', !isLimit, String(code))
}

function listed(json: Json): TemplatesAnswer {
  const templates = objectsIn(json, 'data').map(templateIn)
  const paging = objectIn(json, 'paging')
  // Meta names a next page only if there is one.
  const more = paging && textIn(paging, 'next') !== null
  const after = more ? textIn(objectIn(paging, 'cursors') ?? {}, 'after') : null
  const next = after !== null && isPlace.test(after) ? after : null
  return { kind: 'listed', templates: templates.filter((template) => template !== null), next }
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
    category: textIn(json, 'category')?.toLowerCase() ?? null,
    status: (status !== null && Object.hasOwn(statuses, status) && statuses[status]) || 'other',
    network_status: status,
    rejected_reason: reason === 'NONE' ? null : reason,
    components: objectsIn(json, 'components').filter((component) => isShallow(component, deepest)),
  }
}
