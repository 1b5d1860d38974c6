import type { MessageDirection } from '../../../src/contract/resources/message.ts'
import { storeFunctions } from '../../../src/gateway/transactions.ts'
import { noteContact } from '../../../src/messages/contacts/contact-store.ts'
import { enterBlock, forgetEmptyBlocks } from '../../../src/messages/list/message-index.ts'
import { numberInstance, numberOf } from '../../../src/messages/message-instances.ts'
import { firstIdAt } from '../../../src/runtime/ids.ts'
import { type StoreFunctions, type Transaction, transaction } from '../../../src/store/store.ts'
import { kept } from '../../../src/store/tables/kept-message.ts'

/** The fields of a message that matter to lists. */
export interface ListedMessage {
  readonly seq: number
  readonly organization: string
  readonly instance: string
  readonly direction: MessageDirection
  readonly conversation: string
  readonly clientRef: string | null
  readonly status: 'sent' | 'failed'
  readonly text: string
  readonly createdAt: number
}

/**
 * Returns the time at which the id of a message was made, in milliseconds since the epoch: one message follows another by a
 * second.
 */
export function timeOf({ seq }: { readonly seq: number }): number {
  return seq * 1_000
}

/** The message's id. Its time is the one above. */
export function idOf(message: { readonly seq: number }): string {
  return firstIdAt('msg', timeOf(message))
}

/** Returns the number of the instance of a message, which is new if no message before had it. */
async function numberFor(
  tx: Transaction,
  { organization, instance }: Pick<ListedMessage, 'organization' | 'instance'>,
): Promise<number> {
  const id = organization === 'org_a' ? instance : `${instance} of ${organization}`
  const known = await numberOf(tx, id)
  if (known > 0) return known
  const row = { id: organization, name: organization, created_at: 0 }
  await tx.run(
    tx.sql
      .insertInto('organizations')
      .values(row)
      .onConflict((on) => on.doNothing()),
  )
  await numberInstance(tx, { id, organization_id: organization, name: instance })
  return await numberOf(tx, id)
}

/** Leaves exactly these messages in the store. */
export const keepMessages = transaction(
  'test.keep-messages',
  async (tx, messages: readonly ListedMessage[]) => {
    await tx.run(tx.sql.deleteFrom('messages'))
    await tx.run(tx.sql.deleteFrom('conversations'))
    const all = { oldest: Number.MAX_SAFE_INTEGER, from: 0 }
    while ((await forgetEmptyBlocks(tx, all)).more);
    await tx.run(tx.sql.deleteFrom('message_instances'))
    for (const message of messages) {
      await tx.run(
        tx.sql.insertInto('messages').values({
          seq: message.seq,
          id: idOf(message),
          instance: await numberFor(tx, message),
          incoming: message.direction === 'inbound' ? 1 : 0,
          recipient: message.conversation,
          ...kept({ kind: 'text', status: message.status }),
          text: message.text,
          client_ref: message.clientRef,
          created_at: message.createdAt,
          expires_at: 0,
        }),
      )
    }
    // A server may not have come to all blocks yet.
    const most = messages.length % 3 === 0 ? 1 : Number.POSITIVE_INFINITY
    for (let entered = 0; entered < most && (await enterBlock.run(tx, null)); entered++);
  },
)

/** A message of the instance `first`, as far as it matters to what is unread. */
export interface CountedMessage {
  readonly seq: number
  readonly conversation: string
  readonly kind: 'text' | 'reaction'
  readonly isIncoming: boolean
  /** True for one that retention leaves, because its file is not fetched yet. */
  readonly stays: boolean
}

/** The id of such a message at the network. */
export const networkIdOf = ({ seq }: { readonly seq: number }) => `n${seq}`

/** Adds messages to the store, in no block yet. */
export const addMessages = transaction(
  'test.add-messages',
  async (tx, messages: readonly CountedMessage[]) => {
    for (const message of messages) {
      const { seq, conversation, kind, isIncoming, stays } = message
      const owner = { organization: 'org_a', instance: 'first' }
      await tx.run(
        tx.sql.insertInto('messages').values({
          ...{ seq, id: idOf(message), network_message_id: networkIdOf(message), recipient: conversation },
          instance: await numberFor(tx, owner),
          incoming: isIncoming ? 1 : 0,
          ...kept({ kind, status: isIncoming ? 'received' : 'sent' }),
          ...{ text: 'Hello.', awaits_file: stays ? 1 : 0, created_at: timeOf(message), expires_at: 0 },
        }),
      )
    }
  },
)

/** Keeps an instance that knows a person by several addresses. */
export const keepPerson = transaction(
  'test.keep-person',
  async (
    tx,
    {
      organization,
      instance,
      addresses,
    }: { organization: string; instance: string; addresses: readonly string[] },
  ) => {
    await tx.run(
      tx.sql.insertInto('organizations').values({ id: organization, name: organization, created_at: 0 }),
    )
    await tx.run(
      tx.sql.insertInto('instances').values({
        id: instance,
        organization_id: organization,
        name: instance,
        network: 'sandbox',
        wanted: 'running',
        status: 'connected',
        status_since: 0,
        settings: '{}',
        credentials: new Uint8Array(),
        metadata: '{}',
        created_at: 0,
        updated_at: 0,
      }),
    )
    await noteContact(tx, { organization, instance, limit: null }, { addresses, wroteAt: null }, 0)
  },
)

/** The store functions of Posthorn, and those that this test adds. */
export const listedFunctions: StoreFunctions = {
  reads: storeFunctions.reads,
  transactions: [...storeFunctions.transactions, keepMessages, keepPerson, addMessages],
}
