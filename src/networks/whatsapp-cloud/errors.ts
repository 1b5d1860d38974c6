import { type CodeMeaning, sentencesOf } from '../../contract/codes.ts'
import type { NetworkError } from '../driver/outcome.ts'
import { coded } from '../kit/coded.ts'
import { httpReasonFor } from '../kit/http-reasons.ts'
import { errors, notices, type ReasonCode, reasons } from './codes.ts'
import type { GraphAnswer } from './graph/graph-api.ts'
import { graphCode, meaningOf, type Restricted } from './graph/graph-codes.ts'

export const { endingOf, errorOf, noticeOf } = coded({ reasons, errors, notices })

/** Why a connection ends; `more` is a sentence about this case, after a space. */
export interface Trouble {
  readonly code: ReasonCode
  readonly more?: string
}

/** An answer that does not say what was asked. */
export type Unanswered = Exclude<GraphAnswer, { readonly kind: 'ok' }>

/** Why a connection ends whose question about the number or its account was answered like this. */
export function troubleIn(answer: Unanswered): Trouble {
  if (answer.kind === 'failed') return { code: httpReasonFor(answer.reason, 'not_cloud_api') }
  if (answer.kind === 'unusable') return { code: answer.status >= 500 ? 'server_error' : 'not_cloud_api' }
  const { effect } = meaningOf(answer)
  if (typeof effect === 'object')
    return 'reason' in effect ? { code: effect.reason } : blockedBy(effect, answer.code)
  if (effect === 'account' || effect === 'number') return { code: 'rate_limited' }
  if (effect === 'temporary' || effect === 'uncertain' || answer.isTransient || answer.status >= 500)
    return { code: 'server_error' }
  return { code: 'question_refused', more: ` Meta's code is \`${answer.code}\`.` }
}

function blockedBy({ restriction }: Restricted, code: number): Trouble {
  return restriction === 'policy_block'
    ? { code: 'account_blocked' }
    : { code: 'question_refused', more: ` Meta's code is \`${code}\`.` }
}

/** Returns the restriction in this answer of the API; null if there is none. */
export function restrictedBy(answer: Unanswered): Restricted | null {
  if (answer.kind !== 'refused') return null
  const { effect } = meaningOf(answer)
  return typeof effect === 'object' && 'restriction' in effect ? effect : null
}

/** The error of a message that the network gave back with this code. Nothing is sent again then. */
export function returnedError(code: number | null): NetworkError {
  const { error, effect } = (code === null ? undefined : graphCode(code)) ?? unknownCode
  const permanent = effect === 'permanent' || effect === 'once'
  const { happened, next }: CodeMeaning = errors[error]
  const detail = sentencesOf({ happened, next: permanent ? next : sendAgain })
  return { code: error, detail, permanent, ...(code !== null && { network_code: String(code) }) }
}

const unknownCode = { error: 'message_refused', effect: 'permanent' } as const
const sendAgain = 'Send a new message when the cause is gone.'
