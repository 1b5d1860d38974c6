import type { Relation } from '../../contract/resources/message.ts'
import type { RelationType } from '../../contract/statuses.ts'
import { statement } from '../../store/statement.ts'
import type { Transaction } from '../../store/store.ts'
import { isNamed, type NetworkIds, networkIdOf, networkIdsIn } from '../message.ts'

/** A reference of an incoming message to an earlier one, as its writer names it. */
export interface Reference {
  readonly type: RelationType
  readonly message: string | null
}

/** The place of a reference: it can only lead to messages of the same instance and conversation. */
interface Written {
  /** The number of the instance. */
  readonly instance: number
  readonly conversation: string
  /** Null for the account itself. */
  readonly sender: string | null
  /** All addresses of the person, if there are more: the conversation is one, under any of them. */
  readonly aliases: readonly string[]
}

interface Place {
  /** The number of the instance. */
  readonly instance: number
  readonly conversation: string
}

const selectSent = statement<Place & NetworkIds>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['id', 'network_message_id', 'id_assigned'])
    .where('instance', '=', argument('instance'))
    .where(isNamed(argument))
    .where('recipient', '=', argument('conversation'))
    .where('incoming', '=', 0),
)

/** Writers may give one id to many messages: the latest is meant. */
const selectReceived = statement<Place & { message: string }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['id', 'network_message_id', 'id_assigned', 'sender'])
    .where('instance', '=', argument('instance'))
    .where('recipient', '=', argument('conversation'))
    .where('sender_message_id', '=', argument('message'))
    .orderBy('seq', 'desc')
    .limit(1),
)

/** The relation to store, with the message that it means if that is here. */
export async function resolveReference(
  tx: Transaction,
  { type, message }: Reference,
  { instance, conversation, sender, aliases }: Written,
): Promise<Relation> {
  const unknown = { type, message_id: null, network_message_id: message }
  if (message === null) return unknown
  // A person corrects or takes back only messages of their own.
  const mustBeOwn = type === 'correction' || type === 'retraction'
  for (const name of new Set([conversation, ...aliases])) {
    const place = { instance, conversation: name }
    const received = await tx.first(selectReceived, { ...place, message })
    const isOwn = received?.sender === sender || (received?.sender && aliases.includes(received.sender))
    // The account also wrote the messages that this server sent.
    const sent =
      mustBeOwn && sender !== null
        ? undefined
        : await tx.first(selectSent, { ...place, ...networkIdsIn(message) })
    const found = sent ?? (isOwn || !mustBeOwn ? received : undefined)
    if (found) return { type, message_id: found.id, network_message_id: networkIdOf(found) }
  }
  return unknown
}
