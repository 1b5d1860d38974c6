import type { Readable } from 'node:stream'
import type { KeptFile } from '../../../media/store/media-store.ts'
import type { OutgoingFile, OutgoingMessage, TargetMessage } from '../../../networks/driver/message.ts'
import { templateIn } from '../../message.ts'
import type { MessageFile } from '../../message-file.ts'
import type { ClaimedMessage } from '../queue/claim.ts'

/** Opens the bytes of a stored file for reading. */
export type OpenFile = (file: KeptFile) => Readable

/** A message that was claimed, as its driver needs it. */
export function outgoingMessage(message: ClaimedMessage, openFile: OpenFile): OutgoingMessage {
  const { networkId: id, recipient: to, kind, text, content, relation, file } = message
  if (relation && relation.type !== 'reply') return following(message, relation.target)
  const { mentions, topic } = content
  const placed = { id, to, ...(topic && { topic: topic.id }) }
  const replying = { ...placed, ...(relation && { replyTo: relation.target }) }
  const mentioning = { ...replying, ...(mentions && { mentions }) }
  switch (kind) {
    case 'text':
      return { ...mentioning, kind, text: text ?? '' }
    case 'template':
      return { ...replying, kind, template: templateIn(text) }
    case 'location':
      return { ...replying, kind, location: present(content.location) }
    case 'contacts':
      return { ...replying, kind, contacts: present(content.contacts) }
    case 'interactive':
      return { ...replying, kind, interactive: present(content.interactive) }
    case 'poll':
      return { ...replying, kind, poll: present(content.poll) }
    case 'reaction':
    case 'retraction':
      throw new Error(`a ${kind} refers to no message`)
    default:
      return { ...mentioning, kind, caption: text, voice: file?.voice === 1, file: fileOf(file, openFile) }
  }
}

function following(
  { networkId: id, recipient: to, kind, text }: ClaimedMessage,
  target: TargetMessage,
): OutgoingMessage {
  if (kind === 'reaction') return { id, to, kind, target, emoji: text === '' ? null : text }
  if (kind === 'retraction') return { id, to, kind, target }
  return { id, to, kind: 'correction', target, text: text ?? '' }
}

function present<T>(content: T | undefined): T {
  if (content === undefined) throw new Error('a message was stored without its content')
  return content
}

function fileOf(file: MessageFile | null, openFile: OpenFile): OutgoingFile {
  const { media_id = null, filename = null, mime_type = null, size = null, sha256 = null } = file ?? {}
  if (media_id === null || filename === null || mime_type === null || size === null || sha256 === null)
    throw new Error('a message was claimed before its file was kept')
  return { filename, mime_type, size, sha256, open: () => openFile({ id: media_id, size }) }
}
