import type { Call } from './handler.ts'
import type { Operation } from './operation.ts'

/** The headers of a reply that created something at `location`, or repeats the reply that did. */
export function createdAt(call: Pick<Call<Operation>, 'waitMs'>, location: string, replayed: boolean) {
  return {
    location,
    ...(replayed ? { 'idempotency-replayed': 'true' } : {}),
    ...waited(call),
  }
}

/** The header that says how long the caller's preference to wait was honoured (RFC 7240). */
export function waited({ waitMs }: Pick<Call<Operation>, 'waitMs'>): Record<string, string> {
  return waitMs > 0 ? { 'preference-applied': `wait=${waitMs / 1000}` } : {}
}
