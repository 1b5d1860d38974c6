import { type CodeMeaning, sentencesOf } from '../../contract/codes.ts'
import type { HttpFailureReason } from '../../runtime/outbound/http-request.ts'
import type { Ending, Reason } from '../observation.ts'
import type { NetworkError, Notice } from '../outcome.ts'
import { type ErrorCode, errors, type NoticeCode, notices, type ReasonCode, reasons } from './codes.ts'
import type { GraphAnswer } from './graph-api.ts'
import { graphCode } from './graph-codes.ts'

/** The observation of a connection that ends for this reason. */
export function endingOf(code: ReasonCode): { readonly kind: Ending; readonly reason: Reason } {
  return { kind: reasons[code].ends, reason: { code, detail: sentencesOf(reasons[code]) } }
}

const failureReasons: Readonly<Record<HttpFailureReason, ReasonCode>> = {
  refused: 'address_not_allowed',
  unreachable: 'server_unreachable',
  tls: 'tls_failed',
  lost: 'connection_reset',
  timeout: 'answer_timeout',
  too_large: 'not_cloud_api',
  malformed: 'not_cloud_api',
  aborted: 'connection_reset',
  file: 'connection_reset',
}

/** Why a connection ends whose question about the number was answered like this. */
export function reasonFor(answer: Exclude<GraphAnswer, { readonly kind: 'ok' }>): ReasonCode {
  if (answer.kind === 'failed') return failureReasons[answer.reason]
  if (answer.kind === 'unusable') return answer.status >= 500 ? 'server_error' : 'not_cloud_api'
  const effect = graphCode(answer.code, answer.subcode)?.effect
  if (typeof effect === 'object' && 'reason' in effect) return effect.reason
  if (effect === 'account' || effect === 'number') return 'rate_limited'
  return answer.status >= 500 || effect === 'temporary' ? 'server_error' : 'question_refused'
}

export function errorOf(code: ErrorCode, permanent: boolean, network_code?: string): NetworkError {
  const error = { code, detail: sentencesOf(errors[code]), permanent }
  return network_code === undefined ? error : { ...error, network_code }
}

export function noticeOf(code: NoticeCode): Notice {
  return { code, detail: sentencesOf(notices[code]) }
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
