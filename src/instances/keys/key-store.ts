import { type RowOf, tables } from '../../store/schema.ts'
import { batchOf, batchStatement, ofTurn, statement } from '../../store/statement.ts'
import {
  isForeign,
  type OfTurn,
  read,
  type StoreFunctions,
  type Transaction,
  transaction,
  transactionOfMany,
} from '../../store/store.ts'
import { typesOf } from '../../store/tables/columns.ts'

/*
 * The keys of instances as rows. Who may write them is a number in the row of their instance: it grows when a connection takes them
 * over, when the credentials are replaced, and when the instance is erased (docs/decisions/0044).
 */

const nameColumns = ['instance_id', 'type', 'id'] as const

type KeyName = Readonly<Pick<RowOf<'network_keys'>, (typeof nameColumns)[number]>>

const selectValue = batchStatement<KeyName & { now: number }>({
  ...typesOf(tables.network_keys, nameColumns),
  now: 'bigint',
})((sql, given) =>
  sql
    .selectFrom('network_keys')
    .select(['id', 'value'])
    .where('instance_id', '=', given('instance_id'))
    .where('type', '=', given('type'))
    .where('id', '=', given('id'))
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', given('now'))])),
)

/** The sealed values of those that exist, in no order. */
export const readKeys = read(
  'keys.read',
  (reader, args: { instance: string; type: string; ids: readonly string[]; now: number }) => {
    const { instance: instance_id, type, ids, now } = args
    return reader.allForEach(
      selectValue,
      ids.map((id) => ({ instance_id, type, id, now })),
    )
  },
)

const selectOwner = batchStatement({ instance: 'text' })((sql, given) =>
  sql
    .selectFrom('instances')
    .select(['id as instance', 'organization_id as organization', 'key_owner as owner', 'key_count as count'])
    .where('id', '=', given('instance')),
)

const advanceOwner = statement<{ instance: string; owner: number; turn: string | null }>()((sql, argument) =>
  sql
    .updateTable('instances')
    .set((eb) => ({ key_owner: eb('key_owner', '+', 1) }))
    .where('id', '=', argument('instance'))
    .where(ofTurn(argument('turn')))
    .where('key_owner', '=', argument('owner')),
)

/**
 * Takes the keys of an instance over from `owner`, and returns the owner from now on; null if it has another owner, or is gone. What an earlier
 * owner was about to write is stored by now, or never will be.
 */
export const takeKeys = transaction(
  'keys.take',
  async (tx, args: { instance: string; owner: number } & OfTurn) =>
    (await tx.run(advanceOwner, { ...args, turn: args.turn ?? null })) > 0 ? args.owner + 1 : null,
  { isToldTurn: true },
)

/** A change of a key, with its value sealed; null removes it. */
export interface SealedChange extends Readonly<Pick<RowOf<'network_keys'>, 'type' | 'id' | 'expires_at'>> {
  readonly value: Uint8Array | null
}

export interface KeySet extends OfTurn {
  readonly instance: string
  readonly owner: number
  /** Keys that the instance may have. */
  readonly limit: number
  readonly changes: readonly SealedChange[]
}

/** `gone` if the owner is another by now, `full` if the instance would have too many keys. */
export type SetAnswer = 'set' | 'full' | 'gone'

const selectName = batchOf(
  'network_keys',
  nameColumns,
)((sql, row) =>
  sql
    .selectFrom('network_keys')
    .select(nameColumns)
    .where('instance_id', '=', row.instance_id)
    .where('type', '=', row.type)
    .where('id', '=', row.id),
)

type Row = Readonly<RowOf<'network_keys'>>

const upsertKey = batchOf('network_keys', [...nameColumns, 'value', 'expires_at'])((sql, row) =>
  sql
    .insertInto('network_keys')
    .values(row)
    .onConflict((on) =>
      on.columns(nameColumns).doUpdateSet((eb) => ({
        value: eb.ref('excluded.value'),
        expires_at: eb.ref('excluded.expires_at'),
      })),
    ),
)

const deleteKey = batchOf(
  'network_keys',
  nameColumns,
)((sql, row) =>
  sql
    .deleteFrom('network_keys')
    .where('instance_id', '=', row.instance_id)
    .where('type', '=', row.type)
    .where('id', '=', row.id),
)

const changeCount = batchStatement({ instance: 'text', by: 'bigint' })((sql, given) =>
  sql
    .updateTable('instances')
    .set((eb) => ({ key_count: eb('key_count', '+', given('by')) }))
    .where('id', '=', given('instance')),
)

const textOf = ({ instance_id, type, id }: KeyName) => JSON.stringify([instance_id, type, id])

/** The keys after the sets of a moment, one after the other. */
class KeyChanges {
  /** By the text of their names: those of the keys that are changed and exist, in the store or after an earlier set. */
  readonly #present: Set<string>
  readonly #stored: ReadonlySet<string>
  readonly #last = new Map<string, KeyName & SealedChange>()

  constructor(stored: readonly KeyName[]) {
    this.#stored = new Set(stored.map(textOf))
    this.#present = new Set(this.#stored)
  }

  /** Adds a set if the instance then has at most `room` keys more, or no more than before; returns how many more it has. */
  add({ instance: instance_id, changes }: KeySet, room: number): number | undefined {
    const named = changes.map((change) => ({ instance_id, ...change }))
    const own = new Map(named.map((change) => [textOf(change), change]))
    let more = 0
    for (const [text, { value }] of own) more += Number(value !== null) - Number(this.#present.has(text))
    if (more > 0 && more > room) return undefined
    for (const [text, change] of own) {
      this.#last.set(text, change)
      if (change.value === null) this.#present.delete(text)
      else this.#present.add(text)
    }
    return more
  }

  get written(): Row[] {
    return [...this.#last.values()].filter((change): change is Row & SealedChange => change.value !== null)
  }

  get removed(): KeyName[] {
    const removed = [...this.#last].filter(([text, { value }]) => value === null && this.#stored.has(text))
    return removed.map(([, change]) => change)
  }
}

/** Changes the keys of instances, all changes of a call or none. May be repeated. */
export const setKeys = transactionOfMany(
  'keys.set',
  async (tx, calls: readonly KeySet[]): Promise<SetAnswer[]> => {
    const instances = [...new Set(calls.map(({ instance }) => instance))]
    const found = await tx.allForEach(
      selectOwner,
      instances.map((instance) => ({ instance })),
    )
    const owners = new Map(found.map((row) => [row.instance, row]))
    const isOwn = (call: KeySet) => {
      const row = owners.get(call.instance)
      return row?.owner === call.owner && !isForeign(call, row.organization)
    }
    const forgotten = await makeRoom(tx, calls.filter(isOwn), owners)
    const changes = new KeyChanges(await tx.allForEach(selectName, namesIn(calls.filter(isOwn))))
    const added = new Map<string, number>()
    const answers = calls.map((call): SetAnswer => {
      if (!isOwn(call)) return 'gone'
      const before = (added.get(call.instance) ?? 0) - (forgotten.get(call.instance) ?? 0)
      const count = (owners.get(call.instance)?.count ?? 0) + before
      const more = changes.add(call, call.limit - count)
      if (more === undefined) return 'full'
      added.set(call.instance, (added.get(call.instance) ?? 0) + more)
      return 'set'
    })
    await tx.runForEach(upsertKey, changes.written)
    await tx.runForEach(deleteKey, changes.removed)
    const counts = [...added].map(([instance, by]) => ({ instance, by }))
    await tx.runForEach(
      changeCount,
      counts.filter(({ by }) => by !== 0),
    )
    return answers
  },
  { weigh: ({ changes }) => 1 + changes.length, isToldTurn: true },
)

const selectExpiring = statement<{ instance: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('network_keys')
    .select(nameColumns)
    .where('instance_id', '=', argument('instance'))
    .where('expires_at', 'is not', null)
    .orderBy('expires_at')
    .limit(argument('limit')),
)

/**
 * Makes room for new keys by removing keys that will be forgotten anyway, those that expire first before others: so no
 * instance reaches the limit by keys that are kept only for a time. Returns how many each instance lost. Changed keys count
 * as new here, so this may forget a few too many.
 */
async function makeRoom(
  tx: Transaction,
  calls: readonly KeySet[],
  owners: ReadonlyMap<string, { readonly count: number }>,
): Promise<Map<string, number>> {
  const forgotten = new Map<string, number>()
  for (const [instance, own] of Map.groupBy(calls, (call) => call.instance)) {
    const news = own.flatMap(({ changes }) => changes.filter(({ value }) => value !== null)).length
    const tooMany = (owners.get(instance)?.count ?? 0) + news - Math.min(...own.map(({ limit }) => limit))
    if (tooMany <= 0 || news === 0) continue
    const expiring = await tx.all(selectExpiring, { instance, limit: Math.min(tooMany, news) })
    await remove(tx, expiring)
    forgotten.set(instance, expiring.length)
  }
  return forgotten
}

/** The names of what is changed, each once. */
function namesIn(calls: readonly KeySet[]): KeyName[] {
  const names = calls.flatMap(({ instance: instance_id, changes }) =>
    changes.map(({ type, id }) => ({ instance_id, type, id })),
  )
  return [...new Map(names.map((name) => [textOf(name), name])).values()]
}

const selectSome = statement<{ instance: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('network_keys')
    .select(nameColumns)
    .where('instance_id', '=', argument('instance'))
    .orderBy('type')
    .orderBy('id')
    .limit(argument('limit')),
)

const endOwner = statement<{ instance: string }>()((sql, argument) =>
  sql
    .updateTable('instances')
    .set((eb) => ({ key_owner: eb('key_owner', '+', 1) }))
    .where('id', '=', argument('instance')),
)

/**
 * Removes keys of an instance, at most `limit` at a time; returns how many it removed. Without an `owner`, no former owner
 * can write them any more; null if the owner is another by now.
 */
export const forgetKeys = transaction(
  'keys.forget',
  async (
    tx,
    args: { instance: string; owner: number | null; limit: number } & OfTurn,
  ): Promise<number | null> => {
    const { instance, owner, limit } = args
    const [present] = await tx.allForEach(selectOwner, [{ instance }])
    if (present && isForeign(args, present.organization)) return null
    if (owner === null) await tx.run(endOwner, { instance })
    else if (present?.owner !== owner) return null
    const some = await tx.all(selectSome, { instance, limit })
    await remove(tx, some)
    return some.length
  },
  { isToldTurn: true },
)

async function remove(tx: Transaction, names: readonly KeyName[]): Promise<void> {
  await tx.runForEach(deleteKey, names)
  const counts = Map.groupBy(names, (name) => name.instance_id)
  await tx.runForEach(
    changeCount,
    [...counts].map(([instance, own]) => ({ instance, by: -own.length })),
  )
}

const selectExpired = statement<{ now: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('network_keys')
    .select(nameColumns)
    .where('expires_at', '<=', argument('now'))
    .orderBy('expires_at')
    .limit(argument('limit')),
)

/** Removes keys that have expired, at most `limit`; returns how many. */
export const forgetExpiredKeys = transaction(
  'keys.forget-expired',
  async (tx, args: { now: number; limit: number }): Promise<number> => {
    const expired = await tx.all(selectExpired, args)
    await remove(tx, expired)
    return expired.length
  },
)

export const keyFunctions: StoreFunctions = {
  reads: [readKeys],
  transactions: [takeKeys, setKeys, forgetKeys, forgetExpiredKeys],
}
