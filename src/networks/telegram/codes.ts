import { type CodeMeaning, messageErrors, triesAgain } from '../../contract/codes.ts'
import type { DescribedReason } from '../driver/driver.ts'
import { httpReasons } from '../kit/http-reasons.ts'
import { memoryReasons } from '../kit/memory-reasons.ts'
import { fileErrors } from '../kit/transfer.ts'

/*
 * Every code that this network gives, as data: connections end with these reasons and messages fail with these errors,
 * and the reference is written from the same rows.
 */

const tries = 'Posthorn tries again.'

function lost(happened: string, next: string): DescribedReason {
  return { ends: 'connection-lost', happened, next }
}

/** Why a connection may end. */
export const reasons = {
  token_refused: {
    ends: 'credentials-refused',
    happened: 'Telegram refused the token.',
    next: 'Ask @BotFather for the current token of the bot, and set it (`PUT /v1/instances/{name}/credentials`).',
  },
  callback_url_missing: {
    ends: 'connection-refused',
    happened: 'The operator has not set the URL at which Telegram reaches this server.',
    next: 'Ask the operator to set `POSTHORN_BASE_URL`, then start the instance.',
  },
  callback_url_refused: lost(
    'Telegram does not take the callback URL of the instance.',
    `${tries} Ask the operator to check \`POSTHORN_BASE_URL\`: Telegram must reach it from the internet, by https, at the port 443, 80, 88 or 8443.`,
  ),
  replaced: lost(
    'Another program gets the messages of the bot, with the same token.',
    'Posthorn tries again after a while. Stop the other program, and remove its webhook if it has set one (Bot API method deleteWebhook), or give it a bot of its own.',
  ),
  webhook_set: lost(
    'A webhook is set for the bot, so Telegram sends its messages there and not to Posthorn.',
    `${tries} If nothing else needs the webhook, remove it with the Bot API method deleteWebhook.`,
  ),
  rate_limited: lost('Telegram limits how often the bot may ask.', tries),
  not_telegram: lost(
    'A server other than the Bot API responded.',
    `${tries} If this continues, ask the operator to check \`POSTHORN_TELEGRAM_API\`, and any proxy in between.`,
  ),
  update_too_large: lost(
    'Telegram has an update for the bot that is too large to be read.',
    `${tries} Telegram forgets the update after a day. If this continues, tell the operator.`,
  ),
  messages_not_kept: lost(
    'Posthorn could not store incoming messages.',
    'Posthorn reconnects, and fetches them again.',
  ),
  ...httpReasons('Bot API'),
  ...memoryReasons,
  internal_error: lost(
    'Posthorn could not handle something that Telegram sent.',
    'Posthorn reconnects. If this continues, tell the operator of Posthorn; the log has the cause.',
  ),
} satisfies Record<string, DescribedReason>
export type ReasonCode = keyof typeof reasons

/** Warnings about a connected bot. */
export const restrictions = {
  callbacks_failing: {
    happened: 'Telegram could not deliver messages to the callback URL of the instance.',
    next: 'What you send goes on. Telegram tries again and keeps the messages for a day. Ask the operator to check that Telegram reaches this server.',
  },
} satisfies Record<string, CodeMeaning>

const chooseAnother = 'Choose another recipient.'

/** The recipient cannot be written to. */
const recipients = {
  recipient_unknown: {
    happened: 'The bot knows no such chat.',
    next: 'Check the address. A person must write to this bot before it can write to them.',
  },
  recipient_not_started: {
    happened: 'The person has never written to the bot.',
    next: 'Ask them to open the chat with the bot and press Start.',
  },
  recipient_blocked: { happened: 'The person has blocked the bot.', next: chooseAnother },
  recipient_gone: { happened: 'The account or the group no longer exists.', next: chooseAnother },
  bot_removed: {
    happened: 'The bot is not in that group or channel, or was removed from it.',
    next: 'Have an administrator add the bot.',
  },
  voice_not_accepted: {
    happened: 'The person accepts no voice notes.',
    next: 'Send it as audio: without `voice`.',
  },
  topic_unknown: {
    happened: 'The group has no such topic.',
    next: 'Give the `topic.id` of a message that is in it.',
  },
  topic_closed: {
    happened: 'The topic of the group is closed.',
    next: 'Have an administrator open it, then send a new message.',
  },
  not_allowed: {
    happened: 'The bot may not write in that chat.',
    next: 'Have an administrator give it the right to, then send a new message.',
  },
} satisfies Record<string, CodeMeaning>

/** Something that was asked of a group, or of a person in it, is refused. */
const groups = {
  right_missing: {
    happened: 'The bot is not an administrator of the group, or lacks the right to do this.',
    next: 'Have an administrator give it the right. Administrators whom others appointed can be changed by those alone.',
  },
  member_unknown: {
    happened: 'The person is not in the group, or the bot does not know them.',
    next: 'Check the address. People join by an invitation link.',
  },
  member_protected: {
    happened:
      'The owner of a group, and its administrators, cannot be removed, and the bot cannot promote itself.',
    next: 'Demote an administrator first; the owner stays.',
  },
  join_request_missing: {
    happened: 'The person does not ask to join the group: the request was answered or withdrawn.',
    next: 'List the requests. People who were declined may ask again.',
  },
  supergroup_needed: {
    happened: 'The group is a basic group, in which bots cannot do this.',
    next: 'Have an administrator make it a supergroup, for example by showing its history to new members.',
  },
  group_refused: {
    happened: 'Telegram refused to do this with the group.',
    next: 'Change the request; `network_code` is the error of Telegram.',
  },
  asked_too_often: {
    happened: 'Telegram limits how often the bot may ask.',
    next: 'Wait a minute, then ask again.',
  },
} satisfies Record<string, CodeMeaning>

/** The target or the content of a message does not suit Telegram. */
const contents = {
  edit_window_over: messageErrors.edit_window_over,
  target_unknown: {
    happened:
      'Telegram no longer has the message that this one refers to, or bots cannot refer to such a message, for example a tap on a button.',
    next: 'Send a new message that does not refer to it.',
  },
  reaction_not_allowed: {
    happened: 'Telegram does not allow this emoji as a reaction, or not in this chat.',
    next: 'Choose one that Telegram shows as a reaction, such as 👍 or ❤.',
  },
  url_not_accepted: {
    happened: 'Telegram does not take the URL of the button.',
    next: 'Give the URL of a page on the internet.',
  },
  content_not_representable: {
    happened: 'Telegram cannot show this location or these contacts.',
    next: 'Give a location both a name and an address, or neither; and send one contact in a message, with a phone number.',
  },
} satisfies Record<string, CodeMeaning>

const messages = {
  text_too_long: {
    happened:
      'The text is longer than 4,096 characters, or the caption longer than 1,024, as Telegram counts: most emojis are two.',
    next: 'Send a shorter one.',
  },
  text_empty: { happened: 'Nothing is left of the text without its spaces.', next: 'Send a text.' },
  text_not_representable: {
    happened:
      'The text, the caption or the file name contains a control character, which Telegram cannot carry.',
    next: 'Send a new message without it.',
  },
  file_too_large: { happened: 'The file is larger than Telegram accepts.', next: 'Send a smaller file.' },
  file_empty: { happened: 'Telegram accepts no empty file.', next: 'Send a file with content.' },
  message_refused: {
    happened: 'Telegram refused the message.',
    next: 'Change the message or the recipient; `network_code` is the error of Telegram.',
  },
  rate_limited: {
    happened: 'Telegram limits how many messages the bot may send.',
    next: 'Posthorn sends it at the time that Telegram named, or after a while if it named none.',
  },
  not_connected: { happened: 'The bot was not connected.', next: triesAgain },
  network_unreachable: { happened: 'The Bot API could not be reached.', next: triesAgain },
  upload_interrupted: { happened: 'The connection broke before the whole file was sent.', next: triesAgain },
  token_refused: { happened: 'Telegram refused the token of the bot.', next: triesAgain },
  answer_unusable: { happened: 'A server other than the Bot API responded.', next: triesAgain },
} satisfies Record<string, CodeMeaning>

/** Why a message may be refused or deferred. */
export const errors = { ...recipients, ...groups, ...contents, ...messages, ...fileErrors } satisfies Record<
  string,
  CodeMeaning
>
export type ErrorCode = keyof typeof errors

export const notices = {
  sent_as_document: {
    happened: 'Telegram does not take the file as the kind that was asked for, so it was sent as a document.',
    next: 'Nothing needs to be done.',
  },
  sent_as_audio: {
    happened: 'Telegram does not take the file as a voice note, so it was sent as audio.',
    next: 'Send voice notes as OGG with Opus.',
  },
  recipient_moved: {
    happened: 'The group became a supergroup, which has a new address; the message was sent there.',
    next: 'Use the new address from now on.',
  },
} satisfies Record<string, CodeMeaning>
