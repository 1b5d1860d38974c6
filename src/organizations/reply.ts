import type { Call } from '../contract/handler.ts'
import type { Operation } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import type { StoreForAll } from '../store/store.ts'
import { type IdempotencyScope, type KeptReply, type Recalled, readReply } from './idempotency.ts'

/** Returns the record from which a repetition of this call gets the same response; null if the call has no key. */
export function idempotencyOf(
  call: Pick<Call<Operation>, 'caller' | 'idempotency'>,
  operation: Operation,
  reply: { readonly status: number; readonly location: string; readonly body: unknown },
): { readonly scope: IdempotencyScope; readonly reply: KeptReply } | null {
  const scope = scopeOf(call, operation)
  if (!scope) return null
  return {
    scope,
    reply: { status: reply.status, location: reply.location, body: JSON.stringify(reply.body) },
  }
}

/**
 * The earlier answer to the call. Used before refusing it: a repetition gets the first answer even when
 * the instance is gone by now, or the time that the message was given is over. Otherwise the refusal is thrown.
 */
export async function answeredBefore(
  store: StoreForAll,
  call: Pick<Call<Operation>, 'caller' | 'idempotency' | 'turn'>,
  operation: Operation,
  refusal: unknown,
): Promise<Recalled> {
  const scope = refusal instanceof Problem ? scopeOf(call, operation) : undefined
  const recalled = scope && (await store.read(readReply, scope, call.turn))
  if (!recalled) throw refusal
  return recalled
}

function scopeOf(
  { caller, idempotency }: Pick<Call<Operation>, 'caller' | 'idempotency'>,
  operation: Operation,
): IdempotencyScope | undefined {
  return idempotency && { ...idempotency, organizationId: caller.organizationId, operation: operation.id }
}

/** The problem of a key that was used for another request. */
export function idempotencyMismatch(): Problem {
  return new Problem('idempotency_mismatch')
}
