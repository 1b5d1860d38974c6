import type { MessageContent } from '../../contract/resources/content.ts'
import type { MessageKind } from '../../contract/resources/message.ts'
import { undecryptable } from '../../contract/statuses.ts'
import { changeUsage } from '../../organizations/usage.ts'
import type { RowOf } from '../../store/schema.ts'
import { statement, valuesOf } from '../../store/statement.ts'
import {
  isForeign,
  type OfTurn,
  read,
  type StoreFunctions,
  type Transaction,
  transaction,
} from '../../store/store.ts'
import { kept, seen } from '../../store/tables/kept-message.ts'
import { windowEnd } from '../contacts/reply-window.ts'
import { kindOfContent, wordsOfContent } from '../content/content.ts'
import { wordsFor } from '../marketing/stop-words.ts'
import {
  isNamed,
  type MessageRow,
  messageIdFrom,
  type NetworkIds,
  networkIdsIn,
  withInstance,
} from '../message.ts'
import { appendMessageEvents } from '../message-events.ts'
import { addFile } from '../message-file.ts'
import { timesOf } from '../message-times.ts'
import { storedError } from '../stored-error.ts'
import { isUndecryptable, undecryptableText } from '../undecryptable.ts'
import { contentText } from './chosen.ts'
import { type Contacts, noteContacts, opensWindow } from './contacts-of-messages.ts'
import { findReceived } from './find-received.ts'
import { type IncomingFile, type IncomingMessage, weightOf } from './incoming-message.ts'
import { noteWords } from './marketing-words.ts'
import { resolveReference } from './relation.ts'
import { contentColumns, type NewContent, replaceContent, unsupportedText } from './replacement.ts'

/** The point up to which the messages of an instance are stored without a gap. A null field stays as it was. */
export interface Mark {
  /** As its driver names it. */
  readonly mark: string | null
  /** Milliseconds since the epoch. */
  readonly at: number | null
}

export interface ReceiveArgs extends OfTurn {
  readonly instanceId: string
  /** In the order in which they came. */
  readonly messages: readonly IncomingMessage[]
  /** The mark before which nothing is missing; null if that is not known. */
  readonly mark: Mark | null
  /** Incoming messages that the organization may have; null for any number. */
  readonly limit: number | null
  /** Milliseconds in which a person who wrote may be answered; any time if missing. */
  readonly replyWindow?: number | null
  readonly now: number
}

/** The result of storing incoming messages. */
export interface StoredIncoming {
  /** Messages that are stored, now or since before, counted from the first: there is no room for the others. */
  readonly taken: number
  /** True if there are files to fetch. */
  readonly hasFiles: boolean
}

const selectReceiver = statement<{ id: string }>()((sql, argument) =>
  sql
    .selectFrom('instances')
    .innerJoin('organizations', 'organizations.id', 'instances.organization_id')
    .innerJoin('message_instances', 'message_instances.instance_id', 'instances.id')
    .select(['number', 'instances.organization_id', 'instances.name', 'account', 'marketing_words'])
    .select('marketing_defaults')
    .select(['incoming_messages', 'last_event_at'])
    .where('instances.id', '=', argument('id'))
    .where('wanted', '!=', 'removed'),
)

const insertedColumns = [
  ...contentColumns,
  'id',
  'instance',
  'incoming',
  'sent_elsewhere',
  'sender',
  'account',
  'recipient',
  'status',
  'network_message_id',
  'created_at',
  'sent_after',
  'last_event_after',
  'sender_message_id',
  'aliases',
  'window_ends_at',
] as const

type MessageToInsert = Pick<RowOf<'messages'>, (typeof insertedColumns)[number]>

/** A message that came before is not inserted again. */
const insertIncoming = statement<MessageToInsert>()((sql, argument) =>
  sql
    .insertInto('messages')
    .values({
      ...valuesOf(argument, insertedColumns),
      expires_at: argument('created_at'),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['network_message_id', 'instance'])
        .where('network_message_id', 'is not', null)
        .doNothing(),
    )
    .returningAll(),
)

const moveMark = statement<{ id: string; last: string | null; at: number | null }>()((sql, argument) =>
  sql
    .updateTable('instances')
    .set((eb) => ({
      caught_up_mark: eb.fn.coalesce(eb.val(argument('last')), 'caught_up_mark'),
      caught_up_at: eb.fn.coalesce(eb.val(argument('at')), 'caught_up_at'),
    }))
    .where('id', '=', argument('id')),
)

/**
 * Stores messages that came to an instance, or that its account sent from another client, each once however often it comes, and appends their events; a message whose file
 * has to be fetched gets its event once that is over. An instance that is gone, or is being removed, takes nothing. The mark
 * moves only if all are stored, so messages without room stay after it.
 */
export const receiveMessages = transaction(
  'inbox.receive',
  async (tx, args: ReceiveArgs): Promise<StoredIncoming> => {
    const receiver = await tx.first(selectReceiver, { id: args.instanceId })
    if (!receiver || isForeign(args, receiver.organization_id))
      return { taken: args.messages.length, hasFiles: false }
    const account = receiver.account === null ? null : JSON.parse(receiver.account).address
    const organization = receiver.organization_id
    const place = {
      instance: receiver.number,
      organization_id: organization,
      instance_id: args.instanceId,
      instance_name: receiver.name,
      account,
    }
    const { now, replyWindow = null } = args
    // As `timeOfEvent` finds it.
    const eventAt = Math.max(now, receiver.last_event_at)
    const contacts = await noteContacts(
      tx,
      { organization, instance: args.instanceId, limit: args.limit, now, replyWindow },
      args.messages,
    )
    const kept: Kept[] = []
    const fresh: IncomingMessage[] = []
    const room = args.limit === null ? Number.POSITIVE_INFINITY : args.limit - receiver.incoming_messages
    let used = 0
    let taken = 0
    for (const message of args.messages) {
      if (used >= room && !(await isTold(tx, message, receiver.number))) break
      const one = await keep(tx, message, { ...place, eventAt, replyWindow, contacts })
      if (one) {
        kept.push(one)
        if (one.isNew) fresh.push(message)
        used += weightOf([...(one.row.text ?? '')].length) - (one.isNew ? 0 : weightOf(0))
      }
      taken++
    }
    await changeUsage(tx, organization, { incoming_messages: used })
    const whole = kept.filter(({ row }) => row.awaits_file === 0)
    await appendMessageEvents(tx, whole, args.now)
    const words = wordsFor(receiver.marketing_words, receiver.marketing_defaults)
    await noteWords(tx, { instance: args.instanceId, organization, contacts, words, now }, fresh)
    const { mark } = args
    const isAll = taken === args.messages.length
    if (mark && isAll) await tx.run(moveMark, { id: args.instanceId, last: mark.mark, at: mark.at })
    return { taken, hasFiles: whole.length < kept.length }
  },
  { isToldTurn: true },
)

const selectKnown = statement<NetworkIds & { instance: number }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(['seq', 'unsupported'])
    .where(isNamed(argument))
    .where('instance', '=', argument('instance')),
)

function known(tx: Transaction, message: IncomingMessage, instance: number) {
  return tx.first(selectKnown, { instance, ...networkIdsIn(message.network_message_id) })
}

/** Resolves with true if everything that a message says is stored. */
async function isTold(tx: Transaction, message: IncomingMessage, instance: number): Promise<boolean> {
  const row = await known(tx, message, instance)
  if (!row) return false
  return !isUndecryptable(row) || message.unsupported?.type === undecryptable
}

interface Place extends Pick<MessageRow, 'organization_id' | 'instance_id' | 'instance_name' | 'account'> {
  /** The number of the instance. */
  readonly instance: number
  /** The time of an event that is appended now. */
  readonly eventAt: number
  readonly replyWindow: number | null
  readonly contacts: Contacts
}

const tooLong = storedError({
  code: 'media_refused',
  detail: "The URL of the file, or the network's reference to it, is too long.",
  permanent: true,
})

function kindOf({ unsupported, reference, content, file }: IncomingMessage): MessageKind {
  if (unsupported) return 'unsupported'
  if (reference?.type === 'reaction' || reference?.type === 'retraction') return reference.type
  const kind = kindOfContent(content)
  if (kind !== null) return kind
  // The kind of another file is known once its bytes are there.
  return file ? (file.isSticker ? 'sticker' : 'document') : 'text'
}

const received = { incoming: 1, status: 'received', sent_elsewhere: 0 } as const
const sentElsewhere = { incoming: 0, status: 'sent', sent_elsewhere: 1 } as const

/** Returns the addresses that came with a message besides the one in its row. */
function aliasesIn({ addresses, sender, conversation }: IncomingMessage): string | null {
  const others = addresses.filter((address) => address !== (sender ?? conversation))
  return others.length > 0 ? JSON.stringify(others) : null
}

/** The row of a message that is new, or of one whose content had not come before. */
interface Kept {
  readonly row: MessageRow
  readonly isNew: boolean
}

/** The text of a message that came without one. */
function textWithout(kind: MessageKind, content: MessageContent): string | null {
  if (kindOfContent(content) === kind) return wordsOfContent(content)
  return kind === 'text' ? '' : null
}

/** Undefined if what the message says is stored already. */
async function keep(tx: Transaction, message: IncomingMessage, place: Place): Promise<Kept | undefined> {
  // A network may show what the instance sent as if it had come in. The unique index only knows ids that networks gave.
  const mayBeOwn = messageIdFrom(message.network_message_id) !== null
  if (mayBeOwn && (await known(tx, message, place.instance))) return undefined
  const { id, received_at: created_at } = message
  const kind = kindOf(message)
  const file = kind === 'document' || kind === 'sticker' ? message.file : null
  const fetched = file !== null && (file.url ?? file.reference) !== null
  const { reference, sender, conversation } = message
  const { replyWindow, contacts, ...there } = place
  const { organization_id, instance_id, instance_name } = place
  const aliases = contacts.get(sender ?? conversation) ?? []
  const where = { instance: place.instance, conversation, sender, aliases }
  const isOwn = sender === null
  const relation = reference && (await resolveReference(tx, reference, where))
  const content = {
    kind,
    text: message.text ?? textWithout(kind, message.content),
    network_message_id: message.network_message_id,
    error: file && !fetched ? tooLong : null,
    awaits_file: fetched ? 1 : 0,
    subject: message.subject,
    relation: relation && JSON.stringify(relation),
    unsupported: unsupportedText(message),
    content: await contentText(tx, message.content, relation),
  }
  const inserted = await tx.first(insertIncoming, {
    ...kept({ id, ...(isOwn ? sentElsewhere : received), ...content }),
    ...there,
    account: isOwn ? null : place.account,
    sender,
    recipient: conversation,
    created_at,
    sent_after: message.sent_at - created_at,
    last_event_after: place.eventAt - created_at,
    sender_message_id: message.sender_message_id,
    aliases: aliasesIn(message),
    window_ends_at: opensWindow(message) ? windowEnd(message.sent_at, replyWindow) : null,
  })
  const row = inserted ?? (await replace(tx, content, place))
  if (!row) return undefined
  if (file) await keepFile(tx, row.id, file, { ...place, fetchAt: fetched ? created_at : null })
  return {
    row: { ...seen(row), ...timesOf(row), organization_id, instance_id, instance_name },
    isNew: inserted !== undefined,
  }
}

/** Gives a message its content that could not be decrypted before; undefined if there is none. */
async function replace(
  tx: Transaction,
  content: NewContent,
  { instance, eventAt }: Place,
): Promise<RowOf<'messages'> | undefined> {
  if (content.unsupported === undecryptableText) return undefined
  return await tx.first(replaceContent, { ...kept(content), instance, eventAt })
}

async function keepFile(
  tx: Transaction,
  id: string,
  file: IncomingFile,
  place: Pick<Place, 'organization_id'> & { readonly fetchAt: number | null },
): Promise<void> {
  const { isSticker: _, ...described } = file
  await addFile(tx, id, {
    ...described,
    organization_id: place.organization_id,
    direction: 'inbound',
    fetch_at: place.fetchAt,
    voice: 0,
    media: null,
    mime_type: null,
    size: null,
    sha256: null,
  })
}

/** The point up to which the messages of an instance are stored without a gap; null if it was never caught up, or is gone. */
export const findMark = read('inbox.mark', async (reader, { instanceId }: { instanceId: string }) => {
  const query = reader.sql
    .selectFrom('instances')
    .select(['caught_up_mark', 'caught_up_at'])
    .where('id', '=', instanceId)
  const row = await reader.first(query)
  if (!row || (row.caught_up_mark === null && row.caught_up_at === null)) return null
  return { mark: row.caught_up_mark, at: row.caught_up_at ?? 0 }
})

const selectStored = statement<{ instance: string; networkId: string }>()((sql, argument) =>
  withInstance(sql)
    .select('seq')
    .where('network_message_id', '=', argument('networkId'))
    .where('instance_id', '=', argument('instance'))
    .where((eb) => eb.or([eb('unsupported', 'is', null), eb('unsupported', '<>', undecryptableText)])),
)

/** Resolves with true if an instance has a message with this id, which its network gave, and with its content. */
export const isStored = read(
  'inbox.isStored',
  async (reader, args: { instanceId: string; networkMessageId: string }): Promise<boolean> => {
    const stored = { instance: args.instanceId, networkId: args.networkMessageId }
    return (await reader.first(selectStored, stored)) !== undefined
  },
)

export const inboxFunctions: StoreFunctions = {
  reads: [findMark, findReceived, isStored],
  transactions: [receiveMessages],
}
