import { invalid } from '../contract/problem.ts'
import { NetFailure } from '../net/failure.ts'
import { readDestination } from '../net/guard/destination.ts'
import { mayLeadThere, type OutboundGuard } from '../net/guard/guard.ts'

const notPublic =
  'The URL must lead to a public address, over HTTPS and on port 443, or to an address that the operator lists ' +
  '(POSTHORN_WEBHOOK_ALLOW_CIDRS).'

/**
 * Throws a problem if the URL itself shows that nothing would ever be sent to it. The addresses of its name are judged at each
 * attempt.
 */
export function refuseUrl(guard: OutboundGuard, url: string): void {
  try {
    if (!mayLeadThere(guard, readDestination(url))) throw refused(notPublic)
  } catch (error) {
    if (!(error instanceof NetFailure)) throw error
    throw refused(error.sentence)
  }
}

function refused(detail: string) {
  return invalid({ pointer: '/url', code: 'url_refused', detail })
}
