import type { Conversation } from '../../../../../contract/resources/conversation.ts'
import type { GroupEventData } from '../../../../../contract/resources/event.ts'
import type { Message } from '../../../../../contract/resources/message.ts'
import { countsAsUnread } from '../../../core/attention.ts'
import type { Change } from '../../../core/hooks/use-pages.ts'
import { laterOf } from '../../../core/later.ts'
import type { LiveEvent } from '../../../core/live.ts'
import { inOrder, isFurtherBack } from '../../../core/newest-first.ts'

/** The conversation that is open beside the list. */
export interface ChosenConversation {
  readonly instance: string
  readonly address: string
}

/** Returns true for the conversation that is open, by any address of the person. */
export function isChosen(
  { instance, conversation, aliases }: Conversation,
  chosen: ChosenConversation | undefined,
): boolean {
  if (chosen?.instance !== instance) return false
  return conversation === chosen.address || aliases.includes(chosen.address)
}

/** Returns true if a message belongs to a conversation, by any address of the person. */
export function isOf({ instance, conversation, aliases }: Conversation, message: Message): boolean {
  const known = [conversation, ...aliases]
  return (
    instance === message.instance &&
    [message.conversation, ...message.aliases].some((address) => known.includes(address))
  )
}

/** The conversations with a message: it stays in its place if the list is held, and else goes in front. */
export function withMessage(message: Message, held: boolean): Change<Conversation> {
  return (shown, hasMore) => {
    const { instance, conversation, aliases } = message
    const found = shown.find((each) => isOf(each, message))
    if (!found && isFurtherBack(message, shown.map(lastOf), hasMore)) return shown
    const last = found?.last_message
    if (last && last.id > message.id) return shown
    const isSame = last?.id === message.id
    const next = found
      ? {
          ...found,
          ...(isSame ? {} : newsIn(message, found)),
          last_message: isSame ? laterOf(found.last_message, message) : message,
        }
      : { instance, conversation, aliases: [...aliases], ...newsIn(message), last_message: message }
    if (found && (isSame || held)) return shown.map((each) => (each === found ? next : each))
    const others = shown.filter((each) => each !== found)
    return inOrder(others, next, (each) => lastOf(each).id)
  }
}

/** The names that a message came with, and one more that is unread, as the server counts them. */
function newsIn(
  { direction, kind, from, conversation, sender }: Message,
  { name = null, username = null, unread = 0 }: Partial<Conversation> = {},
): Pick<Conversation, 'name' | 'username' | 'unread'> {
  const isTheirs = direction === 'inbound' && from === conversation
  const counts = countsAsUnread({ direction, kind })
  return {
    name: (isTheirs ? sender?.name : null) ?? name,
    username: (isTheirs ? sender?.username : null) ?? username,
    unread: unread + (counts ? 1 : 0),
  }
}

/** The conversations with the new name of a group, if an event tells it. */
export function withSubject({ type, data }: LiveEvent): Change<Conversation> {
  const { group, instance } = type === 'group.changed' ? (data as GroupEventData) : {}
  const isIt = (each: Conversation) =>
    each.instance === instance?.name && each.conversation === group?.address && group?.subject != null
  return (shown) =>
    shown.some(isIt)
      ? shown.map((each) => (isIt(each) ? { ...each, name: group?.subject ?? null } : each))
      : shown
}

/** Returns true for the conversation of a group. */
export function isGroupConversation(conversation: Conversation): boolean {
  return conversation.kind === 'group'
}

/** The newest message of a conversation. */
export function lastOf({ last_message }: Conversation): Message {
  return last_message
}
