import { createHash, randomUUID } from 'node:crypto'
import { isAccount } from './stanza-sender.ts'
import { attribute, ns, type Xml } from './xml.ts'

/**
 * Returns true for an id that can be stored and shown: visible ASCII of reasonable length. Unknown senders may choose
 * anything.
 */
export function isPlain(id: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(id)
}

/**
 * Returns the id that the account's server gave a message (XEP-0359), or null. Any sender can write such an id into a
 * message; only one by the account counts, and only at a server that takes out those of others.
 */
export function stanzaIdIn(message: Xml, account: string): string | null {
  const found = message
    .getChildren('stanza-id', ns.stanzaIds)
    .find((candidate) => isAccount(attribute(candidate, 'by'), account))
  return (found && attribute(found, 'id')) || null
}

/** Begins the ids that are made here. */
const derived = 'sha256-'

/** The id of a message to which its server gave `stanzaId`. An id that cannot be shown is replaced by one derived from it. */
export function idOfArchived(stanzaId: string): string {
  return isPlain(stanzaId) ? stanzaId : digestOf([stanzaId])
}

/**
 * The id of a message that no server gave an id: derived from what makes it that message and no other, since senders choose ids
 * by themselves and some choose the same one for everything. Without an id of the sender no repetition can be told from a
 * message that says the same, so each is a message of its own.
 */
export function idOfUnarchived(from: string, sentId: string | undefined, content: readonly string[]): string {
  return digestOf([from, sentId || randomUUID(), ...content])
}

/** The id of a message in a room, which gave it `stanzaId`: another room may give the same id to another message. */
export function idInRoom(room: string, stanzaId: string): string {
  return digestOf([room, stanzaId])
}

/** A short name for one that is too long, or cannot be shown. */
export function digestOfName(name: string): string {
  return digestOf([name])
}

/** Returns true if the archive of the server may know a message by this id. */
export function isArchiveId(id: string): boolean {
  return !id.startsWith(derived)
}

function digestOf(parts: readonly string[]): string {
  return derived + createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
