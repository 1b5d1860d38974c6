import type { Call } from '../contract/handler.ts'
import type { Operation } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import type { IdempotencyScope, KeptReply } from './idempotency.ts'

/** What a transaction keeps so that a repetition of this call gets the same reply; null where the call has no key. */
export function idempotencyOf(
  call: Pick<Call<Operation>, 'caller' | 'idempotency'>,
  operation: Operation,
  reply: { readonly status: number; readonly location: string; readonly body: unknown },
): { readonly scope: IdempotencyScope; readonly reply: KeptReply } | null {
  if (!call.idempotency) return null
  const { organizationId } = call.caller
  const kept = { status: reply.status, location: reply.location, body: JSON.stringify(reply.body) }
  return { scope: { ...call.idempotency, organizationId, operation: operation.id }, reply: kept }
}

/** The problem of a key that was used for another request. */
export function idempotencyMismatch(): Problem {
  return new Problem('idempotency_mismatch')
}
