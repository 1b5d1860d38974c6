import {
  briefRead,
  type Reader,
  type StoreFunctions,
  type Transaction,
  touchesNothing,
  transaction,
} from '../store/store.ts'
import { readTakers } from './node-store.ts'

interface TakeArgs {
  readonly node: string
  /** All duties that there are. */
  readonly names: readonly string[]
}

export interface HeldDuties {
  readonly held: readonly string[]
  /** Those of them that other nodes should have, because this one has more than its share. */
  readonly over: readonly string[]
}

/** Makes the rows of duties that are new, on every node the same. */
async function insertMissing(tx: Transaction, names: readonly string[]): Promise<void> {
  const rows = names.map((name) => ({ name, owner: null }))
  await tx.run(
    tx.sql
      .insertInto('duties')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing()),
  )
}

interface SeenDuties extends HeldDuties {
  /** Those that it should take. */
  readonly free: readonly string[]
}

/** The duties as a node finds them: each node should have an equal part, and one that gives its instances away none. */
async function seen(reader: Reader, { node, names }: TakeArgs): Promise<SeenDuties> {
  const kept = await reader.all(reader.sql.selectFrom('duties').select(['name', 'owner']).orderBy('name'))
  const owners = new Map(kept.map(({ name, owner }) => [name, owner]))
  const running = await reader.all(reader.sql.selectFrom('nodes').select('id').where('boot', '!=', ''))
  const takers = await readTakers(reader)
  const share = takers.includes(node) ? Math.ceil(names.length / takers.length) : 0
  const held = names.filter((name) => owners.get(name) === node)
  const isFree = (name: string) => !running.some(({ id }) => id === owners.get(name))
  const free = names.filter(isFree).slice(0, Math.max(0, share - held.length))
  return { held, free, over: running.length > 1 ? held.slice(share) : [] }
}

/** Looks at the duties without taking any. */
export const lookAtDuties = briefRead('duties.look', seen)

/** Takes the duties that no running node has, up to the share of this one. */
export const takeDuties = transaction('duties.take', async (tx, args: TakeArgs): Promise<HeldDuties> => {
  await insertMissing(tx, args.names)
  const { held, free, over } = await seen(tx, args)
  if (free.length > 0)
    await tx.run(tx.sql.updateTable('duties').set({ owner: args.node }).where('name', 'in', free))
  return { held: [...held, ...free], over }
})

/** Lets another node take a duty. Only for the node that has it. */
export const releaseDuty = transaction(
  'duties.release',
  async (tx, { node, duty }: { node: string; duty: string }): Promise<void> => {
    const released = tx.sql.updateTable('duties').set({ owner: null })
    await tx.run(released.where('name', '=', duty).where('owner', '=', node))
  },
  { touches: touchesNothing },
)

export const dutyFunctions: StoreFunctions = {
  reads: [lookAtDuties],
  transactions: [takeDuties, releaseDuty],
}
