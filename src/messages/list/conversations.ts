import { hash } from 'node:crypto'
import { batchOf } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'
import type { MessageRow } from '../message.ts'

/*
 * The conversations with their last messages, for the list of them. They are kept block by block as the index of lists is, so that a message
 * that is accepted changes nothing here; those of messages that are in no block yet are read from these (docs/decisions/0052).
 * Rows are short, because each stands in a page of its own among very many: their keys are digests.
 */

type Last = Pick<MessageRow, 'organization_id' | 'instance_name' | 'recipient' | 'seq'>

/** A digest of a conversation, of 80 bits: so that it stands for no other. */
export function conversationKey(organization: string, instance: string, address: string): Uint8Array {
  return hash('sha256', `${organization}\n${instance}\n${address}`, 'buffer').subarray(0, 10)
}

/** A digest of an organization, of 48 bits: who finds conversations by it looks at the organization of their messages. */
export function organizationKey(organization: string): number {
  return hash('sha256', organization, 'buffer').readUIntBE(0, 6)
}

const keepLast = batchOf('conversations', ['key', 'organization', 'last_seq'])((sql, row) =>
  sql
    .insertInto('conversations')
    .values(row)
    .onConflict((on) => on.column('key').doUpdateSet((eb) => ({ last_seq: eb.ref('excluded.last_seq') }))),
)

/** Keeps the last message of each conversation among these, which are in their order, and the newest of all that are kept. */
export async function keepConversations(tx: Transaction, messages: readonly Last[]): Promise<void> {
  const last = new Map<string, Last>()
  for (const message of messages)
    last.set(`${message.organization_id}\n${message.instance_name}\n${message.recipient}`, message)
  const kept = [...last.values()].map(({ organization_id, instance_name, recipient, seq }) => ({
    key: conversationKey(organization_id, instance_name, recipient),
    organization: organizationKey(organization_id),
    last_seq: seq,
  }))
  // In the order of the tree, so that neighbours are changed together.
  kept.sort((a, b) => Buffer.compare(a.key, b.key))
  await tx.runForEach(keepLast, kept)
}

const removeLast = batchOf('conversations', ['organization', 'last_seq'])((sql, row) =>
  sql
    .deleteFrom('conversations')
    .where('organization', '=', row.organization)
    .where('last_seq', '=', row.last_seq),
)

/** Forgets the conversations whose last messages are these. */
export function forgetConversations(
  tx: Transaction,
  messages: readonly Pick<Last, 'organization_id' | 'seq'>[],
): void {
  const keys = new Map<string, number>()
  const keyOf = (organization: string) => {
    const key = keys.get(organization) ?? organizationKey(organization)
    keys.set(organization, key)
    return key
  }
  tx.sendForEach(
    removeLast,
    messages.map(({ organization_id, seq }) => ({ organization: keyOf(organization_id), last_seq: seq })),
  )
}
