import { type Reader, read, type StoreFunctions, type Transaction, transaction } from '../../store/store.ts'
import type { InstanceToRun } from '../instance.ts'
import { appendInstanceEvents } from '../instance-events.ts'
import { columns } from '../instance-store.ts'
import { orderReasons } from '../reasons.ts'

interface TakeOverArgs {
  readonly node: string
  readonly now: number
  /**
   * Of a node that starts: it also takes over what its last process had, of which this names the last that was taken over. Null
   * for a node that has run for a while, and takes only what others had.
   */
  readonly after: string | null
  readonly limit: number
  /** The number of all instances, as it was counted a moment ago. */
  readonly total: number
}

export interface TakenOverPart {
  readonly instances: readonly InstanceToRun[]
  /** The numbers by which messages name them. */
  readonly numbers: readonly number[]
  /** True if there may be more. */
  readonly more: boolean
}

/** The instances that a node takes over, as a multiple of an equal part of all. */
const unequal = 1.05

/** Nodes that no process runs: what they had is free. */
async function gone(reader: Reader): Promise<string[]> {
  const nodes = reader.sql.selectFrom('nodes').select('id').where('boot', '=', '')
  return (await reader.all(nodes)).map(({ id }) => id)
}

/** Returns free instances, at most so many. One owner after the other, so that an index leads to them however many there are in all. */
async function findFree(reader: Reader, most: number): Promise<string[]> {
  const found: string[] = []
  for (const owner of [null, ...(await gone(reader))]) {
    const all = reader.sql.selectFrom('instances').select('id').orderBy('id')
    const own = owner === null ? all.where('owner', 'is', null) : all.where('owner', '=', owner)
    found.push(...(await reader.all(own.limit(most - found.length))).map(({ id }) => id))
    if (found.length === most) break
  }
  return found
}

/** True if there are instances that no node runs. */
export const hasFreeInstances = read('instances.free', async (reader, _: null): Promise<boolean> => {
  return (await findFree(reader, 1)).length > 0
})

/** The number of all instances. Counting a million takes long, so it is not a part of a transaction that excludes others. */
export const countInstances = read('instances.count-all', (reader, _: null) => count(reader))

async function count(reader: Reader, owner?: string): Promise<number> {
  const all = reader.sql
    .selectFrom('instances')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
  return Number((await reader.first(owner === undefined ? all : all.where('owner', '=', owner)))?.count)
}

/** The instances that a node may still take over, so that all nodes have about as many; `total` is the number of all instances. */
async function roomOf(reader: Reader, node: string, total: number): Promise<number> {
  const running = reader.sql
    .selectFrom('nodes')
    .select('id')
    .where('boot', '!=', '')
    .where('draining', '=', 0)
  const nodes = (await reader.all(running)).map(({ id }) => id)
  if (!nodes.includes(node)) return 0
  return Math.ceil((total / nodes.length) * unequal) - (await count(reader, node))
}

/** The instances that a node has beyond its share; none while some are free, since a node is gone. */
export const countExcess = read(
  'instances.excess',
  async (reader, { node }: { node: string }): Promise<number> => {
    if ((await findFree(reader, 1)).length > 0) return 0
    return Math.max(0, -(await roomOf(reader, node, await count(reader))))
  },
)

async function toTake(tx: Transaction, { node, after, limit, total }: TakeOverArgs): Promise<string[]> {
  const kept: string[] = []
  if (after !== null) {
    const own = tx.sql.selectFrom('instances').select('id').where('owner', '=', node).where('id', '>', after)
    kept.push(...(await tx.all(own.orderBy('id').limit(limit))).map(({ id }) => id))
  }
  const room = Math.min(limit - kept.length, await roomOf(tx, node, total))
  return room > 0 ? [...kept, ...(await findFree(tx, room))] : kept
}

/**
 * Takes over instances that no other node runs, at most `limit`: what the last one knew of their connections is no longer true, and the
 * last order counts, even if that node had no time to carry it out.
 */
export const takeOverInstances = transaction(
  'instances.take-over',
  async (tx, args: TakeOverArgs): Promise<TakenOverPart> => {
    const ids = await toTake(tx, args)
    if (ids.length === 0) return { instances: [], numbers: [], more: false }
    const taken = tx.sql
      .updateTable('instances')
      .set((eb) => ({ owner: args.node, epoch: eb('epoch', '+', 1) }))
    await tx.run(taken.where('id', 'in', ids))
    await carryOutOrders(tx, ids, args.now)
    const rows = await tx.all(
      tx.sql
        .selectFrom('instances')
        .innerJoin('message_instances', 'message_instances.instance_id', 'instances.id')
        .select(['instances.id', 'instances.organization_id', 'name', 'network', 'wanted', 'status'])
        .select(['linked_at', 'epoch', 'number'])
        .where('instances.id', 'in', ids)
        .orderBy('instances.id'),
    )
    const instances = rows.map(({ number: _, ...instance }) => instance)
    return { instances, numbers: rows.map(({ number }) => number), more: ids.length === args.limit }
  },
)

/** Changes the status of instances to what was ordered of them last. */
async function carryOutOrders(tx: Transaction, ids: readonly string[], now: number): Promise<void> {
  const ordered = [
    { wanted: 'stopped', status: 'stopped', why: orderReasons.stop },
    { wanted: 'removed', status: 'deleting', why: orderReasons.remove },
  ] as const
  const past = { status_since: now, next_attempt_at: null, link: null }
  for (const { wanted, status, why } of ordered) {
    const carriedOut = tx.sql
      .updateTable('instances')
      .set({ ...past, status, reason: JSON.stringify(why) })
      .where('id', 'in', ids)
      .where('wanted', '=', wanted)
      .where('status', '!=', status)
      .returning(columns)
    await appendInstanceEvents(tx, await tx.all(carriedOut), 'instance.status_changed', now)
  }
  const begun = tx.sql
    .updateTable('instances')
    .set({ ...past, status: 'connecting', reason: null })
    .where('id', 'in', ids)
    .where('wanted', '=', 'running')
    .where('status', 'in', ['connected', 'reconnecting', 'awaiting_link'])
    .returning(columns)
  await appendInstanceEvents(tx, await tx.all(begun), 'instance.status_changed', now)
}

interface ReleaseArgs {
  readonly id: string
  readonly organization: string
  readonly node: string
}

/** Lets another node take an instance over. Only for the node that runs it, after all that it did for it has ended. */
export const releaseInstance = transaction(
  'instances.release',
  async (tx, { id, node }: ReleaseArgs): Promise<void> => {
    const released = tx.sql.updateTable('instances').set({ owner: null })
    await tx.run(released.where('id', '=', id).where('owner', '=', node))
  },
  { touches: ({ organization }) => [organization] },
)

/** The instances of a node for which messages wait, that other nodes may have accepted. */
export const listWaiting = read(
  'instances.waiting',
  async (reader, { node }: { node: string }): Promise<string[]> => {
    const waiting = reader.sql
      .selectFrom('instances')
      .select('instances.id')
      .where('owner', '=', node)
      .where('queue_depth', '>', 0)
    return (await reader.all(waiting)).map(({ id }) => id)
  },
)

/** The same for callbacks. */
export const listWithCallbacks = read(
  'instances.with-callbacks',
  async (reader, { node }: { node: string }): Promise<string[]> => {
    const waiting = reader.sql.selectFrom('instances').select('id').where('owner', '=', node)
    return (await reader.all(waiting.where('waiting_callbacks', '>', 0))).map(({ id }) => id)
  },
)

export const takeOverFunctions: StoreFunctions = {
  reads: [hasFreeInstances, countInstances, countExcess, listWaiting, listWithCallbacks],
  transactions: [takeOverInstances, releaseInstance],
}
