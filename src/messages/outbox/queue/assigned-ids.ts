import { batchStatement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'

/** The longest id of a network that is stored, in UTF-16 units. */
const longestId = 255

/** An id that a network assigned to a message. */
export interface Assignment {
  readonly seq: number
  /** The number of its instance. */
  readonly instance: number
  readonly assigned: string
}

const selectNamed = batchStatement<Omit<Assignment, 'seq'>>({ instance: 'bigint', assigned: 'text' })(
  (sql, given) =>
    sql
      .selectFrom('messages')
      .select(['seq', 'instance', 'network_message_id'])
      .where('network_message_id', '=', given('assigned'))
      .where('instance', '=', given('instance')),
)

/**
 * Returns the assigned ids that can be stored, by the number of their message. A network that gives an id to two messages of
 * an instance, or one that no store can hold, must not stop the others: such a message goes without.
 */
export async function usableIds(
  tx: Transaction,
  assignments: readonly Assignment[],
): Promise<ReadonlyMap<number, string>> {
  const fitting = assignments.filter(({ assigned }) => fits(assigned))
  const owners = new Map<string, number>()
  for (const row of await tx.allForEach(selectNamed, fitting))
    owners.set(`${row.instance} ${row.network_message_id}`, row.seq)
  const usable = new Map<number, string>()
  for (const { seq, instance, assigned } of fitting) {
    const name = `${instance} ${assigned}`
    const owner = owners.get(name) ?? seq
    owners.set(name, owner)
    if (owner === seq) usable.set(seq, assigned)
  }
  return usable
}

function fits(id: string): boolean {
  return id !== '' && id.length <= longestId && id.isWellFormed() && !id.includes('\u0000')
}
