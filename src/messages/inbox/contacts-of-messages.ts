import type { Transaction } from '../../store/store.ts'
import { type ContactPlace, noteContact } from '../contacts/contact-store.ts'
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

/**
 * Keeps what messages tell of the people who wrote them. If everyone on a network has one address and can be answered at any
 * time, there is nothing to keep. Any act of a person counts as writing here, so that a person who acted is never taken for
 * silent.
 */
export async function noteContacts(
  tx: Transaction,
  { replyWindow, now, ...place }: ContactPlace & { replyWindow: number | null; now: number },
  messages: readonly IncomingMessage[],
): Promise<Contacts> {
  const contacts = new Map<string, readonly string[]>()
  const telling = messages.filter(
    ({ sender, addresses }) => addresses.length > 1 || (sender !== null && replyWindow !== null),
  )
  for (const own of Map.groupBy(telling, toldBy).values()) {
    const [{ sender, conversation, addresses }] = own as [IncomingMessage]
    const address = sender ?? conversation
    const wroteAt = sender === null ? null : Math.max(...own.map(({ sent_at }) => sent_at))
    const told = { addresses: addresses.length > 0 ? addresses : [address], wroteAt }
    contacts.set(address, await noteContact(tx, place, told, now))
  }
  return contacts
}

/** Messages that tell the same share it. */
function toldBy({ sender, conversation, addresses }: IncomingMessage): string {
  return JSON.stringify([sender, conversation, ...addresses])
}
