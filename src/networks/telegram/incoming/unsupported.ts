import type { UnsupportedMessage } from '../../driver/observation.ts'
import { integerIn, type Json, objectIn, objectsIn, textIn } from '../../kit/json.ts'
import { cutText } from '../../kit/received-text.ts'
import { fullName } from './people.ts'

/** A content that cannot be shown, and what it says in words. */
interface Unreadable {
  readonly unsupported: UnsupportedMessage
  readonly words: string | null
}

/** Contents that have no other form here. Some of them look like an event: a payment, or a choice with a button of the bot. */
const others = [
  'dice',
  'game',
  'story',
  'checklist',
  'paid_media',
  'rich_message',
  'invoice',
  'giveaway',
  'giveaway_winners',
  'gift',
  'unique_gift',
  'successful_payment',
  'users_shared',
  'user_shared',
  'chat_shared',
  'passport_data',
]

/**
 * Fields of a message besides its content (https://core.telegram.org/bots/api#message), as far as they are more than a
 * number or a word.
 */
const besides = new Set([
  ...[
    'from',
    'sender_chat',
    'sender_business_bot',
    'receiver_user',
    'chat',
    'direct_messages_topic',
    'via_bot',
  ],
  ...[
    'forward_origin',
    'forward_from',
    'forward_from_chat',
    'guest_bot_caller_user',
    'guest_bot_caller_chat',
  ],
  ...[
    'reply_to_message',
    'external_reply',
    'quote',
    'reply_to_story',
    'link_preview_options',
    'reply_markup',
  ],
  ...['entities', 'caption_entities', 'suggested_post_info'],
])

/** Fields that tell of an event in the chat, rather than of a person's words. */
const events = new Set([
  ...[
    'managed_bot_created',
    'message_auto_delete_timer_changed',
    'pinned_message',
    'proximity_alert_triggered',
  ],
  ...['refunded_payment', 'boost_added', 'write_access_allowed', 'chat_background_set', 'gift_upgrade_sent'],
  ...['giveaway_created', 'giveaway_completed', 'paid_message_price_changed', 'direct_message_price_changed'],
])
const eventsOf =
  /^(new_chat|left_chat|chat_owner|community_chat|forum_topic|general_forum_topic|video_chat|voice_chat|suggested_post|checklist_tasks|poll_option)_/

/**
 * Names the kind of a content that cannot be shown. A kind that Telegram has added since is `unknown`: no content of a
 * person is left out.
 */
export function unsupportedIn(message: Json): Unreadable | null {
  const known = others.find((other) => objectIn(message, other) !== null)
  if (known !== undefined)
    return {
      unsupported: { type: known, name: known },
      words: wordsIn(known, objectIn(message, known) ?? {}),
    }
  const fresh = Object.entries(message).find(
    ([name, value]) =>
      typeof value === 'object' &&
      value !== null &&
      !besides.has(name) &&
      !events.has(name) &&
      !eventsOf.test(name),
  )
  if (!fresh) return null
  return {
    unsupported: { type: 'unknown', name: cutText(fresh[0].toWellFormed(), longestKind) },
    words: null,
  }
}

/** Returns the words in a content of such a kind; null if it has none. */
function wordsIn(kind: string, content: Json): string | null {
  switch (kind) {
    case 'dice':
      return joined(textIn(content, 'emoji'), integerIn(content, 'value'))
    case 'game':
    case 'invoice':
    case 'checklist':
      return textIn(content, 'title')
    case 'users_shared':
      return objectsIn(content, 'users').slice(0, maxShared).map(sharedIn).join(', ') || null
    case 'chat_shared':
      return [textIn(content, 'title'), integerIn(content, 'chat_id')]
        .filter((part) => part !== null)
        .join(' ')
    default:
      return null
  }
}

/** A person may share so many people at once (https://core.telegram.org/bots/api#keyboardbuttonrequestusers). */
const maxShared = 10

function sharedIn(user: Json): string {
  return joined(fullName(user) || null, integerIn(user, 'user_id')) ?? ''
}

function joined(...parts: readonly (string | number | null)[]): string | null {
  return parts.filter((part) => part !== null).join(' ') || null
}

/** In UTF-16 units. */
const longestKind = 64
