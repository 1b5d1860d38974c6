import { mediaKinds } from '../../../contract/statuses.ts'
import type { TargetMessage } from '../../driver/message.ts'
import { isPlain } from '../stanzas/message-id.ts'
import { attribute, ns, type Xml } from '../stanzas/xml.ts'

/*
 * Messages that are two stanzas: a file with its caption, a place with its name, and the retraction of either. The caption has
 * an id that follows from that of the message. One of the two stanzas is the last: the server has the message once it has that.
 */

const captionMark = '-caption'

/** The id of the stanza that carries the caption of a message: fixed, like the id of the message. */
export function captionId(messageId: string): string {
  return `${messageId}${captionMark}`
}

/** The message that a stanza of ours belongs to. Ids of messages have no hyphen. */
export function messageIdOf(stanzaId: string): string {
  return stanzaId.endsWith(captionMark) ? stanzaId.slice(0, -captionMark.length) : stanzaId
}

/**
 * The message that the server has once it has this stanza, which was sent in the name of the account; null if the
 * stanza names none, or is only the first of two.
 */
export function messageCompletedBy(stanza: Xml): string | null {
  const id = attribute(stanza, 'id')
  return id && isPlain(id) && !isFirstOfTwo(stanza, id) ? messageIdOf(id) : null
}

function isFirstOfTwo(stanza: Xml, id: string): boolean {
  if (stanza.getChild('x', ns.outOfBand)?.getChild('desc')) return true
  const place = stanza.getChild('geoloc', ns.place)
  if (place?.getChild('description') || place?.getChild('text')) return true
  return stanza.getChild('retract', ns.retraction) !== undefined && messageIdOf(id) !== id
}

/** Returns true if a message that the account sent may have had a caption. */
export function mayHaveCaption({ kind, text }: TargetMessage): boolean {
  // The text that is kept of a place is not empty even if it had no name.
  return kind === 'location' || (text !== null && isMediaKind(kind))
}

export function isMediaKind(kind: TargetMessage['kind']): boolean {
  return mediaKinds.some((each) => each === kind)
}
