import type { Transaction } from '../../store/store.ts'
import { unnamed } from '../contacts/contact.ts'
import { type ContactPlace, noteContact, withNews } from '../contacts/contact-store.ts'
import type { IncomingMessage } from './incoming-message.ts'

/** All known addresses of those who wrote, or to whom the account wrote, by the address in the message. */
export type Contacts = ReadonlyMap<string, readonly string[]>

/**
 * True if a message certainly lets the account answer from now on. Whether a reaction does, a correction or a retraction, no network
 * says.
 */
export function opensWindow({ sender, reference }: IncomingMessage): boolean {
  return sender !== null && (reference === null || reference.type === 'reply')
}

interface NotingPlace extends ContactPlace {
  readonly replyWindow: number | null
  readonly now: number
}

/**
 * Keeps what messages tell of the people who wrote them. Any act of a person counts as writing here, so that a person who acted is
 * never taken for silent. Of people who write in a group only those are kept who have several addresses, or can be answered for a time:
 * the conversation is not with them.
 */
export async function noteContacts(
  tx: Transaction,
  { replyWindow, now, ...place }: NotingPlace,
  messages: readonly IncomingMessage[],
): Promise<Contacts> {
  const contacts = new Map<string, readonly string[]>()
  const isTelling = ({ sender, addresses }: IncomingMessage) =>
    addresses.length > 1 || (sender !== null && replyWindow !== null)
  const telling = messages.filter(isTelling)
  for (const own of Map.groupBy(telling, toldBy).values()) {
    const [{ sender, conversation, addresses }] = own as [IncomingMessage]
    const address = sender ?? conversation
    const wroteAt = sender === null ? null : Math.max(...own.map(({ sent_at }) => sent_at))
    const names = own.findLast(isDirect)?.content.sender
    const told = { addresses: addresses.length > 0 ? addresses : [address], wroteAt, names }
    contacts.set(address, await noteContact(tx, place, told, now))
  }
  await notePeople(
    tx,
    { replyWindow, now, ...place },
    messages.filter((message) => isDirect(message) && !isTelling(message)),
  )
  return contacts
}

/** Keeps the people of one address each: most are known already, with the same names. */
async function notePeople(
  tx: Transaction,
  { now, replyWindow: _, ...place }: NotingPlace,
  messages: readonly IncomingMessage[],
): Promise<void> {
  const last = new Map(messages.map((message) => [message.conversation, message]))
  const told = [...last].map(([address, { content }]) => ({ ...unnamed, ...content.sender, address }))
  if (told.length === 0) return
  for (const { address, name, username } of await withNews(tx, place.instance, told, now))
    await noteContact(tx, place, { addresses: [address], wroteAt: null, names: { name, username } }, now)
}

/** True if a person wrote it in the conversation with them. */
export function isDirect({ sender, conversation, addresses, isInGroup }: IncomingMessage): boolean {
  return !isInGroup && sender !== null && (sender === conversation || addresses.includes(conversation))
}

/** Messages that tell the same share it. */
function toldBy({ sender, conversation, addresses }: IncomingMessage): string {
  return JSON.stringify([sender, conversation, ...addresses])
}
