import type { CallbackPart } from '../../networks/driver/abilities/callbacks.ts'
import type { RowOf } from '../../store/schema.ts'
import { batchStatement, ofTurn, statement, valuesOf } from '../../store/statement.ts'
import {
  isForeign,
  type OfTurn,
  read,
  type StoreFunctions,
  type Transaction,
  transaction,
  transactionOfMany,
} from '../../store/store.ts'

/** Limits of the callbacks that may wait: their number, and their size in bytes. */
export interface CallbackRoom {
  readonly count: number
  readonly bytes: number
}

/** Limits of the callbacks that wait for one instance, and for all instances of its organization together. */
export interface CallbackLimits {
  readonly instance: CallbackRoom
  readonly organization: CallbackRoom
}

export interface NewCallback {
  readonly id: string
  readonly instanceId: string
  readonly receivedAt: number
  readonly body: Uint8Array
  readonly limits: CallbackLimits
  /** The account or group that the instance must have claimed, if the callback came to the URL of the operator. */
  readonly claimed?: Pick<CallbackPart, 'about' | 'name'>
}

/**
 * Result of storing a callback; `full` if too much waits already, `gone` if its instance is removed, or no longer has a
 * claim to the account or group.
 */
export type CallbackStored = 'kept' | 'full' | 'gone'

/** Bytes of a row besides its body. */
const overhead = 256

const selectWaiting = batchStatement({ instance: 'text' })((sql, given) =>
  sql
    .selectFrom('instances')
    .innerJoin('organizations', 'organizations.id', 'instances.organization_id')
    .select([
      'instances.id as instance',
      'organizations.id as organization',
      'instances.wanted',
      'instances.claimed_account',
      'instances.claimed_group',
      'instances.waiting_callbacks as instance_count',
      'instances.waiting_callback_bytes as instance_bytes',
      'organizations.waiting_callbacks as organization_count',
      'organizations.waiting_callback_bytes as organization_bytes',
    ])
    .where('instances.id', '=', given('instance')),
)

const insertedColumns = ['id', 'organization_id', 'instance_id', 'received_at', 'body', 'size'] as const

const insertCallback = statement<Pick<RowOf<'callbacks'>, (typeof insertedColumns)[number]>>()(
  (sql, argument) => sql.insertInto('callbacks').values(valuesOf(argument, insertedColumns)),
)

interface Change {
  readonly id: string
  readonly count: number
  readonly bytes: number
}

const changeColumns = { id: 'text', count: 'bigint', bytes: 'bigint' } as const

const changeOfInstance = batchStatement<Change>(changeColumns)((sql, given) =>
  sql
    .updateTable('instances')
    .set((eb) => ({
      waiting_callbacks: eb('waiting_callbacks', '+', given('count')),
      waiting_callback_bytes: eb('waiting_callback_bytes', '+', given('bytes')),
    }))
    .where('id', '=', given('id')),
)

const changeOfOrganization = batchStatement<Change>(changeColumns)((sql, given) =>
  sql
    .updateTable('organizations')
    .set((eb) => ({
      waiting_callbacks: eb('waiting_callbacks', '+', given('count')),
      waiting_callback_bytes: eb('waiting_callback_bytes', '+', given('bytes')),
    }))
    .where('id', '=', given('id')),
)

/** Callbacks that wait for one party: those that did before, and those that were added. */
class Waiting {
  readonly #before: CallbackRoom
  count = 0
  bytes = 0

  constructor(before: CallbackRoom) {
    this.#before = before
  }

  has(room: CallbackRoom, size: number): boolean {
    const { count, bytes } = this.#before
    return count + this.count < room.count && bytes + this.bytes + size <= room.bytes
  }

  add(size: number): void {
    this.count++
    this.bytes += size
  }
}

/** Stores callbacks in the order in which they came, if there is room for them. */
export const keepCallback = transactionOfMany(
  'callbacks.keep',
  async (tx, calls: readonly (NewCallback & OfTurn)[]): Promise<CallbackStored[]> => {
    const ids = new Set(calls.map(({ instanceId }) => instanceId))
    const found = await tx.allForEach(
      selectWaiting,
      [...ids].map((instance) => ({ instance })),
    )
    const owners = new Map(found.map((row) => [row.instance, row]))
    const instances = new Map<string, Waiting>()
    const organizations = new Map<string, Waiting>()
    for (const row of found) {
      const { instance, organization } = row
      instances.set(instance, new Waiting({ count: row.instance_count, bytes: row.instance_bytes }))
      const whole = { count: row.organization_count, bytes: row.organization_bytes }
      organizations.set(organization, new Waiting(whole))
    }
    const answers: CallbackStored[] = []
    for (const call of calls) {
      const { id, instanceId, receivedAt: received_at, body, limits, claimed } = call
      const owner = owners.get(instanceId)
      const own = instances.get(instanceId)
      const whole = owner && organizations.get(owner.organization)
      const size = body.length + overhead
      if (!owner || !own || !whole || owner.wanted === 'removed') answers.push('gone')
      else if (isForeign(call, owner.organization)) answers.push('gone')
      else if (claimed && !hasClaimed(owner, claimed)) answers.push('gone')
      else if (!own.has(limits.instance, size) || !whole.has(limits.organization, size)) answers.push('full')
      else {
        own.add(size)
        whole.add(size)
        const place = { organization_id: owner.organization, instance_id: instanceId }
        await tx.run(insertCallback, { id, ...place, received_at, body, size })
        answers.push('kept')
      }
    }
    await tx.runForEach(changeOfInstance, changesOf(instances))
    await tx.runForEach(changeOfOrganization, changesOf(organizations))
    return answers
  },
  { weigh: ({ body }) => 1 + body.length / 4096, isToldTurn: true },
)

interface HasClaimed {
  readonly claimed_account: string | null
  readonly claimed_group: string | null
}

function hasClaimed(owner: HasClaimed, { about, name }: Pick<CallbackPart, 'about' | 'name'>): boolean {
  return name === (about === 'account' ? owner.claimed_account : owner.claimed_group)
}

function changesOf(waiting: ReadonlyMap<string, Waiting>): Change[] {
  const changes = [...waiting].map(([id, { count, bytes }]) => ({ id, count, bytes }))
  return changes.filter(({ count }) => count > 0)
}

const selectNext = statement<{ instance: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('callbacks')
    .select(['seq', 'size'])
    .where('instance_id', '=', argument('instance'))
    .orderBy('seq')
    .limit(argument('limit')),
)

const selectUpTo = statement<{ instance: string; last: number }>()((sql, argument) =>
  sql
    .selectFrom('callbacks')
    .select(['seq', 'id', 'received_at', 'body'])
    .where('instance_id', '=', argument('instance'))
    .where('seq', '<=', argument('last'))
    .orderBy('seq'),
)

/** The oldest callbacks of an instance: at most `limit`, and of `bytes` in all, but one at least. */
export const nextCallbacks = read(
  'callbacks.next',
  async (reader, args: { instance: string; limit: number; bytes: number }) => {
    const sizes = await reader.all(selectNext, args)
    let bytes = 0
    const fitting = sizes.filter(({ size }, index) => {
      bytes += size
      return index === 0 || bytes <= args.bytes
    })
    const last = fitting.at(-1)
    return last ? await reader.all(selectUpTo, { instance: args.instance, last: last.seq }) : []
  },
)

interface Handled {
  readonly seq: number
  readonly id: string
}

const deleteHandled = batchStatement<Handled & { instance: string; turn: string | null }>({
  ...{ seq: 'bigint', id: 'text', instance: 'text', turn: 'text' },
})((sql, given) =>
  sql
    .deleteFrom('callbacks')
    .where('seq', '=', given('seq'))
    .where('id', '=', given('id'))
    .where('instance_id', '=', given('instance'))
    .where(ofTurn(given('turn')))
    .returning(['organization_id', 'size']),
)

/** Deletes callbacks that were handled. May be repeated. */
export const forgetHandled = transaction(
  'callbacks.forget',
  async (tx, args: { instance: string; handled: readonly Handled[] } & OfTurn) => {
    const { instance, handled, turn = null } = args
    const rows = handled.map(({ seq, id }) => ({ seq, id, instance, turn }))
    await discount(tx, instance, await tx.allForEach(deleteHandled, rows))
  },
  { isToldTurn: true },
)

const deleteUpTo = statement<{ instance: string; last: number }>()((sql, argument) =>
  sql
    .deleteFrom('callbacks')
    .where('instance_id', '=', argument('instance'))
    .where('seq', '<=', argument('last'))
    .returning(['organization_id', 'size']),
)

/** Returns the number of small rows that a row counts as when it is deleted: as many as it has pages, or so. */
const costOf = ({ size }: { readonly size: number }) => 1 + Math.floor(size / 4096)

/**
 * Deletes what waits for an instance that is removed, oldest first, until it has cost as much as `limit` small rows; returns what it has
 * cost, which is less only if nothing is left.
 */
export async function forgetCallbacks(tx: Transaction, instance: string, limit: number): Promise<number> {
  let cost = 0
  const some = (await tx.all(selectNext, { instance, limit })).filter((row) => {
    const fits = cost < limit
    if (fits) cost += costOf(row)
    return fits
  })
  const last = some.at(-1)?.seq
  if (last === undefined) return 0
  await discount(tx, instance, await tx.all(deleteUpTo, { instance, last }))
  return cost
}

async function discount(
  tx: Transaction,
  instance: string,
  deleted: readonly { organization_id: string; size: number }[],
): Promise<void> {
  const [first] = deleted
  if (!first) return
  const bytes = -deleted.reduce((sum, { size }) => sum + size, 0)
  const less = { count: -deleted.length, bytes }
  await tx.runForEach(changeOfInstance, [{ id: instance, ...less }])
  await tx.runForEach(changeOfOrganization, [{ id: first.organization_id, ...less }])
}

/** Returns the columns of an instance that its callbacks are checked against; null if there is no such instance. */
export const findCallbackOwner = read('callbacks.owner', async (reader, args: { instance: string }) => {
  return (await reader.first(selectOwner, args)) ?? null
})

const selectOwner = statement<{ instance: string }>()((sql, argument) =>
  sql
    .selectFrom('instances')
    .select(['organization_id', 'network', 'settings', 'credentials'])
    .where('id', '=', argument('instance'))
    .where('wanted', '!=', 'removed'),
)

/** Counts the callbacks that wait for all instances of the server, for the metrics. */
export const countCallbacks = read('callbacks.count', async (reader, _: null) => {
  const { sql } = reader
  const query = sql
    .selectFrom('organizations')
    .select(({ fn }) => [
      fn.sum<number | string | null>('waiting_callbacks').as('count'),
      fn.sum<number | string | null>('waiting_callback_bytes').as('bytes'),
    ])
  const row = await reader.first(query)
  return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) }
})

export const callbackFunctions: StoreFunctions = {
  reads: [nextCallbacks, findCallbackOwner, countCallbacks],
  transactions: [keepCallback, forgetHandled],
}
