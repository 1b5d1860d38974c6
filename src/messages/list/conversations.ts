import type { RowOf } from '../../store/schema.ts'
import { batchOf } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'

/*
 * The conversations with their last messages, for the list of them. They are kept block by block as the index of lists is, so that a message
 * that is accepted changes nothing here; those of the open block are read from its messages (docs/decisions/0052).
 */

type Last = Pick<RowOf<'messages'>, 'organization_id' | 'instance_name' | 'recipient' | 'seq'>

const keepLast = batchOf('conversations', ['organization_id', 'instance_name', 'address', 'last_seq'])(
  (sql, row) =>
    sql
      .insertInto('conversations')
      .values(row)
      .onConflict((on) =>
        on
          .columns(['organization_id', 'instance_name', 'address'])
          .doUpdateSet((eb) => ({ last_seq: eb.ref('excluded.last_seq') })),
      ),
)

/** Keeps the last message of each conversation among these, which are in their order, and the newest of all that are kept. */
export async function keepConversations(tx: Transaction, messages: readonly Last[]): Promise<void> {
  const last = new Map<string, RowOf<'conversations'>>()
  for (const { organization_id, instance_name, recipient: address, seq } of messages)
    last.set(nameOf(organization_id, instance_name, address), {
      ...{ organization_id, instance_name, address },
      last_seq: seq,
    })
  const byName = [...last].sort(([a], [b]) => (a < b ? -1 : 1))
  await tx.runForEach(
    keepLast,
    byName.map(([, kept]) => kept),
  )
}

/** Forgets the conversations whose last messages are these. */
export async function forgetConversations(
  tx: Transaction,
  messages: readonly Pick<Last, 'organization_id' | 'seq'>[],
): Promise<void> {
  for (const [organization, own] of Map.groupBy(messages, (row) => row.organization_id)) {
    const numbers = own.map(({ seq }) => seq)
    await tx.run(
      tx.sql
        .deleteFrom('conversations')
        .where('organization_id', '=', organization)
        .where('last_seq', 'in', numbers),
    )
  }
}

const nameOf = (...parts: readonly string[]) => parts.join('\n')
