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
photos, are sent as documents, with the notice \`sent_as_document\`, and so are videos that are no MP4. A document arrives byte for
byte. Voice notes are OGG with Opus, MP3 or M4A. Stickers are WebP of up to 512 KB, and have no caption.

## The rest of a conversation

- A message with \`topic\` goes into that topic of the group, a reply into the topic of the message that it answers, and any other into
  the topic “General”. The id of a topic is the \`topic.id\` of each message that was written there.
- If Telegram no longer has the message that a reply answers, the reply fails with \`target_unknown\`. Taps on buttons, votes and
  reactions cannot be replied to.
- A reaction is one of the emojis that Telegram shows as such; any other, or one that the group does not allow, fails with
  \`reaction_not_allowed\`. A bot has one reaction to a message.
- Texts and captions can be edited at any time, and messages retracted for 48 hours.
- Mentions: write \`@\` with the id of the person in the text, and name the id in \`mentions\`. Telegram makes it a link to the person
  if they ever wrote to the bot or are in the group. User names that are written with \`@\` become links without \`mentions\`. A mention
  that the text does not have is refused (\`mention_not_in_text\`).
- A place has a name and an address, or neither. A message shows one person, who needs a phone number; further numbers, email addresses
  and the company go along as a vCard.
- Buttons are an inline keyboard below the message, with a row for each. An \`id\` may have 64 bytes. There are no lists,
  headers or footers.
- Polls show who voted, because Telegram tells bots only of such votes; so channels take none.
- \`POST /v1/instances/{name}/typing\` shows that the bot is writing. Telegram does not tell bots who is writing to them. It does not tell
  whether an address exists either: a bot knows the people who wrote to it, and no others.

## Groups

A group or channel has a negative id. An administrator adds the bot; bots can neither make groups, nor join them, nor add people, nor
list the groups that they are in.

- Of the members, bots see the administrators, and the number of all.
- What the bot changes needs the right to it, as an administrator of the group; without it, the request fails with \`right_missing\`.
- A member who is removed may join again.
- A member who is promoted gets those of these rights that the bot has: to manage the group, its information, its messages, its members,
  invitations, pinned messages, topics and video chats. The right to appoint others is not among them. The bot can demote only
  administrators whom it promoted. A basic group allows neither.
- People ask to join if the link that they follow wants it, or if the group does; an administrator decides that in the app. A bot that is an
  administrator with the right to invite hears of each who asks, lists them, and lets them in or not. Telegram has no list for bots, so
  \`…/requests\` shows those of whom it told since the instance was connected, for 90 days and at most 500 of a group, without those who are
  in it. Telegram does not tell that a request was withdrawn, or declined by another: it stays in the list until you answer it, which fails
  with \`join_request_missing\`.
- The invitation link is the bot's own. A new one ends the bot's link before it, and those of other administrators stay.
- Where the bot is an administrator, Telegram tells of members twice, so that a change may come as two events.
- An administrator who hides behind the group writes as the group, and a channel as the channel: \`from\` is then its id.

## What comes in

Posthorn receives the texts and files that people send to the bot, and in groups those that Telegram lets the bot see, with the
names and user names of their senders. Telegram keeps messages for 24 hours while the instance is not connected, and gives bots files of up to 20 MB only. Posthorn skips a
message whose description alone has more than 1 MB, and the log says so.

- Edits are messages of their own, whose \`relation\` names the message that was corrected, and so are replies.
- Places, contacts and polls are received as such, answers of an app of the bot as \`flow_reply\`, and stickers as \`sticker\`. Messages of
  other kinds are \`unsupported\`, with their caption, for example dice, invoices and payments. Service messages of a chat, such as a
  new member, are left out. Moves of a live location are left out, too.
- A tap on a button is a \`button_reply\`. Telegram is told that it was handled once it is stored.
- A vote is a \`poll_vote\` with all answers that the person chooses now. Votes in a poll that is older than 90 days, or that another
  program sent, are \`unsupported\` with the type \`poll_answer\`.
- A reaction has all emojis that the person now gives to the message as its text; it is empty if they took them back. Telegram tells of
  reactions in groups only if the bot is an administrator there. An emoji of a person's own design is \`unsupported\` with
  the type \`custom_emoji\`.
- In a group with topics, \`topic\` is the one that the message was written in.
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
