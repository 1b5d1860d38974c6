/** The description of the network in the reference. */
export const description = `A bot at Telegram, by the Bot API. Create one with [@BotFather](https://t.me/botfather), and give its token as \`credentials\`. No
public address is needed: Posthorn asks Telegram for new messages, unless \`updates\` is \`callback\`. The account of the instance shows
the name of the bot, such as \`@example_bot\`, and the link by which people find it, \`https://t.me/example_bot\`. If the link ends with
\`?start=\` and up to 64 letters, digits, \`_\` and \`-\`, such as a number of yours, whoever opens it sends them with the first
message: its text is \`/start\` and these.

A recipient is the id of a chat, such as \`7000000001\` (groups and channels have negative ids), or the \`@name\` of a public group or
channel. **A person must write to the bot first**; the chat id is then in \`from\` of what they wrote. Bots cannot write to phone
numbers or user names.

## How far a message got

- \`sent\`: Telegram accepted it. \`network_message_id\` is the id of the chat and the number that the message got there. Telegram tells
  bots neither whether a message was delivered nor whether it was read.
- Telegram does not recognize repetitions. If the connection breaks after a message was sent and before Telegram answered, the message
  becomes \`unknown\`, and Posthorn does not send it again.
- Telegram accepts about 30 messages a second from a bot, one a second for a chat, and 20 a minute for a group. Posthorn keeps to the
  first two, and waits if Telegram asks it to.

Texts are sent without markup, and links without a preview. Telegram drops the space around a text, makes spaces of tabs, and leaves
out carriage returns and marks of direction.

## Files

Images of up to 10 MB are sent as photos, which Telegram compresses; larger ones, and those that Telegram does not take as photos, as
documents, with the notice \`sent_as_document\`. A document arrives byte for byte. Voice notes are OGG with Opus, MP3 or M4A.

## What comes in

Texts and files that people write to the bot, in groups also what Telegram lets the bot see there. Telegram keeps messages for 24
hours while the instance is not connected, and gives bots files of up to 20 MB only. A message whose
description alone has more than 1 MB is left out, and the log says so.

- Edits are messages of their own, whose \`relation\` names the message that was corrected, and so are replies.
- Videos, stickers and the like are received as files. Locations, contacts, polls and whatever else is no text and no file are
  \`unsupported\`, with their caption: also payments, and what people chose in an app of the bot. What only happened in a chat, such as that somebody joined, is left out.
- A group that becomes a supergroup gets another id, and stays one conversation. Messages to the old id are sent there, with the notice
  \`recipient_moved\`.
- Only one program can get the messages of a bot. If another one does, or if a webhook is set, \`reason\` says so.

## Callbacks

With \`"settings": {"updates": "callback"}\`, Telegram posts messages to the \`callback_url\` of the instance instead. You enter it nowhere:
Posthorn gives it to Telegram, with a secret that Telegram sends back each time, and takes it away when the instance is removed.
Telegram must reach the server at \`POSTHORN_BASE_URL\`, by https at the port 443, 80, 88 or 8443.

- While the instance is stopped, messages are kept as callbacks. Polling or not, Telegram keeps for 24 hours what nobody took.
- \`connected\` then also means that the webhook of the bot is that of the instance. If Telegram could not deliver a message just now, messages
  are sent nevertheless, and \`restriction\` warns with the code \`callbacks_failing\`, the scope \`none\`, and what Telegram says.
- Posthorn never replaces the webhook of another program. Its own it deletes when an instance polls that was called back before.
- If you replace the token by that of another bot, the webhook of the first one stays, and what Telegram posts for it is refused. It goes
  when that bot is used at this server again; for any other use, remove it (Bot API method deleteWebhook).`
