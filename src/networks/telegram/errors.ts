import { sentencesOf } from '../../contract/codes.ts'
import type { HttpFailure } from '../../net/http/request.ts'
import type { Restriction } from '../driver/observation.ts'
import type { NetworkError } from '../driver/outcome.ts'
import { coded } from '../kit/coded.ts'
import { httpReasonFor } from '../kit/http-reasons.ts'
import type { ApiAnswer, ApiRefusal } from './bot-api.ts'
import { type ErrorCode, errors, notices, type ReasonCode, reasons, restrictions } from './codes.ts'

const said = coded({ reasons, errors, notices })
export const { errorOf, noticeOf } = said

/** The observation of a connection that ends for this reason; `words` are Telegram's own. */
export function endingOf(code: ReasonCode, words?: string): ReturnType<typeof said.endingOf> {
  return said.endingOf(code, words && quoted(words))
}

/** The warning that Telegram cannot deliver, since this time (milliseconds since the epoch); `words` are Telegram's own. */
export function failingSince(since: number, words: string | null): Restriction {
  const detail = `${sentencesOf(restrictions.callbacks_failing)}${words ? quoted(words) : ''}`
  return { code: 'callbacks_failing', detail, scope: 'none', since, ends_at: null }
}

function quoted(words: string): string {
  return ` Telegram says: \`${words.replaceAll('`', '')}\`.`
}

/** Why a connection ends whose question was answered like this. */
export function reasonFor(answer: Exclude<ApiAnswer, { readonly kind: 'ok' }>): ReasonCode {
  if (answer.kind === 'failed') return httpReasonFor(answer.reason, 'not_telegram')
  if (answer.kind === 'unusable') return answer.status >= 500 ? 'server_error' : 'not_telegram'
  // An unknown token is 401, a malformed one 404 (tdlib/telegram-bot-api, ClientManager.cpp).
  if (answer.code === 401 || answer.code === 404) return 'token_refused'
  if (answer.code === 409) return /webhook/i.test(answer.description) ? 'webhook_set' : 'replaced'
  if (answer.code === 429) return 'rate_limited'
  return answer.code >= 500 ? 'server_error' : 'not_telegram'
}

/**
 * Telegram's words when it rejects a message for good (tdlib/telegram-bot-api, Client.cpp). The same is 403 or 400,
 * depending on where it was found out, and may be in capitals with underscores.
 */
const refusals: readonly (readonly [RegExp, ErrorCode])[] = [
  [/blocked by the user|user is blocked/, 'recipient_blocked'],
  [/can't initiate conversation|bot can't write first/, 'recipient_not_started'],
  [/deactivated|group chat was deleted|chat was deleted/, 'recipient_gone'],
  [/kicked from|not a member|bot was removed|user banned in channel|channel private/, 'bot_removed'],
  [/voice messages forbidden|receiving of voice/, 'voice_not_accepted'],
  [/topic closed|topic is closed/, 'topic_closed'],
  [/message thread (id )?(not found|invalid)|topic (id invalid|not found|deleted)/, 'topic_unknown'],
  [
    /not enough rights|have no rights|need administrator rights|chat admin required|chat (write|send \w+) forbidden|restricted/,
    'not_allowed',
  ],
  [
    /message to \S+ not found|message to be replied not found|message not found|(reply )?message id invalid/,
    'target_unknown',
  ],
  [/reactions? (is |are )?(invalid|empty|too many|unavailable|not available)/, 'reaction_not_allowed'],
  [/can't be (edited|deleted)|message (edit time expired|delete forbidden)/, 'edit_window_over'],
  [/button url|wrong http url/, 'url_not_accepted'],
  [/chat not found|chat id is empty|peer id invalid|user not found/, 'recipient_unknown'],
  [/is too long|(caption|message) too long/, 'text_too_long'],
  [/text is empty|text must be non-empty/, 'text_empty'],
  [/too big|too large/, 'file_too_large'],
  [/file must be non-empty/, 'file_empty'],
]

/** A refusal of a message that would be the same forever. */
export function permanentError({ description }: ApiRefusal): NetworkError {
  const said = spelled(description)
  const known = refusals.find(([pattern]) => pattern.test(said))?.[1]
  return errorOf(known ?? 'message_refused', true, description)
}

/** Telegram's words when it refuses something that was asked of a group (tdlib/telegram-bot-api, Client.cpp, and TDLib). */
const groupRefusals: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /not enough rights|chat admin required|right forbidden|need to be inviter|need administrator/,
    'right_missing',
  ],
  [/chat (owner|creator)|is an administrator of|(promote|restrict) self/, 'member_protected'],
  [
    /user not (found|participant|mutual contact)|user kicked|(user|participant) id invalid|invalid user id/,
    'member_unknown',
  ],
  [/available (only )?for supergroup/, 'supergroup_needed'],
  // https://core.telegram.org/method/messages.hideChatJoinRequest
  [/hide requester missing/, 'join_request_missing'],
]

/** A refusal of something that was asked of a chat. */
export function chatError(refusal: ApiRefusal): NetworkError {
  const { code, description } = refusal
  if (code === 429) return errorOf('asked_too_often', false, description)
  const said = spelled(description)
  const known = groupRefusals.find(([pattern]) => pattern.test(said))?.[1]
  if (known) return errorOf(known, true, description)
  const error = permanentError(refusal)
  return chatIsGone.has(error.code) ? error : errorOf('group_refused', true, description)
}

const chatIsGone: ReadonlySet<string> = new Set<ErrorCode>([
  'recipient_unknown',
  'recipient_gone',
  'recipient_blocked',
  'bot_removed',
])

function spelled(description: string): string {
  return description.toLowerCase().replaceAll('_', ' ')
}

/** Makes the error for a message whose request failed before the API could take it. */
export function unreachable({ reason }: HttpFailure): NetworkError {
  return errorOf('network_unreachable', false, reason)
}
