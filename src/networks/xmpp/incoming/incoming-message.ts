import type { WriterNames } from '../../../contract/resources/content.ts'
import type {
  MessageReceived,
  Observation,
  ReceivedContent,
  ReceivedRelation,
} from '../../driver/observation.ts'
import { cutText, longestReceivedText } from '../../kit/received-text.ts'
import { bareAddressOf, uriOf } from '../address.ts'
import { messageIdOf } from '../sending/message-parts.ts'
import { idOfArchived, idOfUnarchived, isPlain } from '../stanzas/message-id.ts'
import { attribute, ns, type Xml } from '../stanzas/xml.ts'
import { bareAddressIn, mentionedIn, writerIn } from './people.ts'
import { type NamedPlace, placeIn } from './place.ts'
import { fileIn } from './received-file.ts'
import { encryptionIn, meaningOf, subjectIn } from './semantics.ts'

/** Facts about a message in addition to its content. */
export interface Arrived {
  /** The address of the account that it arrived at. */
  readonly account: string
  /** The id that the server gave it (XEP-0359); null if it gave none. */
  readonly stanzaId: string | null
  /** In milliseconds since the epoch. */
  readonly at: number
  /** Tells whether a bare address is that of a room that the account is in. */
  readonly isKnownRoom: (bare: string) => boolean
}

/** The types of RFC 6121 section 5.2.2 in which no person writes to the account. */
const unread = new Set(['error', 'groupchat', 'headline'])

/**
 * Returns the observations from a message stanza, by any way it came: usually none or one. A message in the name of the
 * account itself is not an incoming one.
 */
export function observationsIn(message: Xml, arrived: Arrived): readonly Observation[] {
  const from = bareAddressOf(attribute(message, 'from'))
  if (from === null || from === arrived.account || unread.has(attribute(message, 'type') ?? '')) return []
  if (isFromRoom(message) || arrived.isKnownRoom(from)) return []
  const said = [receiptIn(message, from), messageIn(message, from, arrived)]
  return said.filter((observation) => observation !== null)
}

/**
 * A person in a room wrote to the account as another one in it (XEP-0045 section 7.5), which another client of the account joined. The room is not the address of
 * that person, so no answer would reach them.
 */
function isFromRoom(message: Xml): boolean {
  const isOccupant = attribute(message, 'from')?.includes('/')
  return isOccupant === true && message.getChild('x', ns.rooms) !== undefined
}

/** XEP-0184 receipts, and the markers of XEP-0333, whose own `received` means the same as a receipt. */
function receiptIn(message: Xml, from: string): Observation | null {
  const signs = [
    [message.getChild('displayed', ns.markers), 'read'],
    [message.getChild('acknowledged', ns.markers), 'read'],
    [message.getChild('received', ns.receipts), 'delivered'],
    [message.getChild('received', ns.markers), 'delivered'],
  ] as const
  for (const [sign, state] of signs) {
    const id = sign && attribute(sign, 'id')
    // Ids of ours are plain; another one cannot name a message of ours. Clients that mark only the last of what they show
    // mark the caption of a file, and mean both.
    if (id && isPlain(id)) return { kind: 'receipt', network_message_id: messageIdOf(id), from, state }
  }
  return null
}

/** Returns the message that a person wrote to the account, or null if the stanza is not one. */
function messageIn(message: Xml, from: string, { stanzaId, at }: Arrived): Observation | null {
  const sentId = plainIdOf(message)
  return writtenIn(message, {
    ...{ from, conversation: from, at, sender: writerIn(message, from), sentId },
    idFor: (signature) =>
      stanzaId ? idOfArchived(stanzaId) : idOfUnarchived(from, attribute(message, 'id'), signature),
    mentioned: bareAddressIn,
  })
}

/** The id that the sender gave a message, if it can be shown. */
export function plainIdOf(message: Xml): string | undefined {
  const id = attribute(message, 'id')
  return id !== undefined && isPlain(id) ? id : undefined
}

/** The place of a message in a conversation. */
export interface WrittenWhere extends Pick<MessageReceived, 'from' | 'conversation' | 'at'> {
  readonly sender: WriterNames | null
  /** The id by which later messages refer to it. */
  readonly sentId: string | undefined
  /** Returns the id at the network of a message that this distinguishes from others. */
  idFor(signature: readonly string[]): string
  /** As in `mentionedIn`. */
  readonly mentioned: (address: string) => string | null
}

/** Returns the message that a person wrote in a conversation, or null if the stanza is not one. */
export function writtenIn(message: Xml, origin: WrittenWhere): MessageReceived | null {
  const found = contentOf(message, message.getChildText('body') || invitationIn(message), origin.mentioned)
  if (!found) return null
  const { words, signature, shown } = found
  const { from, conversation, at, sender, sentId } = origin
  const content = { ...shown, ...(sender && { sender }) }
  return {
    kind: 'message-received',
    network_message_id: origin.idFor(signature),
    ...{ from, conversation, at },
    ...words,
    ...(Object.keys(content).length > 0 && { content }),
    ...(sentId !== undefined && { sender_message_id: sentId }),
  }
}

/** The URI of the room to which the message invites (XEP-0249): clients that write no body show that themselves. */
function invitationIn(message: Xml): string | null {
  const invitation = message.getChild('x', ns.invitation)
  const room = invitation ? bareAddressOf(attribute(invitation, 'jid')) : null
  return room === null ? null : `${uriOf(room)}?join`
}

interface Contained {
  readonly words: Pick<MessageReceived, 'text' | 'file' | 'subject' | 'relation' | 'unsupported'>
  /** Its other content; empty for none. */
  readonly shown: ReceivedContent
  /** Distinguishes the message from others. */
  readonly signature: readonly string[]
}

/** Returns the content of the message; null if it has none. */
function contentOf(
  message: Xml,
  body: string | null,
  mentioned: WrittenWhere['mentioned'],
): Contained | null {
  const encryption = encryptionIn(message, body)
  if (encryption?.kind === 'keys') return null
  const { relation, words: own } = meaningOf(message, body)
  const refers = relation ? { relation } : {}
  if (encryption) {
    const { unsupported, sealed } = encryption
    return { words: { text: null, file: null, ...refers, unsupported }, shown: {}, signature: [sealed] }
  }
  if (relation?.type === 'reaction' || relation?.type === 'retraction') {
    if (relation.type === 'reaction' && own === null) return null
    const signature = [own ?? '', '', '', ...signOf(relation)]
    return { words: { text: own, file: null, ...refers }, shown: {}, signature }
  }
  const named = fileIn(message, own)
  const place = named ? null : placeIn(message, own)
  const text = named ? named.caption : place ? place.words : own
  const subject = subjectIn(message)
  if (!named && !place && text === null && subject === null) return null
  const words = {
    text: text === null ? null : cutText(text, longestReceivedText),
    file: named?.file ?? null,
    ...(subject === null ? {} : { subject }),
    ...refers,
  }
  const mentions = mentionedIn(message, mentioned)
  const shown = {
    ...(place && { location: place.location }),
    ...(mentions.length > 0 && { mentions }),
  }
  const signature = [
    own ?? '',
    named?.file.url ?? '',
    subject ?? '',
    ...signOf(relation),
    ...placeSign(place),
  ]
  return { words, shown, signature }
}

function signOf(relation: ReceivedRelation | null): readonly string[] {
  return relation ? [relation.type, relation.message ?? ''] : []
}

/** A place without a body differs from another by where it is. */
function placeSign(place: NamedPlace | null): readonly string[] {
  return place ? [`${place.location.latitude},${place.location.longitude}`] : []
}
