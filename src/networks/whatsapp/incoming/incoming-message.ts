import { undecryptable } from '../../../contract/statuses.ts'
import type {
  MessageReceived,
  MessageSentElsewhere,
  ReceivedRelation,
  UnsupportedMessage,
} from '../../driver/observation.ts'
import { asObject, type Json, objectIn, textIn } from '../../kit/json.ts'
import { cutText } from '../../kit/received-text.ts'
import { addressOf, isGroup, isPersonId } from '../address.ts'
import { ownIdFrom } from '../message-id.ts'
import { contextContent, shownContentIn, wordsIn } from './received-content.ts'
import { fileIn } from './received-file.ts'
import { shownText } from './shown-text.ts'

/** The envelope of a decrypted message, as the server gives it. Its names have the form of WhatsApp. */
export interface Envelope {
  /** The id that its sender gave it. */
  readonly id: string
  /** The other person, or the group; for a message to a broadcast list, the list. */
  readonly chat: string
  /** The same person by their phone number or their LID, whichever is missing. */
  readonly chat_alt: string | null
  /** Its author, in a group or to a list. */
  readonly sender: string | null
  readonly sender_alt: string | null
  /** The account itself wrote it, on another client. */
  readonly from_me: boolean
  /** In seconds since the epoch. */
  readonly timestamp: number
  /** The name and the username that its author shows, if WhatsApp told them. */
  readonly name?: string
  readonly username?: string
}

/** Facts about a message that are not in it, or cannot be read in it. */
export interface BesidesMessage {
  /** Milliseconds since the epoch. */
  readonly now?: number
  /** The answers of the vote that a message is, decrypted. */
  readonly vote?: readonly string[] | null
}

/**
 * Returns the observation to report of a decrypted message: the fields of the protobuf message `Message`, of which only
 * those count that were set. Null if it says nothing, or cannot be answered. Pure and bounded, with any content from an unknown
 * sender.
 */
export function observationOf(
  message: object,
  envelope: Envelope,
  { now = Date.now(), vote = null }: BesidesMessage = {},
): MessageReceived | MessageSentElsewhere | null {
  const content = contentOf(message as Json)
  return observed(vote !== null && content ? voted(content, vote) : content, envelope, now)
}

/** A vote that could be decrypted; before, it is a message that cannot be read. */
function voted({ relation }: Content, options: readonly string[]): Content {
  return {
    text: null,
    file: null,
    content: { poll_vote: { options: [...options] } },
    ...(relation && { relation }),
  }
}

/** Returns the observation to report of a message that could not be decrypted; null if it cannot be answered. */
export function undecryptableIn(
  envelope: Envelope,
  now = Date.now(),
): MessageReceived | MessageSentElsewhere | null {
  const unsupported = { type: undecryptable, name: null }
  return observed({ text: null, file: null, unsupported }, envelope, now)
}

function observed(
  content: Content | null,
  envelope: Envelope,
  now: number,
): MessageReceived | MessageSentElsewhere | null {
  const { id, timestamp, from_me } = envelope
  const network_message_id = networkIdIn(envelope)
  if (network_message_id === null || content === null) return null
  const at = Number.isFinite(timestamp) && timestamp > 0 ? Math.min(now, timestamp * 1000) : now
  if (from_me) return sentElsewhere(content, envelope, at)
  const place = placeOf(envelope)
  if (!place) return null
  return {
    kind: 'message-received',
    network_message_id,
    sender_message_id: id,
    from: place.from,
    conversation: place.conversation,
    ...place.told,
    at,
    ...content,
    ...writtenBy(place.from, envelope, content),
  }
}

/** UTF-16 units of a name that are kept. */
const longestName = 256

/** The content with the names of its writer, if there are any. */
function writtenBy(
  address: string,
  { name, username }: Envelope,
  { content }: Content,
): Pick<Content, 'content'> {
  const named = [name, username].map((each) => cutText((each ?? '').toWellFormed(), longestName) || null)
  const [shownName = null, user = null] = named
  if (shownName === null && user === null) return content ? { content } : {}
  return { content: { ...content, sender: { address, name: shownName, username: user } } }
}

/** The id under which a message is stored; null if it is not one that is. */
export function networkIdIn(envelope: Envelope): string | null {
  const { id, from_me } = envelope
  if (!isMessageId(id)) return null
  if (from_me) return id
  const place = placeOf(envelope)
  // A sender cannot give the id of another person's message to one of theirs, so that the other one counts as known.
  return place && `${id}:${place.person}`
}

/** The id under which a message of a person is stored, if this is the most lasting address that WhatsApp told with it. */
export function receivedIdOf(id: string, address: string): string {
  return `${id}:${digitsOf(address)}`
}

function digitsOf(address: string): string {
  return address.replace(/^\+|@lid$/g, '')
}

/** A message that the account wrote elsewhere. */
function sentElsewhere(content: Content, envelope: Envelope, at: number): MessageSentElsewhere | null {
  const { id, chat, chat_alt } = envelope
  const addresses = addressesIn(chat, chat_alt)
  const conversation = addresses.at(-1)
  // Echoes of our own messages have their ids.
  if (conversation === undefined || ownIdFrom(id) !== null) return null
  return {
    kind: 'message-sent-elsewhere',
    network_message_id: id,
    conversation,
    ...toldOf(addresses),
    at,
    ...content,
  }
}

interface Place {
  readonly from: string
  readonly conversation: string
  /** Digits that stand for the sender as long as possible. */
  readonly person: string
  readonly told: Pick<MessageReceived, 'addresses'>
}

function placeOf({ chat, chat_alt, sender, sender_alt }: Envelope): Place | null {
  if (chat === 'status@broadcast') return null
  const isList = chat.endsWith('@broadcast')
  const isPersonal = !chat.endsWith('@g.us') && !isList
  // Of a message to a list, the library takes the other address of its sender for that of the list.
  const addresses = isPersonal
    ? addressesIn(chat, chat_alt)
    : addressesIn(sender ?? '', isList ? (sender_alt ?? chat_alt) : sender_alt)
  const [lasting] = addresses
  const from = addresses.at(-1)
  if (lasting === undefined || from === undefined || isGroup(from)) return null
  // A person who writes to a list of people writes to each of them.
  const conversation = chat.endsWith('@g.us') ? addressOf(chat) : from
  if (conversation === null) return null
  return { from, conversation, person: digitsOf(lasting), told: toldOf(addresses) }
}

/**
 * Returns the addresses of one person, or one group, the id first: it stays, and a phone number may pass to another person.
 */
function addressesIn(name: string, other: string | null): string[] {
  const named = [name, other ?? ''].map(addressOf).filter((address) => address !== null)
  const [first] = named
  if (first === undefined || isGroup(first)) return named.slice(0, 1)
  const ids = named.filter(isPersonId).slice(0, 1)
  const numbers = named.filter((address) => address.startsWith('+')).slice(0, 1)
  return [...ids, ...numbers]
}

function toldOf(addresses: readonly string[]): Pick<MessageReceived, 'addresses'> {
  return addresses.length > 1 ? { addresses } : {}
}

type Content = Pick<MessageReceived, 'text' | 'file' | 'relation' | 'unsupported' | 'content'>

/** Messages around the one that was written, each of which has it in `message`. */
const wrappings = [
  'ephemeralMessage',
  'documentWithCaptionMessage',
  'groupMentionedMessage',
  'lottieStickerMessage',
  'editedMessage',
  'botInvokeMessage',
  'botForwardedMessage',
  'associatedChildMessage',
  'limitSharingMessage',
  'pollCreationMessageV4',
]

/** Clients wrap one or two times. */
const maxWrappings = 4

/** Depth to which nested messages are looked at, so that an edit of an edit has an end. */
const maxEdits = 1

/** Returns the content of a message; null if it only tells the client something. */
function contentOf(message: Json, edits = maxEdits): Content | null {
  const inner = unwrapped(message)
  if (inner === null) return unreadable('unknown', 'wrapped')
  const field = fieldIn(inner)
  if (field === null) return null
  const value = inner[field]
  if (field === 'conversation') return saying(shownText(inner, field))
  const about = asObject(value)
  if (about === null) return null
  if (field === 'protocolMessage') return protocolContent(about, edits)
  if (field === 'reactionMessage')
    return { text: shownText(about, 'text') ?? '', file: null, relation: toMessage('reaction', about) }
  if (field === 'pollUpdateMessage') return { ...otherContent(field, {}), relation: votedIn(about) }
  if (viewOnce.has(field) || about.viewOnce === true) return unreadable('view_once', 'view_once')
  const { content, ...written } = writtenIn(field, about) ?? otherContent(field, about)
  const all = { ...content, ...contextContent(about) }
  return { ...written, ...replyIn(about), ...(Object.keys(all).length > 0 && { content: all }) }
}

function unwrapped(message: Json): Json | null {
  let inner = message
  for (let depth = 0; depth <= maxWrappings; depth++) {
    const wrapping = wrappings.find((name) => Object.hasOwn(inner, name) && objectIn(inner, name) !== null)
    if (wrapping === undefined) return inner
    inner = objectIn(objectIn(inner, wrapping) ?? {}, 'message') ?? {}
  }
  return null
}

/** Fields that come with a message, or are for the client only. */
const besides = new Set([
  'messageContextInfo',
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'deviceSentMessage',
  'stickerSyncRmrMessage',
  'messageHistoryBundle',
  'messageHistoryNotice',
  'keepInChatMessage',
  'pinInChatMessage',
  // The pictures of an album follow as messages of their own.
  'albumMessage',
  'statusNotificationMessage',
])

/** True if a message has a field with a content, known here or not. */
export function hasContent(message: object): boolean {
  return fieldIn(message as Json) !== null
}

/** The one field with the content. */
function fieldIn(message: Json): string | null {
  for (const [name, value] of Object.entries(message))
    if (value !== null && value !== undefined && !besides.has(name)) return name
  return null
}

const viewOnce = new Set(['viewOnceMessage', 'viewOnceMessageV2', 'viewOnceMessageV2Extension'])

/** Returns a deletion or an edit. Everything else that other people tell the account's clients is left alone. */
function protocolContent(about: Json, edits: number): Content | null {
  const type = about.type ?? 0
  if (objectIn(about, 'key') === null) return null
  if (type === 0 || type === 'REVOKE')
    return { text: null, file: null, relation: toMessage('retraction', about) }
  if (type !== 14 && type !== 'MESSAGE_EDIT') return null
  const edited = objectIn(about, 'editedMessage')
  const said = edited && edits > 0 ? contentOf(edited, edits - 1) : null
  if (said === null) return null
  // An edit of a caption may come without its file.
  const { unsupported, ...written } = said
  const isCaption = unsupported !== undefined && said.text !== null
  return { ...(isCaption ? written : said), relation: toMessage('correction', about) }
}

/** Refers to the message that another one is about: by our own id if it is one of ours. */
function toMessage(type: ReceivedRelation['type'], about: Json): ReceivedRelation {
  return { type, message: knownId(textIn(objectIn(about, 'key') ?? {}, 'id')) }
}

/** The poll that a vote is about. */
function votedIn(about: Json): ReceivedRelation {
  const key = objectIn(about, 'pollCreationMessageKey') ?? {}
  return { type: 'reply', message: knownId(textIn(key, 'id')) }
}

function replyIn(about: Json): Pick<Content, 'relation'> {
  const context = objectIn(about, 'contextInfo') ?? {}
  const id = textIn(context, 'stanzaId')
  if (id === null) return {}
  // A status is no message that could be found.
  const isStatus = textIn(context, 'remoteJid') === 'status@broadcast'
  return { relation: { type: 'reply', message: isStatus ? null : knownId(id) } }
}

function knownId(id: string | null): string | null {
  if (id === null || !isMessageId(id)) return null
  return ownIdFrom(id) ?? id
}

/** The text, the file or the content of a message; null if it has none that can be read. */
function writtenIn(field: string, about: Json): Content | null {
  if (field === 'extendedTextMessage') return saying(shownText(about, 'text'))
  const shown = shownContentIn(field, about)
  if (shown) return { ...shown, file: null }
  const file = fileIn(field, about)
  return file && { text: shownText(about, 'caption'), file }
}

function saying(text: string | null): Content | null {
  return text === null ? null : { text, file: null }
}

/** The messages that have a name of their own at Posthorn, by how their fields begin. */
const others: readonly (readonly [beginning: RegExp, type: string])[] = [
  [/^(live_)?location/, 'location'],
  [/^contacts?(_|$)/, 'contact'],
  [/^poll_update/, 'poll_vote'],
  [/^poll/, 'poll'],
  [/^event/, 'event'],
  [/^(order|product)/, 'order'],
  [/^group_invite/, 'group_invite'],
  [/^placeholder/, 'phone_only'],
  [/^(enc_|secret_encrypted)/, 'encrypted'],
  [/^(call|bcall|scheduled_call)/, 'call'],
]

/** Keeps the words of a content whose form has no name here. */
function otherContent(field: string, about: Json): Content {
  const name = snakeCase(field)
  const [, type] = others.find(([beginning]) => beginning.test(name)) ?? []
  return { ...unreadable(type ?? 'unknown', name), text: wordsIn(about) }
}

/** `pollCreationMessageV3` is a `poll_creation`. */
function snakeCase(field: string): string {
  const name = field.replace(/Mess?s?age(V\d+)?$/, '')
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function unreadable(type: string, name: string): Content & { readonly unsupported: UnsupportedMessage } {
  const isWord = /^[a-z0-9_]{1,64}$/.test(name)
  return { text: null, file: null, unsupported: { type, name: isWord ? name : null } }
}

/** The id of a message at WhatsApp, as it is stored and compared. */
export function isMessageId(id: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(id)
}
