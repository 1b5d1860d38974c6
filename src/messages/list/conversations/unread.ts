import { maxUnread } from '../../../contract/resources/conversation.ts'
import { batchOf, batchStatement, statement } from '../../../store/statement.ts'
import { isForeign, type OfTurn, type Reader, type Transaction, transaction } from '../../../store/store.ts'
import { aliasesOf } from '../../contacts/contact-store.ts'
import { isNamed, type NetworkIds, networkIdsIn } from '../../message.ts'
import { conversationKey, countedIn, organizationKey } from '../conversation-rows.ts'
import { firstOfBlock, firstOpenBlock } from '../message-index.ts'
import { type Listed, listMessages } from '../message-list.ts'

/*
 * A message that is received changes no count. What is in no block yet is counted when it is asked for, and each block adds its
 * messages to the row of the conversation; a mark subtracts there what was read of the messages in no block yet
 * (docs/decisions/0092).
 */

/** Most reads in search of the messages after a mark, each short because a transaction is short. */
const readsTogether = 5
const messagesTogether = maxUnread / readsTogether

/** The place up to which a conversation was read. */
export interface ReadMark extends OfTurn {
  readonly instanceId: string
  /** An address of the conversation. */
  readonly conversation: string
  /** The id at the network, or ours, of the last message that was read; null if everything was. */
  readonly upTo: string | null
}

interface OpenCount {
  readonly address: string
  /** Messages in no block yet that count as unread, and the newest of all. */
  readonly received: number
  readonly newest: number
}

/**
 * Notes that the account read a conversation up to a message, and what was sent to other addresses of the person. A mark never moves
 * back, and one at a message that is not known changes nothing.
 */
export const markConversationRead = transaction(
  'conversations.read',
  async (tx, { instanceId, conversation, upTo, ...turn }: ReadMark): Promise<void> => {
    const instance = await tx.first(
      tx.sql
        .selectFrom('message_instances')
        .select(['number', 'organization_id', 'instance_name'])
        .where('instance_id', '=', instanceId),
    )
    if (!instance || isForeign(turn, instance.organization_id)) return
    const addresses = await aliasesOf(tx, { instance: instanceId, address: conversation })
    const there = { ...instance, addresses }
    const readSeq = upTo === null ? null : await numberOf(tx, there, upTo)
    if (readSeq === undefined) return
    const open = await openCounts(tx, there)
    const rows = await keptCounts(tx, there)
    const before = sum(open.map(({ received }) => received)) + sum(rows.map(({ unread }) => unread))
    const left = readSeq === null ? new Map<string, number>() : await receivedAfter(tx, there, readSeq)
    if (sum([...left.values()]) >= before && before <= maxUnread) return
    const newest = Math.max(0, ...open.map((one) => one.newest), ...rows.map(({ last_seq }) => last_seq))
    const organization = organizationKey(instance.organization_id)
    const marked = addresses.flatMap((address) => {
      const inOpen = open.find((one) => one.address === address)
      const key = conversationKey(instance.organization_id, instance.instance_name, address)
      const row = rows.find((one) => Buffer.compare(one.key, key) === 0)
      const last_seq = inOpen?.newest ?? row?.last_seq
      const unread = (left.get(address) ?? 0) - (inOpen?.received ?? 0)
      return last_seq === undefined ? [] : [{ key, organization, last_seq, unread }]
    })
    await tx.runForEach(
      keepMark,
      marked.map((row) => ({ ...row, read_seq: readSeq ?? newest })),
    )
  },
  { isToldTurn: true },
)

const keepMark = batchOf('conversations', ['key', 'organization', 'last_seq', 'unread', 'read_seq'])(
  (sql, row) =>
    sql
      .insertInto('conversations')
      .values(row)
      .onConflict((on) =>
        on.column('key').doUpdateSet((eb) => ({
          unread: eb.ref('excluded.unread'),
          read_seq: eb.ref('excluded.read_seq'),
        })),
      ),
)

interface Place {
  readonly number: number
  readonly organization_id: string
  readonly instance_name: string
  readonly addresses: readonly string[]
}

const selectNumber = statement<NetworkIds & { instance: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'recipient'])
    .where(isNamed(argument))
    .where('instance', '=', argument('instance')),
)

/** The number of a message of this conversation; undefined if there is none. */
async function numberOf(
  tx: Transaction,
  { number, addresses }: Place,
  id: string,
): Promise<number | undefined> {
  const found = await tx.first(selectNumber, { instance: number, ...networkIdsIn(id) })
  return found && addresses.includes(found.recipient) ? found.seq : undefined
}

/** Counts what is in no block yet of some conversations. */
async function openCounts(reader: Reader, { number, addresses }: Place): Promise<OpenCount[]> {
  const open = firstOfBlock(await firstOpenBlock(reader))
  return await reader.all(
    reader.sql
      .selectFrom('messages')
      .select(['recipient as address', ({ fn }) => fn.max<number>('seq').as('newest')])
      .select((eb) => countedIn(eb).as('received'))
      .where('seq', '>=', open)
      .where('instance', '=', number)
      .where('recipient', 'in', addresses)
      .groupBy('recipient'),
  )
}

const selectKept = batchStatement({ key: 'bytes' })((sql, given) =>
  sql
    .selectFrom('conversations')
    .select(['key', 'last_seq', 'unread', 'read_seq'])
    .where('key', '=', given('key')),
)

/** The rows of some conversations. */
async function keptCounts(reader: Reader, { organization_id, instance_name, addresses }: Place) {
  return await reader.allForEach(
    selectKept,
    addresses.map((address) => ({ key: conversationKey(organization_id, instance_name, address) })),
  )
}

/** Counts the messages that were received in a conversation after one of them by their addresses, up to about `maxUnread`. */
async function receivedAfter(
  reader: Reader,
  { organization_id, instance_name, addresses }: Place,
  seq: number,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  let place: Listed['goOn'] | { below: number; downTo: number } = {
    below: Number.MAX_SAFE_INTEGER,
    downTo: seq + 1,
  }
  for (let read = 0; read < readsTogether && place; read++) {
    const listed: Listed = await listMessages.run(reader, {
      organizationId: organization_id,
      instanceName: instance_name,
      seen: null,
      status: null,
      direction: 'inbound',
      conversation: addresses[0] ?? '',
      to: null,
      clientRef: null,
      createdAfter: null,
      createdBefore: null,
      text: null,
      limit: messagesTogether,
      before: null,
      place,
    })
    for (const { conversation, kind } of listed.data)
      if (kind !== 'reaction' && kind !== 'retraction')
        counts.set(conversation, (counts.get(conversation) ?? 0) + 1)
    place = listed.goOn
  }
  const [address = ''] = counts.keys()
  const more = place === null ? 0 : Math.max(0, maxUnread - sum([...counts.values()]))
  return more === 0 ? counts : counts.set(address, (counts.get(address) ?? 0) + more)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
