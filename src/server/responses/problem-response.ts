import type { Operation } from '../../contract/operation.ts'
import { Problem } from '../../contract/problem.ts'
import type { ProblemCode } from '../../contract/problems.ts'
import { MediaTooLarge } from '../../media/draft.ts'
import { FileQuotaExceeded } from '../../media/file-quota.ts'
import { MediaMissing } from '../../media/store/media-store.ts'
import { NodeSilent } from '../../nodes/asks.ts'
import type { Log } from '../../runtime/log.ts'
import { STATUS_CODES } from '../../runtime/system/http.ts'
import { sizeInWords } from '../../runtime/text/size.ts'
import { CallerGone, type StoreFailure, StoreUnavailable } from '../../store/store.ts'
import { unsupportedMediaType } from '../read-call.ts'

/** Headers of every response, unless it sets its own. */
export const usualHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // If a browser does not name the page that asks, only this keeps other pages from showing what a session may see.
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Bytes that a JSON body may have. */
export const bodyLimit = 256 * 1024
/** Bytes that the body of a request to sign in may have. */
export const signInLimit = 1024

/** The details of store failures that do not pass by themselves. */
const storeDetails: Partial<Record<StoreFailure, { readonly detail: string }>> = {
  corrupt: {
    detail: 'The data of the server is damaged. Nothing was accepted. The operator must restore it.',
  },
  replaced: {
    detail:
      'The database was removed or replaced while the server is running. Nothing was accepted. The operator must restart the server.',
  },
}

/** The problem for an error. An unexpected error is logged completely, and becomes an internal error. */
export function problemOf(
  error: unknown,
  log: Log,
  { id, ...route }: { readonly id: string } & FaultyRoute,
): Problem {
  if (error instanceof Problem) return error
  if (error instanceof StoreUnavailable) {
    log.error({ err: error, request_id: id }, 'a request failed because of the store')
    return new Problem(error.full ? 'storage_full' : 'store_unavailable', {
      ...storeDetails[error.failure],
      headers: { 'retry-after': '2' },
    })
  }
  if (error instanceof NodeSilent) {
    log.warn({ err: error, request_id: id }, 'a request failed because of another node')
    return new Problem('instance_unreachable', { headers: { 'retry-after': '5' } })
  }
  // The caller is gone, so the response has no reader.
  if (error instanceof CallerGone) return new Problem('internal_error')
  if (error instanceof MediaTooLarge)
    return new Problem('body_too_large', { detail: `The file may have at most ${sizeInWords(error.limit)}.` })
  if (error instanceof FileQuotaExceeded) return new Problem('files_quota_exceeded')
  if (error instanceof MediaMissing) {
    log.error({ err: error, request_id: id }, 'a stored file is missing')
    return new Problem('media_not_found')
  }
  const known = fromFastify(error as FastifyFault, route)
  if (known) return known
  log.error({ err: error, request_id: id }, 'a request failed because of an internal error')
  return new Problem('internal_error')
}

interface FastifyFault {
  readonly code?: string
  readonly statusCode?: number
}

interface FaultyRoute {
  readonly operation?: Operation | undefined
  /** Bytes that its body may have. */
  readonly maxBytes?: number | undefined
}

/** The errors by which Fastify refuses a request before a handler sees it. */
function fromFastify(
  { code, statusCode }: FastifyFault,
  { operation, maxBytes = bodyLimit }: FaultyRoute,
): Problem | undefined {
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body_too_large', {
        detail: operation?.form
          ? 'A JSON body may have at most 256 KB. Upload a file in a `multipart/form-data` body, or give its URL.'
          : `The body may have at most ${sizeInWords(maxBytes)}.`,
      })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return unsupportedMediaType(operation)
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Problem('malformed_body')
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_ERR_NOT_FOUND':
      return new Problem('route_not_found')
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return new Problem('malformed_body', { detail: 'The body ended early.' })
    default:
      return statusCode === 400 ? new Problem('malformed_body') : undefined
  }
}

/** Refusals of Node's parser, by its codes; any other code means that the request is not HTTP. */
const refusals: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Makes a whole HTTP response for a request that Node's parser refuses. */
export function rawProblem(error: { code?: string }, requestId: string): string {
  const code = refusals[error.code ?? ''] ?? 'invalid_request'
  const detail = code === 'invalid_request' ? { detail: 'The request is not valid HTTP/1.1.' } : {}
  const problem = new Problem(code, detail)
  const body = JSON.stringify(problem.body(requestId))
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'content-type: application/problem+json; charset=utf-8',
    ...Object.entries(usualHeaders).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    `request-id: ${requestId}`,
    `date: ${new Date().toUTCString()}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}
