import type { Call, Idempotency } from '../contract/handler.ts'
import type { Operation } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import type { RowOf } from '../store/schema.ts'
import { batchOf } from '../store/statement.ts'
import {
  briefRead,
  type Reader,
  type StoreForAll,
  type StoreFunctions,
  type Transaction,
  transaction,
} from '../store/store.ts'

/** A reply as it was given to the first request with an Idempotency-Key. */
export type KeptReply = Readonly<Pick<RowOf<'idempotency'>, 'status' | 'location' | 'body'>>

/** The facts by which a transaction recognises a repeated request. */
export interface IdempotencyScope extends Idempotency {
  readonly organizationId: string
  readonly operation: string
}

export type Recalled = { readonly kind: 'replay'; readonly reply: KeptReply } | { readonly kind: 'mismatch' }

const keyColumns = ['organization_id', 'operation', 'key'] as const
const columns = [...keyColumns, 'fingerprint', 'status', 'location', 'body'] as const

type ReplyKey = Pick<RowOf<'idempotency'>, (typeof keyColumns)[number]>

const selectReplies = batchOf(
  'idempotency',
  keyColumns,
)((sql, row) =>
  sql
    .selectFrom('idempotency')
    .select(columns)
    .where('organization_id', '=', row.organization_id)
    .where('operation', '=', row.operation)
    .where('key', '=', row.key),
)

const insertReplies = batchOf('idempotency', [...columns, 'created_at'])((sql, row) =>
  sql.insertInto('idempotency').values(row),
)

function keyOf({ organizationId: organization_id, operation, key }: IdempotencyScope): ReplyKey {
  return { organization_id, operation, key }
}

/** Returns the parts that make two requests repetitions of one another, as one value. */
const nameOf = ({ organization_id, operation, key }: ReplyKey) => `${organization_id} ${operation} ${key}`

/** The replies that are stored, and those that this transaction will store. */
export class Replies {
  readonly #known = new Map<string, { readonly fingerprint: string; readonly reply: KeptReply }>()
  readonly #kept: RowOf<'idempotency'>[] = []

  /** Reads the replies stored for these requests. */
  static async recall(reader: Reader, scopes: readonly IdempotencyScope[]): Promise<Replies> {
    const replies = new Replies()
    for (const row of await reader.allForEach(selectReplies, scopes.map(keyOf))) {
      const { fingerprint, status, location, body } = row
      replies.#known.set(nameOf(row), { fingerprint, reply: { status, location, body } })
    }
    return replies
  }

  /** Returns the response to an earlier request with this key, or the mismatch with it; undefined if there was none. */
  find(scope: IdempotencyScope): Recalled | undefined {
    const known = this.#known.get(nameOf(keyOf(scope)))
    if (!known) return undefined
    return known.fingerprint === scope.fingerprint
      ? { kind: 'replay', reply: known.reply }
      : { kind: 'mismatch' }
  }

  /** Notes the reply to a request, for repetitions of it. */
  note(scope: IdempotencyScope, reply: KeptReply, now: number): void {
    const { fingerprint } = scope
    this.#known.set(nameOf(keyOf(scope)), { fingerprint, reply })
    this.#kept.push({ ...keyOf(scope), fingerprint, ...reply, created_at: now })
  }

  /** Keeps what was noted, in the transaction that makes it true. */
  keep(tx: Transaction): void {
    tx.sendForEach(insertReplies, this.#kept)
  }
}

/** Looks whether this request was answered before; asked first in the transaction that would answer it. */
export async function recallReply(reader: Reader, scope: IdempotencyScope): Promise<Recalled | undefined> {
  return (await Replies.recall(reader, [scope])).find(scope)
}

/** The same, asked before a request is refused that could not be carried out again, though it was at first. */
export const readReply = briefRead('idempotency.read', async (reader, scope: IdempotencyScope) => {
  return (await recallReply(reader, scope)) ?? null
})

/** Keeps the reply for repetitions, in the transaction that makes it true. */
export async function keepReply(
  tx: Transaction,
  scope: IdempotencyScope,
  reply: KeptReply,
  now: number,
): Promise<void> {
  const replies = new Replies()
  replies.note(scope, reply, now)
  replies.keep(tx)
}

/** Gives a request another reply than the one that was kept before its outcome was known. */
export async function replaceReply(
  tx: Transaction,
  scope: IdempotencyScope,
  reply: KeptReply,
): Promise<void> {
  const { organization_id, operation, key } = keyOf(scope)
  await tx.run(
    tx.sql
      .updateTable('idempotency')
      .set({ ...reply })
      .where('organization_id', '=', organization_id)
      .where('operation', '=', operation)
      .where('key', '=', key),
  )
}

/** Forgets the reply to a request that was not carried out: a repetition may try again. */
export async function withdrawReply(tx: Transaction, scope: IdempotencyScope): Promise<void> {
  const { organization_id, operation, key } = keyOf(scope)
  await tx.run(
    tx.sql
      .deleteFrom('idempotency')
      .where('organization_id', '=', organization_id)
      .where('operation', '=', operation)
      .where('key', '=', key),
  )
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

/** Returns the record from which a repetition of this call gets the same response; null if the call has no key. */
export function idempotencyOf(
  call: Pick<Call<Operation>, 'caller' | 'idempotency'>,
  operation: Operation,
  reply: { readonly status: number; readonly location: string; readonly body: unknown },
): { readonly scope: IdempotencyScope; readonly reply: KeptReply } | null {
  const scope = idempotencyScope(call, operation)
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
  const scope = refusal instanceof Problem ? idempotencyScope(call, operation) : undefined
  const recalled = scope && (await store.read(readReply, scope, call.turn))
  if (!recalled) throw refusal
  return recalled
}

/** The facts by which a repetition of this call is recognised; undefined if the call has no key. */
export function idempotencyScope(
  { caller, idempotency }: Pick<Call<Operation>, 'caller' | 'idempotency'>,
  operation: Operation,
): IdempotencyScope | undefined {
  return idempotency && { ...idempotency, organizationId: caller.organizationId, operation: operation.id }
}

/** The problem of a key that was used for another request. */
export function idempotencyMismatch(): Problem {
  return new Problem('idempotency_mismatch')
}

/** The headers of a reply that created something at `location`, or repeats the reply that did. */
export function createdAt(location: string, isRepeated: boolean): Record<string, string> {
  return { location, ...(isRepeated ? { 'idempotency-replayed': 'true' } : {}) }
}
