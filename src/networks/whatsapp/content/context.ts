import type { TargetMessage } from '../../driver/message.ts'
import { cutText } from '../../kit/received-text.ts'
import { jidOf } from '../address.ts'
import { whatsappIdOf } from '../message-id.ts'
import type { WhatsAppContent } from './fields.ts'

/*
 * How a message refers to another one. Only the client knows how the chat addresses its people (by phone numbers or by LIDs), and
 * the account's own address: `worker/outgoing/place.ts` fills that in.
 */

/** UTF-16 units of a text that a reply quotes. */
const longestQuote = 1024

/** Our own ids, as they are told. */
const ownId = /^[0-9a-hjkmnp-tv-z]{26}$/

interface Referring {
  readonly replyTo?: TargetMessage
  readonly mentions?: readonly string[]
}

/** The context of a message that replies to another one, or mentions people; null if it does neither. */
export function contextOf({ replyTo, mentions = [] }: Referring): WhatsAppContent | null {
  if (!replyTo && mentions.length === 0) return null
  return {
    ...(replyTo && { stanzaId: idOf(replyTo), quotedMessage: quoteOf(replyTo) }),
    // Without one, the account wrote it.
    ...(replyTo && replyTo.from !== null && { participant: jidOf(replyTo.from) }),
    ...(mentions.length > 0 && { mentionedJid: mentions.map(jidOf) }),
  }
}

/** The key of a message that another one is about. */
export function targetKey(target: TargetMessage): WhatsAppContent {
  const { from } = target
  return {
    id: idOf(target),
    fromMe: from === null,
    ...(from !== null && { participant: jidOf(from) }),
  }
}

/** The id of a message at WhatsApp: one that came is stored with its sender, and one of ours under our id. */
function idOf({ network_message_id, sender_message_id }: TargetMessage): string {
  if (sender_message_id !== null) return sender_message_id
  return ownId.test(network_message_id) ? whatsappIdOf(network_message_id) : network_message_id
}

/** As much of the target as is known here. Clients show the message itself if they have it. */
function quoteOf({ kind, text }: TargetMessage): WhatsAppContent {
  const words = cutText(text ?? '', longestQuote)
  const caption = words === '' ? {} : { caption: words }
  switch (kind) {
    case 'image':
      return { imageMessage: caption }
    case 'video':
      return { videoMessage: caption }
    case 'document':
      return { documentMessage: caption }
    case 'audio':
      return { audioMessage: {} }
    case 'sticker':
      return { stickerMessage: {} }
    case 'location':
      return { locationMessage: { name: words } }
    case 'contacts':
      return { contactMessage: { displayName: words } }
    case 'poll':
      return { pollCreationMessageV3: { name: words } }
    default:
      return { conversation: words }
  }
}
