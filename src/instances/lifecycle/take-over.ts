import type { InstanceStatus } from '../../contract/resources/instance.ts'
import { type Recovered, recoverPart } from '../../messages/outbox/recovery/recover.ts'
import { firstPlace } from '../../messages/unsettled-places.ts'
import { readTakers } from '../../nodes/node-store.ts'
import { batchStatement } from '../../store/statement.ts'
import {
  type Reader,
  read,
  type StoreFunctions,
  type Transaction,
  transaction,
  transactionOfMany,
} from '../../store/store.ts'
import type { InstanceRow, InstanceToRun } from '../instance.ts'
import { appendInstanceEvents } from '../instance-events.ts'
import { columns } from '../instance-store.ts'
import { orderReasons } from '../reasons.ts'

/** An instance that a node may take over, and the organization whose rows that changes. */
export interface Candidate {
  readonly id: string
  readonly organization_id: string
}

/** The instances that other nodes run, as this one reaches them. */
export interface Elsewhere {
  /** As `Supervisor.ask`, without types. */
  ask(instance: string, task: string, argument: unknown, signal: AbortSignal): Promise<unknown>
  wake(instance: string): void
  wakeCallbacks(instance: string): void
  /** Tells the others that one of them may take an instance over. */
  gave(instance: Candidate): void
}

interface OwnArgs {
  readonly node: string
  /** The instance after which to go on. */
  readonly after: string
  readonly limit: number
}

/** Nodes that no process runs: what they had is free. */
async function gone(reader: Reader): Promise<string[]> {
  const nodes = reader.sql.selectFrom('nodes').select('id').where('boot', '=', '')
  return (await reader.all(nodes)).map(({ id }) => id)
}

/** The owners of free instances. */
const freeOwners = async (reader: Reader) => [null, ...(await gone(reader))]

/**
 * The instances of an owner, by their ids, after one of them. They are in the order of the index of owners, so that it leads to them
 * however many there are in all: for the order of ids alone PostgreSQL may go through those of all owners.
 */
function instancesOf(reader: Reader, owner: string | null, after = '') {
  const all = reader.sql.selectFrom('instances').where('id', '>', after).orderBy('owner').orderBy('id')
  return owner === null ? all.where('owner', 'is', null) : all.where('owner', '=', owner)
}

/** The instances of a node, by their ids: what its last process ran. */
export const listOwn = read(
  'instances.own',
  (reader, { node, after, limit }: OwnArgs): Promise<Candidate[]> => {
    return reader.all(instancesOf(reader, node, after).select(['id', 'organization_id']).limit(limit))
  },
)

/** True if there are instances that no node runs. */
async function isSomeFree(reader: Reader): Promise<boolean> {
  for (const owner of await freeOwners(reader))
    if (await reader.first(instancesOf(reader, owner).select('id').limit(1))) return true
  return false
}

export const hasFreeInstances = read('instances.free', (reader, _: null): Promise<boolean> => {
  return isSomeFree(reader)
})

/** The number of all instances. Counting a million takes long, so those who need it often remember it. */
export const countInstances = read('instances.count-all', async (reader, _: null): Promise<number> => {
  const all = reader.sql
    .selectFrom('instances')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
  return Number((await reader.first(all))?.count)
})

/** The instances that a node keeps, as a multiple of an equal part of all. */
const unequal = 1.05

interface ShareArgs {
  readonly node: string
  /** The number of instances that it has. */
  readonly has: number
  /** The number of all instances, as it was counted a moment ago. */
  readonly total: number
}

/** The instances that a node has beyond its share; none while some are free, since a node is gone. */
export const countExcess = read(
  'instances.excess',
  async (reader, { node, has, total }: ShareArgs): Promise<number> => {
    if (await isSomeFree(reader)) return 0
    const nodes = await readTakers(reader)
    if (!nodes.includes(node)) return has
    return Math.max(0, has - Math.ceil((total / nodes.length) * unequal))
  },
)

/** Free instances, at most so many, behind so many others; and how many of those there were. */
async function freeBehind(
  reader: Reader,
  owners: readonly (string | null)[],
  { skipped, most }: { skipped: number; most: number },
): Promise<{ readonly ids: string[]; readonly passed: number }> {
  const ids: string[] = []
  let left = skipped
  for (const owner of owners) {
    if (ids.length === most) break
    const own = instancesOf(reader, owner).select('id')
    const some = await reader.all(own.limit(most - ids.length).offset(left))
    if (some.length > 0) left = 0
    else if (left > 0) left -= await countAtMost(reader, owner, left)
    ids.push(...some.map(({ id }) => id))
  }
  return { ids, passed: skipped - left }
}

async function countAtMost(reader: Reader, owner: string | null, most: number): Promise<number> {
  const counted = reader.sql
    .selectFrom(instancesOf(reader, owner).select('id').limit(most).as('some'))
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
  return Number((await reader.first(counted))?.count)
}

/**
 * Finds free instances for a node, at most `limit`, and no more than an equal part of all with those that it `has`. The nodes that take
 * begin at different places, so that few of them find the same.
 */
export const findFree = read(
  'instances.find-free',
  async (reader, { node, has, total, limit }: ShareArgs & { limit: number }): Promise<Candidate[]> => {
    const nodes = await readTakers(reader)
    const place = nodes.indexOf(node)
    const most = Math.min(limit, Math.ceil(total / nodes.length) - has)
    if (place < 0 || most <= 0) return []
    const owners = await freeOwners(reader)
    const { ids, passed } = await freeBehind(reader, owners, { skipped: place * most, most })
    if (ids.length === 0 && passed > 0) {
      const begin = Math.floor((passed * place) / nodes.length)
      ids.push(...(await freeBehind(reader, owners, { skipped: begin, most })).ids)
      const missing = Math.min(begin, most - ids.length)
      if (missing > 0) ids.push(...(await freeBehind(reader, owners, { skipped: 0, most: missing })).ids)
    }
    if (ids.length === 0) return []
    return reader.all(
      reader.sql.selectFrom('instances').select(['id', 'organization_id']).where('id', 'in', ids),
    )
  },
)

interface TakeOverArgs {
  readonly node: string
  readonly now: number
  readonly candidates: readonly Candidate[]
  readonly dedupingNetworks: readonly string[]
  /** Unsettled messages to look at: what is left of them, `recoverMessages` takes up. */
  readonly limit: number
}

export interface TakenOverPart {
  readonly instances: readonly InstanceToRun[]
  /** The numbers by which messages name them. */
  readonly numbers: readonly number[]
  readonly recovered: Recovered
}

const nothingRecovered: Recovered = { interrupted: 0, next: null }

/** The organizations of some instances, each once. */
export const organizationsOf = (instances: readonly Candidate[]): string[] => [
  ...new Set(instances.map(({ organization_id }) => organization_id)),
]

/**
 * Takes over those of some instances that no other node runs: what the last one knew of their connections is no longer true, and the
 * last order counts, even if that node had no time to carry it out. Attempts that were under way are taken up in the same commit: each
 * further one would be another wait for the organization, in which the instances send nothing. Only their organizations wait for it. An
 * owner that comes back takes what is still its own in the same way, so both do not.
 */
export const takeOverInstances = transaction(
  'instances.take-over',
  async (tx, args: TakeOverArgs): Promise<TakenOverPart> => {
    const { node, now, candidates } = args
    const ids = candidates.map(({ id }) => id)
    const free = new Set<string | null>([node, ...(await freeOwners(tx))])
    const found = await tx.all(
      tx.sql
        .selectFrom('instances')
        .innerJoin('message_instances', 'message_instances.instance_id', 'instances.id')
        .select(['instances.id', 'instances.organization_id', 'name', 'network', 'wanted', 'status'])
        .select(['linked_at', 'epoch', 'number', 'owner'])
        .where('instances.id', 'in', ids)
        .orderBy('instances.id'),
    )
    const rows = found.filter(({ owner }) => free.has(owner))
    const changed: InstanceRow[] = []
    for (const [change, own] of Map.groupBy(rows, changeOf))
      changed.push(...(await take(tx, { node, now, change, ids: own.map(({ id }) => id) })))
    await appendInstanceEvents(tx, changed, 'instance.status_changed', now)
    const instances = rows.map(({ number: _, owner: __, ...row }) => ({
      ...row,
      status: changeOf(row)?.status ?? row.status,
      epoch: row.epoch + 1,
    }))
    const numbers = rows.map(({ number }) => number)
    if (numbers.length === 0) return { instances, numbers, recovered: nothingRecovered }
    const { dedupingNetworks, limit } = args
    const about = { instances: numbers, now, dedupingNetworks, after: firstPlace, limit }
    return { instances, numbers, recovered: await recoverPart(tx, about) }
  },
  { touches: ({ candidates }) => organizationsOf(candidates) },
)

/** The status that an instance gets because of the last order, or because it is not connected any more. */
interface StatusChange {
  readonly status: InstanceStatus
  readonly reason: string | null
}

const stops: StatusChange = { status: 'stopped', reason: JSON.stringify(orderReasons.stop) }
const removes: StatusChange = { status: 'deleting', reason: JSON.stringify(orderReasons.remove) }
const connects: StatusChange = { status: 'connecting', reason: null }

function changeOf({ wanted, status }: Pick<InstanceToRun, 'wanted' | 'status'>): StatusChange | null {
  if (wanted === 'running')
    return status === 'connected' || status === 'reconnecting' || status === 'awaiting_link' ? connects : null
  const change = wanted === 'stopped' ? stops : removes
  return change.status === status ? null : change
}

interface Taking {
  readonly node: string
  readonly now: number
  readonly change: StatusChange | null
  readonly ids: readonly string[]
}

/** Writes each row once, because a row of an instance has many indexes; returns those whose status is another now. */
async function take(tx: Transaction, { node, now, change, ids }: Taking): Promise<InstanceRow[]> {
  const taken = tx.sql
    .updateTable('instances')
    .set((eb) => ({ owner: node, epoch: eb('epoch', '+', 1) }))
    .where('id', 'in', ids)
  if (!change) {
    await tx.run(taken)
    return []
  }
  const past = { status_since: now, next_attempt_at: null, link: null }
  return await tx.all(taken.set({ ...past, ...change }).returning(columns))
}

const freeOwn = batchStatement({ id: 'text', organization: 'text', node: 'text' })((sql, given) =>
  sql
    .updateTable('instances')
    .set({ owner: null })
    .where('owner', '=', given('node'))
    .where('id', '=', given('id'))
    .where('organization_id', '=', given('organization')),
)

/** Lets another node take an instance over. Only for the node that runs it, after all that it did for it has ended. */
export const releaseInstance = transactionOfMany(
  'instances.release',
  async (tx, released: readonly { id: string; organization: string; node: string }[]): Promise<null[]> => {
    await tx.runForEach(freeOwn, released)
    return released.map(() => null)
  },
  { touches: ({ organization }) => [organization] },
)

/** Instances of a node for which messages or callbacks wait, that other nodes may have accepted; by their ids, so many at a time. */
export const listWaiting = read('instances.waiting', (reader, { node, after, limit }: OwnArgs) => {
  const waiting = instancesOf(reader, node, after)
    .select(['id', 'queue_depth', 'waiting_callbacks'])
    .where((eb) => eb.or([eb('queue_depth', '>', 0), eb('waiting_callbacks', '>', 0)]))
  return reader.all(waiting.limit(limit))
})

export const takeOverFunctions: StoreFunctions = {
  reads: [listOwn, findFree, hasFreeInstances, countInstances, countExcess, listWaiting],
  transactions: [takeOverInstances, releaseInstance],
}
