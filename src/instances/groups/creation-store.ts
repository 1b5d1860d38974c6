import type { AuditNote } from '../../contract/resources/audit.ts'
import { keepAudit } from '../../organizations/audit-log.ts'
import {
  type IdempotencyScope,
  type KeptReply,
  keepReply,
  recallReply,
  replaceReply,
  withdrawReply,
} from '../../organizations/idempotency.ts'
import { type StoreFunctions, transaction } from '../../store/store.ts'

/*
 * A network makes a group, and no transaction does: between the order and its result, a process may die. So the `Idempotency-Key` of the
 * request is taken before the network is asked, with a reply that says that nothing is known, and gets the result afterwards. A repetition
 * never asks the network again (docs/decisions/0093).
 */

/** Milliseconds after which a creation without a result is not under way any more: no request waits as long. */
const longestCreation = 60_000

interface BeginCreation {
  readonly scope: IdempotencyScope | undefined
  readonly audit: AuditNote | undefined
  readonly now: number
}

/** The state of a request to make a group. */
export type CreationBegun =
  | { readonly kind: 'begun' | 'in-progress' | 'unknown' | 'mismatch' }
  | { readonly kind: 'replay'; readonly reply: KeptReply }

export const beginCreation = transaction(
  'groups.begin-creation',
  async (tx, { scope, audit, now }: BeginCreation): Promise<CreationBegun> => {
    const before = scope && (await recallReply(tx, scope))
    if (before?.kind === 'mismatch') return { kind: 'mismatch' }
    if (before) {
      const { reply } = before
      if (reply.status !== unknownStatus) return before
      const { begun } = JSON.parse(reply.body) as { begun: number | null }
      const isUnderway = begun !== null && now >= begun && now - begun < longestCreation
      return { kind: isUnderway ? 'in-progress' : 'unknown' }
    }
    if (scope) await keepReply(tx, scope, unknownReply(now), now)
    await keepAudit(tx, audit)
    return { kind: 'begun' }
  },
  { touches: ({ scope }) => (scope ? [scope.organizationId] : []) },
)

/** The status of a reply that says that nothing is known. */
const unknownStatus = 504

/** `begun` is null once the network had its time. */
function unknownReply(begun: number | null): KeptReply {
  return { status: unknownStatus, location: null, body: JSON.stringify({ begun }) }
}

/** The end of the creation of a group: its reply, or that the network did not say, or that it certainly made none. */
export type CreationEnd = KeptReply | 'unknown' | 'not-done'

export const endCreation = transaction(
  'groups.end-creation',
  async (tx, { scope, end }: { scope: IdempotencyScope; end: CreationEnd }): Promise<void> => {
    if (end === 'not-done') await withdrawReply(tx, scope)
    else await replaceReply(tx, scope, end === 'unknown' ? unknownReply(null) : end)
  },
  { touches: ({ scope }) => [scope.organizationId] },
)

export const groupCreationFunctions: StoreFunctions = {
  reads: [],
  transactions: [beginCreation, endCreation],
}
