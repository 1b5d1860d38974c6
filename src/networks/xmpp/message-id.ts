import { createHash, randomUUID } from 'node:crypto'
import { isAccount } from './stanza-sender.ts'
import { attribute, ns, type Xml } from './xml.ts'

/** Visible ASCII of reasonable length, which an id can be kept and shown as. A stranger may choose anything. */
export function isPlain(id: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(id)
}

/**
 * The id under which the account's server filed a message (XEP-0359), null where it did not. Anyone can write such an id into
 * a message; only one by the account counts, and only at a server that takes out those of others.
 */
export function filedIdIn(message: Xml, account: string): string | null {
  const filed = message
    .getChildren('stanza-id', ns.stanzaIds)
    .find((candidate) => isAccount(attribute(candidate, 'by'), account))
  return (filed && attribute(filed, 'id')) || null
}

/** Begins the ids that are made here. */
const derived = 'sha256-'

/** The id of a message that the server filed under this one. An id that cannot be shown is replaced by one derived from it. */
export function idOfFiled(filedId: string): string {
  return isPlain(filedId) ? filedId : digestOf([filedId])
}

/**
 * The id of a message that no server filed: derived from what makes it that message and no other, since senders choose ids
 * by themselves and some choose the same one for everything. Without an id of the sender no repetition can be told from a
 * message that says the same, so each is a message of its own.
 */
export function idOfUnfiled(from: string, sentId: string | undefined, content: readonly string[]): string {
  return digestOf([from, sentId || randomUUID(), ...content])
}

/** Whether the archive of the server may know a message by this id. */
export function isFiledId(id: string): boolean {
  return !id.startsWith(derived)
}

function digestOf(parts: readonly string[]): string {
  return derived + createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
