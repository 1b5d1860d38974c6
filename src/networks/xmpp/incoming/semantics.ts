import type { ReceivedRelation, UnsupportedMessage } from '../../driver/observation.ts'
import { cutText, longestReceivedSubject } from '../../kit/received-text.ts'
import { messageIdOf } from '../sending/message-parts.ts'
import { isPlain } from '../stanzas/message-id.ts'
import { attribute, ns, ownEntryOf, type Xml } from '../stanzas/xml.ts'

/*
 * The meaning of a message besides its body: its subject, the message it refers to, and whether it cannot be read here.
 */

/** XEP-0424 before version 0.4, and XEP-0422, which it used. */
const earlyRetraction = 'urn:xmpp:message-retract:0'
const fastening = 'urn:xmpp:fasten:0'
/** XEP-0428, and what XEP-0461 calls it in its examples, as some clients do. */
const fallbacks = [ns.fallback, 'urn:xmpp:feature-fallback:0']

/** The message that this one refers to, and the text of this one. */
export interface Meaning {
  readonly relation: ReceivedRelation | null
  /** The body without fallback text for older clients; for a reaction its emojis, with a space between them. */
  readonly words: string | null
}

/**
 * Returns the meaning of a message with this body. If it refers to others in several ways, the one that removes most counts.
 */
export function meaningOf(message: Xml, body: string | null): Meaning {
  const attached = message.getChild('apply-to', fastening)
  const retracted =
    message.getChild('retract', ns.retraction) ??
    (attached?.getChild('retract', earlyRetraction) ? attached : undefined)
  if (retracted) return { relation: { type: 'retraction', message: idIn(retracted) }, words: null }
  const reacted = message.getChild('reactions', ns.reactions)
  // A message of ours with a caption is two on the network; a reaction may be to either.
  if (reacted) return { relation: relationTo('reaction', reacted), words: emojisIn(reacted) }
  const replaced = message.getChild('replace', ns.correction)
  const answered = message.getChild('reply', ns.reply)
  const words = answered ? withoutFallback(message, body, ns.reply) : body
  if (replaced) return { relation: { type: 'correction', message: idIn(replaced) }, words }
  return { relation: answered ? relationTo('reply', answered) : null, words }
}

function relationTo(type: 'reaction' | 'reply', sign: Xml): ReceivedRelation {
  const id = idIn(sign)
  return { type, message: id === null ? null : messageIdOf(id) }
}

function idIn(sign: Xml): string | null {
  const id = attribute(sign, 'id')
  return id !== undefined && isPlain(id) ? id : null
}

/** Reactions of one person that are reported, and UTF-16 units that one may have: emojis have a few. */
const maxReactions = 32
const longestReaction = 64

function emojisIn(sign: Xml): string {
  const written = sign.getChildren('reaction', ns.reactions).slice(0, maxReactions)
  const emojis = written.map((each) => cutText(each.getText().trim(), longestReaction))
  return [...new Set(emojis)].filter((emoji) => emoji !== '').join(' ')
}

/** The body without the fallback text for clients that do not know replies: mostly a quote of the message that is answered. */
function withoutFallback(message: Xml, body: string | null, purpose: string): string | null {
  const fallback = fallbacks
    .flatMap((namespace) => message.getChildren('fallback', namespace))
    .find((each) => attribute(each, 'for') === purpose)
  if (!fallback || body === null) return body
  const marked = fallback.getChild('body')
  // A mark that names no part means all of the message.
  if (!marked) return fallback.getChild('subject') ? body : null
  // XEP-0428 counts Unicode characters.
  const characters = [...body]
  const start = placeIn(marked, 'start', 0)
  const end = placeIn(marked, 'end', characters.length)
  if (start === null || end === null || start > end || end > characters.length) return body
  return [...characters.slice(0, start), ...characters.slice(end)].join('') || null
}

function placeIn(marked: Xml, name: 'start' | 'end', otherwise: number): number | null {
  const written = attribute(marked, name)
  if (written === undefined) return otherwise
  return /^\d{1,7}$/.test(written) ? Number(written) : null
}

/** The subject (RFC 6121 section 5.2.4), as much of it as is stored; null if there is none. */
export function subjectIn(message: Xml): string | null {
  return cutText(message.getChildText('subject')?.trim() ?? '', longestReceivedSubject) || null
}

/** Encryptions from client to client, for clients that do not name theirs by XEP-0380: element, namespace and name. */
const encryptions = [
  ['encrypted', 'eu.siacs.conversations.axolotl', 'OMEMO'],
  ['encrypted', 'urn:xmpp:omemo:1', 'OMEMO'],
  ['encrypted', 'urn:xmpp:omemo:2', 'OMEMO'],
  ['openpgp', 'urn:xmpp:openpgp:0', 'OpenPGP'],
  ['x', 'jabber:x:encrypted', 'OpenPGP'],
] as const
const named = 'urn:xmpp:eme:0'
/** The names in XEP-0380 of the methods that have no element of their own above. */
const otherNames: Readonly<Record<string, string>> = {
  'urn:xmpp:otr:0': 'OTR',
  'urn:xmpp:openpgp:0': 'OpenPGP',
  'jabber:x:encrypted': 'OpenPGP',
}
const longestName = 64

/** The encryption of a message by one client for another. No encrypted content can be read here. */
export type Encryption =
  /** A person wrote it. The encrypted content distinguishes it from others. */
  | { readonly kind: 'message'; readonly unsupported: UnsupportedMessage; readonly sealed: string }
  /** Clients exchange keys: no person wrote anything (XEP-0384 section 5.5.3, an OMEMO element without a payload). */
  | { readonly kind: 'keys' }

/**
 * Returns the encryption of the message; null if there is none. Its body, if any, only says so to people at other clients.
 */
export function encryptionIn(message: Xml, body: string | null): Encryption | null {
  for (const [name, namespace, title] of encryptions) {
    const found = message.getChild(name, namespace)
    if (!found) continue
    if (title === 'OMEMO' && !found.getChild('payload')) return { kind: 'keys' }
    return encrypted(title, found.toString())
  }
  const way = message.getChild('encryption', named)
  if (way) {
    const namespace = attribute(way, 'namespace') ?? ''
    const given = (attribute(way, 'name') ?? '').replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
    return encrypted(ownEntryOf(otherNames, namespace) ?? (cutText(given, longestName) || null), body ?? '')
  }
  return body?.startsWith('?OTR') ? encrypted('OTR', body) : null
}

function encrypted(name: string | null, sealed: string): Encryption {
  return { kind: 'message', unsupported: { type: 'encrypted', name }, sealed }
}
