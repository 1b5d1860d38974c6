import type { Node } from '../contract/operations/node-operations.ts'
import { timestamp } from '../runtime/clock.ts'
import type { Reader } from '../store/store.ts'
import { read, type StoreFunctions, touchesNothing, transaction } from '../store/store.ts'
import { housekeeping } from './duties.ts'
import { isRun, type NodeRow } from './node-store.ts'

/** A node with what it does. */
export interface NodeOverview extends NodeRow {
  /** The time of the database. */
  readonly now: number
  readonly instances: number
  readonly duties: readonly string[]
}

/** Reads all nodes with what they do. */
export const readNodes = read('nodes.overview', async (reader, _: null): Promise<NodeOverview[]> => {
  const nodes = await reader.all(
    reader.sql.selectFrom('nodes').selectAll().select(reader.dialect.now.as('now')).orderBy('id'),
  )
  const counts = await instancesByOwner(reader)
  const duties = await reader.all(reader.sql.selectFrom('duties').select(['name', 'owner']))
  return nodes.map((node) => ({
    ...node,
    now: Number(node.now),
    instances: counts.get(node.id) ?? 0,
    duties: duties.filter(({ owner }) => owner === node.id).map(({ name }) => name),
  }))
})

async function instancesByOwner(reader: Reader): Promise<ReadonlyMap<string | null, number>> {
  const counted = await reader.all(
    reader.sql
      .selectFrom('instances')
      .select(({ fn }) => ['owner', fn.countAll<number | string>().as('count')])
      .groupBy('owner'),
  )
  return new Map(counted.map(({ owner, count }) => [owner, Number(count)]))
}

/** The node that shows the others, and for how many milliseconds it trusts one that is not seen. */
export interface Viewer {
  /** Undefined for a command, which is no node. */
  readonly id: string | undefined
  readonly trustedFor: number
}

function statusOf(node: NodeOverview, { id, trustedFor }: Viewer): Node['status'] {
  if (!isRun(node)) return 'gone'
  if (node.id !== id && node.now - node.seen_at >= trustedFor) return 'silent'
  return node.draining === 1 ? 'draining' : 'running'
}

/** Returns the node as the contract shows it. */
export function renderNode(node: NodeOverview, viewer: Viewer): Node {
  const isViewer = node.id === viewer.id
  // The process of an own store never beats; that it responds shows that it runs.
  const seenAt = isViewer ? node.now : node.seen_at
  const parts = node.duties.filter((duty) => duty !== housekeeping)
  const isGone = !isRun(node)
  return {
    id: node.id,
    status: statusOf(node, viewer),
    version: node.version,
    started_at: timestamp(node.started_at),
    last_seen_at: timestamp(seenAt),
    instances: node.instances,
    keeps_house: !isGone && node.duties.includes(housekeeping),
    delivery_parts: isGone ? 0 : parts.length,
    responded: isViewer,
  }
}

interface DrainArgs extends Pick<Viewer, 'trustedFor'> {
  readonly id: string
}

/**
 * Makes a node give its instances away, until its process is started again. The nodes are locked against other drains, in their
 * order, so that one is left that takes instances and was seen within `trustedFor` milliseconds.
 */
export const drainNode = transaction(
  'nodes.drain',
  async (tx, { id, trustedFor }: DrainArgs): Promise<'done' | 'not_found' | 'no_other'> => {
    const query = tx.sql.selectFrom('nodes').selectAll().select(tx.dialect.now.as('now')).orderBy('id')
    const nodes = await tx.all(tx.dialect.name === 'postgres' ? query.forNoKeyUpdate() : query)
    const node = nodes.find((each) => each.id === id)
    if (!node) return 'not_found'
    if (!isRun(node) || node.draining === 1) return 'done'
    const takes = (other: NodeRow & { readonly now: number | string }) =>
      isRun(other) && other.draining === 0 && Number(other.now) - other.seen_at < trustedFor
    if (!nodes.some((other) => other.id !== id && takes(other))) return 'no_other'
    await tx.run(tx.sql.updateTable('nodes').set({ draining: 1 }).where('id', '=', id))
    return 'done'
  },
  { touches: touchesNothing },
)

/** Forgets the nodes that are gone, were not seen for so many milliseconds and have no instance; returns how many. */
export const forgetNodes = transaction(
  'nodes.forget',
  async (tx, { kept }: { kept: number }): Promise<number> => {
    const old = tx.sql
      .deleteFrom('nodes')
      .where('boot', '=', '')
      .where((eb) => eb('seen_at', '<', eb(tx.dialect.now, '-', kept)))
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('instances').select('owner').whereRef('owner', '=', 'nodes.id'))),
      )
    const forgotten = await tx.run(old)
    await tx.run(
      tx.sql
        .deleteFrom('rate_use')
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('nodes').select('id').whereRef('nodes.id', '=', 'rate_use.node'))),
        ),
    )
    return forgotten
  },
  { touches: touchesNothing },
)

export const nodeOverviewFunctions: StoreFunctions = {
  reads: [readNodes],
  transactions: [drainNode, forgetNodes],
}
