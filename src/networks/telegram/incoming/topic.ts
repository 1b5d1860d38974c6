import type { GroupTopic } from '../../../contract/resources/content.ts'
import { integerIn, type Json, objectIn, textIn } from '../../kit/json.ts'

/**
 * The topic of a group that a message is in; null for none. Its name is known only if the message replies to none but the
 * one that opened it. Answers to other messages have a thread, too, which is no topic.
 */
export function topicIn(message: Json): GroupTopic | null {
  const id = integerIn(message, 'message_thread_id')
  if (id === null || message.is_topic_message !== true) return null
  const opening = objectIn(objectIn(message, 'reply_to_message') ?? {}, 'forum_topic_created')
  return { id: String(id), name: opening && textIn(opening, 'name') }
}
