import type { Idempotency } from '../contract/handler.ts'
import { statement } from '../store/statement.ts'
import { type Reader, read, type StoreFunctions, type Transaction, transaction } from '../store/store.ts'

/** A reply as it was given to the first request with an Idempotency-Key. */
export interface KeptReply {
  readonly status: number
  readonly location: string | null
  /** JSON text. */
  readonly body: string
}

/** What a transaction needs to recognise a repeated request. */
export interface IdempotencyScope extends Idempotency {
  readonly organizationId: string
  readonly operation: string
}

export type Recalled = { readonly kind: 'replay'; readonly reply: KeptReply } | { readonly kind: 'mismatch' }

const selectReply = statement<{ organization: string; operation: string; key: string }>()((sql, argument) =>
  sql
    .selectFrom('idempotency')
    .select(['fingerprint', 'status', 'location', 'body'])
    .where('organization_id', '=', argument('organization'))
    .where('operation', '=', argument('operation'))
    .where('key', '=', argument('key')),
)

const insertReply = statement<{
  organization: string
  operation: string
  key: string
  fingerprint: string
  status: number
  location: string | null
  body: string
  now: number
}>()((sql, argument) =>
  sql.insertInto('idempotency').values({
    organization_id: argument('organization'),
    operation: argument('operation'),
    key: argument('key'),
    fingerprint: argument('fingerprint'),
    status: argument('status'),
    location: argument('location'),
    body: argument('body'),
    created_at: argument('now'),
  }),
)

/** Looks whether this request was answered before; asked first in the transaction that would answer it. */
export async function recallReply(reader: Reader, scope: IdempotencyScope): Promise<Recalled | undefined> {
  const { organizationId: organization, operation, key } = scope
  const row = await reader.first(selectReply, { organization, operation, key })
  if (!row) return undefined
  if (row.fingerprint !== scope.fingerprint) return { kind: 'mismatch' }
  return { kind: 'replay', reply: { status: row.status, location: row.location, body: row.body } }
}

/** The same, asked before a request is refused that could not be carried out again, though it was at first. */
export const readReply = read('idempotency.read', async (reader, scope: IdempotencyScope) => {
  return (await recallReply(reader, scope)) ?? null
})

/** Keeps the reply for repetitions, in the transaction that makes it true. */
export async function keepReply(
  tx: Transaction,
  scope: IdempotencyScope,
  reply: KeptReply,
  now: number,
): Promise<void> {
  const { organizationId: organization, operation, key, fingerprint } = scope
  await tx.run(insertReply, { organization, operation, key, fingerprint, ...reply, now })
}

/** Removes replies stored before `before`, at most `limit` of them; returns how many. */
export const forgetReplies = transaction(
  'idempotency.forget',
  (tx, args: { before: number; limit: number }) => {
    const old = tx.sql
      .selectFrom('idempotency')
      .select(['organization_id', 'operation', 'key'])
      .where('created_at', '<', args.before)
      .orderBy('created_at')
      .limit(args.limit)
    return tx.run(
      tx.sql
        .deleteFrom('idempotency')
        .where(({ eb, refTuple }) =>
          eb(
            refTuple('organization_id', 'operation', 'key'),
            'in',
            old.$asTuple('organization_id', 'operation', 'key'),
          ),
        ),
    )
  },
)

export const idempotencyFunctions: StoreFunctions = { reads: [readReply], transactions: [forgetReplies] }
