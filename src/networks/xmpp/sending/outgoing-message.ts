import { sentencesOf } from '../../../contract/codes.ts'
import type { FollowingMessage, OutgoingLocation, OutgoingMedia, OutgoingText } from '../../driver/message.ts'
import { type Outcome, rejected, uncertain } from '../../driver/outcome.ts'
import { type ErrorCode, errors } from '../codes.ts'
import { element, isRepresentable, ns } from '../stanzas/xml.ts'
import { bodyXml, chatXml, signsFrom } from './chat-stanza.ts'
import { correctionXml, reactionXml, referenceTo, replyMark, replyXml, retractionXmls } from './following.ts'
import { mentioning } from './mentions.ts'
import { captionId, isMediaKind } from './message-parts.ts'
import { placeXmls } from './place.ts'
import type { Surroundings } from './surroundings.ts'

/** A message of a kind that can be sent (`DriverAbilities.sends`). */
export type XmppMessage = UploadlessMessage | OutgoingMedia

type UploadlessMessage = OutgoingText | OutgoingLocation | FollowingMessage

/**
 * The stanzas of a message without a file, in the order in which they are sent. Texts ask for a receipt (XEP-0184)
 * and say that they may be marked as displayed (XEP-0333).
 */
export function stanzasOf(message: UploadlessMessage, around: Surroundings): readonly string[] {
  switch (message.kind) {
    case 'text':
      return [textXml(message, around)]
    case 'location':
      return placeXmls(message, around.account)
    case 'reaction':
      return [reactionXml(message)]
    case 'correction':
      return [correctionXml(message, around.account)]
    case 'retraction':
      return retractionXmls(message, around)
  }
}

function textXml({ id, to, text, replyTo, mentions }: OutgoingText, around: Surroundings): string {
  const words = mentioning(text, mentions, around)
  const { account } = around
  return chatXml({ id, to }, replyXml(words, replyTo, { to, account }) + signsFrom(to))
}

/**
 * The stanzas of a file: a message that names its URL as its body, and as out-of-band data (XEP-0066), by which clients know
 * that the body is nothing but a file and show it as what it is; and its caption. The caption describes the data, too, for the few
 * clients that show that. As a message of its own it asks for nothing: the file before it does.
 */
export function fileXmls(message: OutgoingMedia, url: string, around: Surroundings): readonly string[] {
  const { id, to, replyTo } = message
  const { account } = around
  const words = message.caption ? mentioning(message.caption, message.mentions, around) : null
  const caption = words?.text
  const data = element('x', { xmlns: ns.outOfBand }, element('url', {}, url))
  if (caption) data.append(element('desc', {}, caption))
  const mark = replyMark(replyTo, { to, account })
  const file = chatXml(message, bodyXml(url) + data.toString() + mark + signsFrom(to))
  return words ? [file, chatXml({ id: captionId(id), to }, bodyXml(words.text) + words.marks(0))] : [file]
}

export function hasFile(message: XmppMessage): message is OutgoingMedia {
  return 'file' in message
}

/** As `Driver.textFault`: XML has no way to write most control characters. */
export function textFault(text: string): string | null {
  if (isRepresentable(text)) return null
  const characters = [...text]
  const place = characters.findIndex((character) => !isRepresentable(character))
  const code = (characters[place]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `XMPP cannot carry U+${code}, which is character ${place + 1}. Send the text without such control characters.`
}

/** The refusal of a message that XMPP has no form for, or null. */
export function unsendable(message: XmppMessage): Outcome | null {
  if (!wordsOf(message).every(isRepresentable)) return refused('text_not_representable')
  const target = 'target' in message ? message.target : message.replyTo
  if (target && referenceTo(target, message.to) === null) return refused('target_without_id')
  const isNewCaption = message.kind === 'correction' && isMediaKind(message.target.kind)
  return isNewCaption && !message.target.text ? refused('caption_missing') : null
}

function wordsOf(message: XmppMessage): readonly string[] {
  switch (message.kind) {
    case 'text':
    case 'correction':
      return [message.text]
    case 'location':
      return [message.location.name ?? '', message.location.address ?? '']
    case 'reaction':
      return [message.emoji ?? '']
    case 'retraction':
      return []
    default:
      return [message.caption ?? '', message.file.filename]
  }
}

function refused(code: ErrorCode): Outcome {
  return rejected({ code, detail: sentencesOf(errors[code]), permanent: true })
}

/** The outcome for a message that came while the connection is not open. */
export const notConnected: Outcome = uncertain('The connection is not open.')
