import type { MessageReceived, Observation } from '../../driver/observation.ts'
import { cutText, longestReceivedText } from '../../kit/received-text.ts'
import { bareAddressOf } from '../address.ts'
import { messageIdOf } from '../sending/outgoing-message.ts'
import { idOfArchived, idOfUnarchived, isPlain } from '../stanzas/message-id.ts'
import { attribute, ns, type Xml } from '../stanzas/xml.ts'
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
  const said = [receiptIn(message, from), messageIn(message, from, arrived)]
  return said.filter((observation) => observation !== null)
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

/** Returns the message that a person wrote, or null if the stanza is not one. */
function messageIn(message: Xml, from: string, { stanzaId, at }: Arrived): Observation | null {
  const body = message.getChildText('body') || null
  const sentId = attribute(message, 'id')
  const { content, signature } = contentOf(message, body) ?? {}
  if (!content || !signature) return null
  return {
    kind: 'message-received',
    network_message_id: stanzaId ? idOfArchived(stanzaId) : idOfUnarchived(from, sentId, signature),
    from,
    conversation: from,
    at,
    ...content,
    ...(sentId !== undefined && isPlain(sentId) ? { sender_message_id: sentId } : {}),
  }
}

type Content = Pick<MessageReceived, 'text' | 'file' | 'subject' | 'relation' | 'unsupported'>

/** The content of the message, and what distinguishes it from others; null if it has none. */
function contentOf(
  message: Xml,
  body: string | null,
): { readonly content: Content; readonly signature: readonly string[] } | null {
  const encryption = encryptionIn(message, body)
  if (encryption?.kind === 'keys') return null
  const { relation, words: own } = meaningOf(message, body)
  const refers = relation ? { relation } : {}
  const sign = relation ? [relation.type, relation.message ?? ''] : []
  if (encryption) {
    const { unsupported, sealed } = encryption
    const content = { text: null, file: null, ...refers, unsupported }
    return { content, signature: [sealed] }
  }
  const isSign = relation?.type === 'reaction' || relation?.type === 'retraction'
  const named = isSign ? null : fileIn(message, own)
  const words = named ? named.caption : own
  const subject = isSign ? null : subjectIn(message)
  if (!named && words === null && subject === null && relation?.type !== 'retraction') return null
  const content = {
    text: words === null ? null : cutText(words, longestReceivedText),
    file: named?.file ?? null,
    ...(subject === null ? {} : { subject }),
    ...refers,
  }
  return { content, signature: [own ?? '', named?.file.url ?? '', subject ?? '', ...sign] }
}
