import type { FollowingMessage, OutgoingCorrection } from '../../driver/message.ts'
import { targetKey } from './context.ts'
import type { WhatsAppContent } from './fields.ts'
import { acceptedAt } from './time.ts'

/**
 * The content of a message that changes another one. It is the same in each attempt, also its time, by which clients know
 * which of two changes is the later one. Source: `ReactionMessage` and `ProtocolMessage` of WhatsApp Web, as whatsmeow
 * (`BuildReaction`, `BuildEdit`, `BuildRevoke`) and Baileys fill them.
 */
export function followingContent(message: FollowingMessage): WhatsAppContent {
  const key = targetKey(message.target)
  const at = acceptedAt(message.id)
  switch (message.kind) {
    case 'reaction':
      return { reactionMessage: { key, text: message.emoji ?? '', senderTimestampMs: at } }
    case 'correction':
      return {
        protocolMessage: {
          type: 'MESSAGE_EDIT',
          key,
          editedMessage: editedContent(message),
          timestampMs: at,
        },
      }
    case 'retraction':
      return { protocolMessage: { type: 'REVOKE', key } }
  }
}

/** A caption goes with its file, as far as the client remembers that: see `worker/outgoing/place.ts`. */
function editedContent({ target, text }: OutgoingCorrection): WhatsAppContent {
  switch (target.kind) {
    case 'image':
      return { imageMessage: { caption: text } }
    case 'video':
      return { videoMessage: { caption: text } }
    case 'document':
      return { documentWithCaptionMessage: { message: { documentMessage: { caption: text } } } }
    default:
      return { conversation: text }
  }
}
