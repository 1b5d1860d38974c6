import type { Message } from '../../../clients/javascript/src/index.ts'

/** Characters that no text shows, and that change how others look: controls but tab and line feed, and marks of direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

const maxNameCharacters = 200

/** Returns a name in one line, without characters that could make it look like another. */
export function cleanName(name: string): string {
  const clean = name.replaceAll(invisible, '').replaceAll(/\s+/g, ' ').trim()
  return Array.from(clean).slice(0, maxNameCharacters).join('') || '?'
}

/** Returns the words with which Chatwoot shows a message, apart from its file. Never empty, unless there is a file to show. */
export function contentOf(message: Message, hasFile: boolean): string {
  const words = wordsOf(message)
  const isGroup =
    message.from !== null &&
    message.from !== message.conversation &&
    !message.aliases.includes(message.conversation)
  const sender = isGroup ? `${writerOf(message)}:\n` : ''
  const whole = `${sender}${words}`.replaceAll(invisible, '')
  return whole.trim() === '' && !hasFile ? '(an empty message)' : whole
}

/** Returns who wrote in a group. A name alone proves nothing, because people choose theirs. */
function writerOf({ sender, from }: Message): string {
  const address = cleanName(from ?? '')
  return sender?.name ? `${cleanName(sender.name)} (${address})` : address
}

/** Returns the words that stand for a file which cannot be shown. */
export function placeholderOf(message: Message, why: string): string {
  const { media } = message
  const size = media?.size ? `, ${(media.size / 1_000_000).toFixed(1)} MB` : ''
  const caption = contentOf(message, true)
  const hint = `[File ${cleanName(media?.filename ?? message.kind)}${size}: ${why} Posthorn knows the message as ${message.id}.]`
  return caption === '' ? hint : `${caption}\n${hint}`
}

function wordsOf(message: Message): string {
  const { kind, relation, unsupported, subject } = message
  const text = message.text ?? message.caption ?? ''
  if (kind === 'reaction') return text === '' ? '(removed a reaction)' : `(reacted with ${text})`
  if (kind === 'retraction') return '(deleted a message)'
  if (unsupported)
    return joined(text, `(a message of a kind that cannot be shown: ${cleanName(unsupported.type)})`)
  if (relation?.type === 'correction') return `(corrected) ${text}`
  return joined(subject ?? '', joined(text, detailsOf(message)))
}

/** Returns what an agent needs of a place or of contact details, and the text does not say. */
function detailsOf({ location, contacts }: Message): string {
  if (location) {
    const { latitude, longitude } = location
    return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}`
  }
  if (!contacts) return ''
  const lines = contacts.map(({ name, phones, emails }) => [name, ...phones, ...emails].join(', '))
  return lines.join('\n')
}

function joined(first: string, second: string): string {
  return [first, second].filter((part) => part !== '').join('\n')
}

/** Returns the address if it is a phone number as Chatwoot takes it (E.164). */
export function phoneNumberIn(address: string): string | undefined {
  return /^\+[1-9]\d{6,14}$/.test(address) ? address : undefined
}

/** Returns the `source_id` of a message, by which Chatwoot keeps the id that it has at Posthorn. */
export function sourceIdOf(messageId: string, isUnreadable: boolean): string {
  return `${ours}${messageId}${isUnreadable ? unreadable : ''}`
}

const ours = 'posthorn:'
const unreadable = ':unreadable'

/** Returns the id at Posthorn of a message with this `source_id`; undefined if it has none. */
export function messageIdIn(sourceId: string): string | undefined {
  if (!isOurs(sourceId)) return undefined
  return sourceId.slice(ours.length).split(':')[0] || undefined
}

export function isOurs(sourceId: string | null): boolean {
  return sourceId?.startsWith(ours) ?? false
}

/** True if the message was announced before its content could be read: then it may be announced once more. */
export function isUnreadable(sourceId: string): boolean {
  return sourceId.endsWith(unreadable)
}
