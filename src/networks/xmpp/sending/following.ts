import { escapeXML, escapeXMLText } from '@xmpp/xml'
import type {
  OutgoingCorrection,
  OutgoingReaction,
  OutgoingRetraction,
  TargetMessage,
} from '../../driver/message.ts'
import { cutText } from '../../kit/received-text.ts'
import { isRoom } from '../address.ts'
import { isRepresentable, ns } from '../stanzas/xml.ts'
import { bodyXml, chatXml, receiptFrom, signsFrom, toBeStored } from './chat-stanza.ts'
import type { Mentioning } from './mentions.ts'
import { captionId, isMediaKind, mayHaveCaption } from './message-parts.ts'
import type { Surroundings } from './surroundings.ts'

/*
 * Messages that refer to another one.
 */

/**
 * The id by which clients know a message of a chat: the `id` of its stanza (XEP-0461 section 4.1, XEP-0444 section 5.2). In a room it is the
 * id that the room gave it (XEP-0359), if it gives any. Null if its writer gave it none.
 */
export function referenceTo(target: TargetMessage, to: string): string | null {
  if (target.from !== null) return target.sender_message_id
  return isRoom(to) ? (target.sender_message_id ?? target.network_message_id) : target.network_message_id
}

/** In UTF-16 units, and in lines. */
const maxQuote = 256
const maxQuotedLines = 5

/**
 * The body of a text and the mark that it replies to another message (XEP-0461). For clients that know no replies it begins with a
 * quote of that message, which others leave out (XEP-0428).
 */
export function replyXml(
  { text, marks }: Mentioning,
  target: TargetMessage | undefined,
  place: ReplyPlace,
): string {
  if (!target) return bodyXml(text) + marks(0)
  const quote = quoteOf(target.text ?? '')
  const mark = replyMark(target, place)
  if (quote === '') return bodyXml(text) + mark + marks(0)
  // XEP-0426: characters are code points of Unicode.
  const { length } = [...quote]
  const range = `<body start="0" end="${length}"/>`
  const fallback = `<fallback xmlns="${ns.fallback}" for="${ns.reply}">${range}</fallback>`
  return bodyXml(quote + text) + mark + fallback + marks(length)
}

/** The conversation of a reply, and the account that writes it. */
export interface ReplyPlace {
  readonly to: string
  readonly account: string
}

/** The mark alone: a file or a place that had more than its address in its body would be shown as a text. */
export function replyMark(target: TargetMessage | undefined, { to, account }: ReplyPlace): string {
  if (!target) return ''
  // In a room it is the place of the writer there, which may not be known.
  const writer = isRoom(to) ? target.from : (target.from ?? account)
  const isNamed = writer !== null && isRoom(to) === writer.includes('/')
  const name = isNamed ? ` to="${escapeXML(writer)}"` : ''
  return `<reply xmlns="${ns.reply}"${name} id="${escapeXML(referenceTo(target, to) ?? '')}"/>`
}

function quoteOf(text: string): string {
  if (text.trim() === '' || !isRepresentable(text)) return ''
  const short = cutText(text, maxQuote)
  const all = short.split(/\r\n|\r|\n/)
  const lines = all.slice(0, maxQuotedLines)
  const cut = short.length < text.length || lines.length < all.length
  return lines.map((line, index) => `> ${line}${cut && index === lines.length - 1 ? '…' : ''}\n`).join('')
}

/** All reactions of the account to a message, of which it has one at most (XEP-0444). */
export function reactionXml(reaction: OutgoingReaction): string {
  const { target, emoji, to } = reaction
  const one = emoji === null ? '' : `<reaction>${escapeXMLText(emoji)}</reaction>`
  const id = escapeXML(referenceTo(target, to) ?? '')
  const reactions = `<reactions xmlns="${ns.reactions}" id="${id}">${one}</reactions>`
  return chatXml(reaction, reactions + receiptFrom(to) + toBeStored)
}

/** A text in place of that of a message (XEP-0308), which is always the original one, however often it was corrected. */
export function correctionXml(correction: OutgoingCorrection, account: string): string {
  const { target, text, to } = correction
  const id = isMediaKind(target.kind) ? captionId(target.network_message_id) : target.network_message_id
  const replace = `<replace xmlns="${ns.correction}" id="${escapeXML(id)}"/>`
  // A caption is no reply; its file is.
  const replyTo = isMediaKind(target.kind) ? undefined : target.replyTo
  const isNamed = replyTo !== undefined && referenceTo(replyTo, to) !== null
  const body = replyXml({ text, marks: () => '' }, isNamed ? replyTo : undefined, { to, account })
  return chatXml(correction, body + replace + signsFrom(to))
}

/**
 * The retraction of a message (XEP-0424), with words for clients that know none. That of a caption comes first, without words.
 */
export function retractionXmls(
  { id, to, target }: OutgoingRetraction,
  { sharedId }: Surroundings,
): readonly string[] {
  const { network_message_id } = target
  const mark = retractXml(sharedId(network_message_id) ?? referenceTo(target, to) ?? '')
  const last = chatXml({ id, to }, mark + withdrawn + receiptFrom(to) + toBeStored)
  if (!mayHaveCaption(target)) return [last]
  const ofCaption = captionId(network_message_id)
  const caption = retractXml(sharedId(ofCaption) ?? ofCaption) + toBeStored
  return [chatXml({ id: captionId(id), to }, caption), last]
}

function retractXml(id: string): string {
  return `<retract xmlns="${ns.retraction}" id="${escapeXML(id)}"/>`
}

/** A client shows the body in the language of its user; the first one is for clients that know no languages. */
const withdrawn =
  bodyXml('I have deleted an earlier message, but your app cannot remove it.', 'en') +
  bodyXml('He eliminado un mensaje anterior, pero tu aplicación no puede quitarlo.', 'es') +
  bodyXml('Apaguei uma mensagem anterior, mas o seu aplicativo não consegue removê-la.', 'pt-BR') +
  `<fallback xmlns="${ns.fallback}" for="${ns.retraction}"/>`
