import type { Observation } from '../observation.ts'
import { cutText, longestReceivedText } from '../received-text.ts'
import { bareAddressOf } from './address.ts'
import { idOfFiled, idOfUnfiled, isPlain } from './message-id.ts'
import { messageIdOf } from './outgoing.ts'
import { fileIn } from './received-file.ts'
import { attribute, ns, type Xml } from './xml.ts'

/** What is known of a message beside what stands in it. */
export interface Arrived {
  /** The address of the account that it arrived at. */
  readonly account: string
  /** The id under which the server filed it; null where it did not. */
  readonly filedId: string | null
  /** In milliseconds since the epoch. */
  readonly at: number
}

/** The types of RFC 6121 section 5.2.2 in which nobody writes to the account. */
const unread = new Set(['error', 'groupchat', 'headline'])

/**
 * What a message stanza says, however it came. Usually nothing or one thing. What was written in the name of the account is
 * none of its incoming messages.
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

/** What somebody wrote, or null where there is nothing to read. */
function messageIn(message: Xml, from: string, { filedId, at }: Arrived): Observation | null {
  const body = message.getChildText('body') || null
  if (isEncrypted(message, body)) return null
  const named = fileIn(message, body)
  const words = named ? named.caption : body
  if (!named && words === null) return null
  const content = [body ?? '', named?.file.url ?? '']
  return {
    kind: 'message-received',
    network_message_id: filedId ? idOfFiled(filedId) : idOfUnfiled(from, attribute(message, 'id'), content),
    from,
    conversation: from,
    at,
    text: words === null ? null : cutText(words, longestReceivedText),
    file: named?.file ?? null,
  }
}

/** How messages are encrypted from one client to the other: XEP-0380 names each way, and older clients name only their own. */
const encryptions = [
  ['encryption', 'urn:xmpp:eme:0'],
  ['encrypted', 'eu.siacs.conversations.axolotl'],
  ['encrypted', 'urn:xmpp:omemo:2'],
  ['openpgp', 'urn:xmpp:openpgp:0'],
  ['x', 'jabber:x:encrypted'],
] as const

/** Nothing of such a message can be read here: its body, if it has one, only says so, to the people at other clients. */
function isEncrypted(message: Xml, body: string | null): boolean {
  return (
    encryptions.some(([name, namespace]) => message.getChild(name, namespace) !== undefined) ||
    body?.startsWith('?OTR') === true
  )
}
