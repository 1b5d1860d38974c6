import { newestStep, whyUnfit } from '../store/migrations/index.ts'
import { appliedSteps } from '../store/migrations/migrate.ts'
import type { RowOf } from '../store/schema.ts'
import { statement } from '../store/statement.ts'
import {
  briefRead,
  type Fence,
  LeaseTaken,
  type NodeBoot,
  type Reader,
  read,
  type StoreFunctions,
  type Transaction,
  touchesNothing,
  transaction,
} from '../store/store.ts'

/** A node as it is stored. */
export type NodeRow = RowOf<'nodes'>

/** A node that no process runs has no boot. */
export const isRun = ({ boot }: Pick<NodeRow, 'boot'>): boolean => boot !== ''

/**
 * Reads the ids of the nodes that take instances and work, in their order: those that do not drain. If all drain, all take, because what no
 * node runs stands still.
 */
export async function readTakers(reader: Reader): Promise<string[]> {
  const nodes = reader.sql.selectFrom('nodes').select(['id', 'draining']).where('boot', '!=', '')
  const running = await reader.all(nodes.orderBy('id'))
  const takers = running.filter(({ draining }) => draining === 0)
  return (takers.length > 0 ? takers : running).map(({ id }) => id)
}

/** Waits, where others write as well, until no group of the node's process is open. */
async function locked(tx: Transaction, id: string): Promise<NodeRow | undefined> {
  const query = tx.sql.selectFrom('nodes').selectAll().where('id', '=', id)
  return await tx.first(tx.dialect.name === 'postgres' ? query.forUpdate() : query)
}

/**
 * Makes this process the one that runs the node. One that ran it before is gone, or is fenced off from here on. Returns why this version
 * cannot use the store, which others may have contracted since it was opened; null if it can.
 */
export const joinNode = transaction(
  'nodes.join',
  async (tx, node: Omit<NodeRow, 'beat' | 'draining' | 'schema' | 'seen_at'>): Promise<string | null> => {
    const row = { ...node, schema: newestStep(), beat: 0, draining: 0, seen_at: tx.dialect.now }
    if (await locked(tx, node.id))
      await tx.run(tx.sql.updateTable('nodes').set(row).where('id', '=', node.id))
    else await tx.run(tx.sql.insertInto('nodes').values(row))
    const unfit = whyUnfit(await appliedSteps(tx))
    if (!unfit) return null
    await tx.run(tx.sql.updateTable('nodes').set({ boot: '' }).where('id', '=', node.id))
    return unfit
  },
  { touches: touchesNothing },
)

/** Shows that the process runs, and returns its beat. Only for the one whose fence has made sure that the node is still its own. */
export const beat = transaction(
  'nodes.beat',
  async (tx, { id, boot }: NodeBoot): Promise<number> => {
    const beaten = tx.sql
      .updateTable('nodes')
      .set((eb) => ({ beat: eb('beat', '+', 1), seen_at: tx.dialect.now }))
      .where('id', '=', id)
      .where('boot', '=', boot)
      .returning('beat')
    return (await tx.first(beaten))?.beat ?? 0
  },
  { touches: touchesNothing },
)

/** Notes that no other node runs on a store in a data folder, whose lock this process holds. */
export const endOthers = transaction(
  'nodes.end-others',
  async (tx, { id }: Pick<NodeRow, 'id'>): Promise<void> => {
    await tx.run(tx.sql.updateTable('nodes').set({ boot: '' }).where('id', '!=', id))
  },
  { touches: touchesNothing },
)

/** The process ends, and its instances are free. */
export const leaveNode = transaction(
  'nodes.leave',
  async (tx, { id, boot }: NodeBoot): Promise<void> => {
    const left = tx.sql.updateTable('nodes').set({ boot: '' })
    await tx.run(left.where('id', '=', id).where('boot', '=', boot))
  },
  { touches: touchesNothing },
)

/**
 * Declares that no process runs a node any longer, if its last one was not heard since this beat. What that process has under way
 * is waited for, and it writes nothing after this. Returns true if it is gone.
 */
export const declareGone = transaction(
  'nodes.gone',
  async (tx, seen: Pick<NodeRow, 'id' | 'boot' | 'beat'>): Promise<boolean> => {
    const row = await locked(tx, seen.id)
    if (row?.boot !== seen.boot || row.beat !== seen.beat) return false
    await tx.run(tx.sql.updateTable('nodes').set({ boot: '' }).where('id', '=', seen.id))
    return true
  },
  { touches: touchesNothing },
)

const everyNode = statement<Record<never, never>>()((sql) =>
  sql.selectFrom('nodes').selectAll().orderBy('id'),
)

export const listNodes = briefRead(
  'nodes.list',
  (reader, _: null): Promise<NodeRow[]> => reader.all(everyNode, {}),
)

/** A node whose process has beaten within this time, in milliseconds, counts as running for a command, which does not watch it. */
const recently = 18_000

/** A node that may be running, for so many milliseconds more if it is not seen again. */
export interface RunningNode extends Pick<NodeRow, 'id' | 'media'> {
  readonly left: number
}

/** The nodes that may be running: those that were seen last come first. */
export const findRunning = read('nodes.running', async (reader, _: null): Promise<RunningNode[]> => {
  const running = reader.sql
    .selectFrom('nodes')
    .select(['id', 'media', 'seen_at', reader.dialect.now.as('now')])
    .where('boot', '!=', '')
    .orderBy('seen_at', 'desc')
  const seen = await reader.all(running)
  const told = seen.map(({ id, media, seen_at, now }) => ({
    id,
    media,
    left: seen_at + recently - Number(now),
  }))
  return told.filter(({ left }) => left > 0)
})

const keptBoot = statement<{ id: string }>()((sql, argument) =>
  sql.selectFrom('nodes').select('boot').where('id', '=', argument('id')).forKeyShare(),
)

/**
 * Begins every group of writes of a node's process. It locks the row until their commit: the node is not declared gone while they are
 * under way, and none of them is committed after it was.
 */
export const stillRun: Fence = async (tx, { id, boot }) => {
  const row = await tx.first(keptBoot, { id })
  if (row?.boot !== boot)
    throw new LeaseTaken('other nodes have declared this one gone, or another process runs it')
}

export const nodeFunctions: StoreFunctions = {
  reads: [listNodes, findRunning],
  transactions: [joinNode, endOthers, beat, leaveNode, declareGone],
}
