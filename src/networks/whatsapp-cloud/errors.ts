import { type CodeMeaning, sentencesOf } from '../../contract/codes.ts'
import { coded } from '../coded.ts'
import { httpReasonFor } from '../http-reasons.ts'
import type { NetworkError } from '../outcome.ts'
import { errors, notices, type ReasonCode, reasons } from './codes.ts'
import type { GraphAnswer } from './graph-api.ts'
import { graphCode } from './graph-codes.ts'

export const { endingOf, errorOf, noticeOf } = coded({ reasons, errors, notices })

/** Why a connection ends whose question about the number was answered like this. */
export function reasonFor(answer: Exclude<GraphAnswer, { readonly kind: 'ok' }>): ReasonCode {
  if (answer.kind === 'failed') return httpReasonFor(answer.reason, 'not_cloud_api')
  if (answer.kind === 'unusable') return answer.status >= 500 ? 'server_error' : 'not_cloud_api'
  const effect = graphCode(answer.code, answer.subcode)?.effect
  if (typeof effect === 'object' && 'reason' in effect) return effect.reason
  if (effect === 'account' || effect === 'number') return 'rate_limited'
  return answer.status >= 500 || effect === 'temporary' ? 'server_error' : 'question_refused'
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
