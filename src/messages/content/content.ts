import type { MessageContent } from '../../contract/resources/content.ts'
import type { MessageKind } from '../../contract/resources/message.ts'

/** The fields of content that make the kind of a message, each with its name; the others go with any kind. */
const kinds = [
  'location',
  'contacts',
  'interactive',
  'poll',
  'poll_vote',
  'button_reply',
  'list_reply',
  'flow_reply',
  'order',
] as const satisfies readonly (MessageKind & keyof MessageContent)[]

/** The kind of a message with this content; null if the content makes none. */
export function kindOfContent(content: MessageContent): MessageKind | null {
  return kinds.find((kind) => content[kind] !== undefined) ?? null
}

/** Words that tell a person what the content of a message says, for those who only read its text. */
export function wordsOfContent(content: MessageContent): string {
  const { location, contacts, interactive, poll, poll_vote, button_reply, list_reply, flow_reply } = content
  if (location) {
    const { name, address, latitude, longitude } = location
    return [name, address].filter(Boolean).join(', ') || `${latitude}, ${longitude}`
  }
  if (contacts) return contacts.map(({ name }) => name).join(', ')
  if (interactive) return interactive.body
  if (poll) return poll.question
  if (poll_vote) return poll_vote.options.join(', ')
  return (button_reply ?? list_reply)?.title ?? flow_reply?.name ?? ''
}
