import type { Account } from '../accounts/account.ts'
import { lidServer, parseJid } from '../accounts/jid.ts'
import type { Envelope } from '../messages/envelope.ts'
import type { ContextInfo, Message, MessageKey } from '../proto/message.ts'
import type { WhatsApp } from '../whatsapp.ts'
import type { Shown, Target } from './inbox.ts'
import { pollIn } from './polls.ts'

export function shownIn(message: Message): Shown | undefined {
  const { locationMessage, contactMessage, contactsArrayMessage } = message
  if (locationMessage) {
    const { degreesLatitude: latitude = 0, degreesLongitude: longitude = 0, name, address } = locationMessage
    const place = { latitude, longitude, ...(name !== undefined && { name }) }
    return { location: { ...place, ...(address !== undefined && { address }) } }
  }
  const cards = contactsArrayMessage?.contacts ?? (contactMessage ? [contactMessage] : [])
  if (cards.length > 0) return { contacts: cards.map(({ vcard = '' }) => cardIn(vcard)) }
  const poll = pollIn(message)
  if (!poll) return undefined
  const options = (poll.options ?? []).map(({ optionName = '' }) => optionName)
  return { poll: { question: poll.name ?? '', options, selectable: poll.selectableOptionsCount ?? 0 } }
}

/** Reads a vCard as strictly as it is written (RFC 2426): it has its frame, its version and a name. */
function cardIn(vcard: string) {
  const lines = vcard.split('\n')
  if (lines[0] !== 'BEGIN:VCARD' || lines[1] !== 'VERSION:3.0' || lines.at(-1) !== 'END:VCARD')
    throw new Error('This is no vCard 3.0.')
  const valuesOf = (property: string) =>
    lines
      .filter((line) => line.startsWith(`${property}:`) || line.startsWith(`${property};`))
      .map((line) => line.slice(line.indexOf(':') + 1).replaceAll(/\\([\\;,])/g, '$1'))
  const [name] = valuesOf('FN')
  if (name === undefined) throw new Error('The vCard has no name.')
  const accounts = lines.flatMap((line) => /^TEL;[^:]*waid=(\d+)/.exec(line)?.[1] ?? [])
  return { name, phones: valuesOf('TEL'), accounts }
}

/** The context of any content that has one. */
export function contextIn(message: Message): ContextInfo | undefined {
  const contents: readonly unknown[] = Object.values(message)
  for (const content of contents) {
    const { contextInfo } = (content ?? {}) as { contextInfo?: ContextInfo }
    if (contextInfo) return contextInfo
  }
  return undefined
}

/**
 * Finds the message that another one is about by its key, as a phone does: its chat, its author as the sender sees it, and its id.
 * Undefined if it is about none. `message` has no wrapping.
 */
export function targetOf(
  { directory }: WhatsApp,
  owner: Account,
  { sender, server, group, recipient }: Envelope,
  message: Message,
): Target | undefined {
  const changed = message.reactionMessage?.key ?? message.protocolMessage?.key
  const key = changed ?? keyIn(contextIn(message))
  if (!key) return undefined
  const { id = '', fromMe, participant, remoteJid } = key
  const other = recipient ?? owner
  const author = fromMe ? sender.account : participant === undefined ? other : directory.ofJid(participant)
  const isInChat = changed === undefined || remoteJid === (group?.jid ?? other.jid(server))
  const isNamed = participant === undefined || parseJid(participant).server === server
  const isKnown =
    author !== undefined &&
    (owner.inbox.find(author.pn, id) !== undefined || (author === owner && owner.inbox.sent.has(id)))
  return { author: author?.pn ?? '', isKnown, isWellNamed: isInChat && isNamed }
}

/** A reply names the author of the message always, and no chat. */
function keyIn(context: ContextInfo | undefined): MessageKey | undefined {
  if (context?.stanzaId === undefined) return undefined
  // An author without a name stands for none at all.
  return { id: context.stanzaId, participant: context.participant ?? `0@${lidServer}` }
}
