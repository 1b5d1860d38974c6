/** The description of the network in the reference. */
export const description = `A bot at Telegram, by the Bot API. Create one with [@BotFather](https://t.me/botfather), and give
its token as \`credentials\`. No public address is needed: Posthorn polls Telegram for new messages, unless \`updates\` is
\`callback\`. The account of the instance shows the name of the bot, such as \`@example_bot\`, and the link by which people find
it, \`https://t.me/example_bot\`. If the link ends with \`?start=\` and up to 64 letters, digits, \`_\` and \`-\`, such as a
number of yours, a person who opens it sends these characters with the first message: its text is \`/start\`, followed by them.

A recipient is the id of a chat, such as \`7000000001\` (groups and channels have negative ids), or the \`@name\` of a public group or
channel. **A person must write to the bot first**; the chat id is then in \`from\` of their message. Bots cannot write to phone
numbers or user names.

## How far a message got

- \`sent\`: Telegram accepted it. \`network_message_id\` is the id of the chat and the number of the message in it. Telegram
  does not tell bots whether a message was delivered or read.
- Telegram does not recognize repetitions. If the connection breaks after a message was sent and before Telegram acknowledged
  it, the message becomes \`unknown\`, and Posthorn does not send it again.
- Telegram accepts about 30 messages a second from a bot, one a second for a chat, and 20 a minute for a group. Posthorn keeps to the
  first two, and waits if Telegram asks it to.

Texts are sent without markup, and links without a preview. Telegram removes white space around a text, turns tabs into spaces,
and removes carriage returns and direction marks.

## Files

Images of up to 10 MB are sent as photos, which Telegram compresses; larger images, and those that Telegram does not accept as
photos, are sent as documents, with the notice \`sent_as_document\`. A document arrives byte for byte. Voice notes are OGG with
Opus, MP3 or M4A.

## What comes in

Posthorn receives the texts and files that people send to the bot, and in groups those that Telegram lets the bot see. Telegram
keeps messages for 24 hours while the instance is not connected, and gives bots files of up to 20 MB only. Posthorn skips a
message whose description alone has more than 1 MB, and the log says so.

- Edits are messages of their own, whose \`relation\` names the message that was corrected, and so are replies.
- Videos, stickers and the like are received as files. Messages that are neither text nor file are \`unsupported\`, with their
  caption, for example locations, contacts, polls, payments, and choices in an app of the bot. Service messages of a chat, such
  as a new member, are left out.
- A group that becomes a supergroup gets another id, and stays one conversation. Messages to the old id are sent there, with the notice
  \`recipient_moved\`.
- Only one program can get the messages of a bot. If another program gets them, or if a webhook is set, \`reason\` says so.

## Callbacks

With \`"settings": {"updates": "callback"}\`, Telegram posts messages to the \`callback_url\` of the instance instead. You need
not enter it: Posthorn registers it with Telegram, with a secret that Telegram sends back each time, and removes it together
with the instance. Telegram must reach the server at \`POSTHORN_BASE_URL\`, by https at the port 443, 80, 88 or 8443.

- While the instance is stopped, messages are kept as callbacks. With polling and with callbacks, Telegram keeps messages that
  it could not deliver for 24 hours.
- \`connected\` then also means that the webhook of the bot is that of the instance. If Telegram recently failed to deliver a
  callback, Posthorn still sends messages, and \`restriction\` warns of it with the code \`callbacks_failing\`, the scope
  \`none\`, and Telegram's error.
- Posthorn never replaces the webhook of another program. It deletes its own when an instance changes from callbacks to polling.
- If you replace the token by that of another bot, the webhook of the first bot stays, and Posthorn refuses its callbacks.
  Posthorn removes it when that bot is used on this server again; for any other use, remove it yourself (Bot API method
  deleteWebhook).`
