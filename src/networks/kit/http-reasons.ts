import { NetFailure, tooLarge } from '../../net/failure.ts'
import type { HttpFailure, HttpFailureReason } from '../../net/http/request.ts'
import type { DescribedReason } from '../driver/driver.ts'

const tries = 'Posthorn tries again.'

function lost(happened: string, next: string): DescribedReason {
  return { ends: 'connection-lost', happened, next }
}

/**
 * Returns the reasons why a connection to an API over HTTP ends, by the name of the API after an article: the same on every
 * such network.
 */
export function httpReasons(api: string) {
  return {
    address_not_allowed: {
      ends: 'connection-refused',
      happened: `The operator does not let instances connect to the address of the ${api}.`,
      next: 'Ask the operator to allow that address (`POSTHORN_CONNECT_ALLOW_CIDRS`), then start the instance.',
    },
    server_unreachable: lost(`The ${api} cannot be reached.`, tries),
    tls_failed: lost(
      `No encrypted connection to the ${api} could be opened, for example because of its certificate.`,
      `${tries} If this continues, ask the operator.`,
    ),
    connection_reset: lost(`The connection to the ${api} broke.`, 'Posthorn reconnects.'),
    answer_timeout: lost(`The ${api} did not respond in time.`, 'Posthorn reconnects.'),
    server_error: lost(`The ${api} failed.`, tries),
  } as const satisfies Record<string, DescribedReason>
}

export type HttpReasonCode = keyof ReturnType<typeof httpReasons>

/** Returns the reason for a request that failed; `other` if the response did not come from the API. */
export function httpReasonFor<Other extends string>(
  failure: HttpFailureReason,
  other: Other,
): HttpReasonCode | Other {
  return reasonAt[failure] ?? other
}

const reasonAt: Readonly<Record<HttpFailureReason, HttpReasonCode | null>> = {
  refused: 'address_not_allowed',
  unreachable: 'server_unreachable',
  authentication: 'server_unreachable',
  tls: 'tls_failed',
  lost: 'connection_reset',
  timeout: 'answer_timeout',
  too_large: null,
  malformed: null,
  aborted: 'connection_reset',
  file: 'connection_reset',
}

/**
 * The failure of fetching a file of at most `largest` bytes for which the API gave no response. Only a file that is too large, or an
 * address that is not allowed, is final: the API itself is known to be there.
 */
export function fileFailure({ reason, error }: HttpFailure, largest: number): NetFailure {
  if (reason === 'too_large') return tooLarge(largest)
  if (!(error instanceof NetFailure))
    return new NetFailure('lost', false, 'the connection to the network ended')
  return new NetFailure(error.reason, reason === 'refused', error.message)
}
