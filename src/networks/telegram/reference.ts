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
photos, are sent as documents, with the notice \`sent_as_document\`, and so are videos that are not MP4. A document arrives byte for
byte. Voice notes are OGG with Opus, MP3 or M4A. Stickers are WebP of up to 512 KB, and have no caption.

## The rest of a conversation

- A message with \`topic\` goes into that topic of the group, a reply into the topic of the message that it answers, and any other into
  the topic “General”. The id of a topic is the \`topic.id\` of each message that was written there.
- If Telegram no longer has the message that a reply answers, the reply fails with \`target_unknown\`. Taps on buttons, votes and
  reactions cannot be replied to.
- A reaction is one of the emojis that Telegram shows as such; any other, or one that the group does not allow, fails with
  \`reaction_not_allowed\`. A bot has one reaction to a message.
- Texts and captions can be edited at any time, and messages retracted for 48 hours.
- Mentions: write \`@\` with the person's id in the text, and give the id in \`mentions\`. Telegram makes it a
  link to the person if they have written to the bot or are in the group. User names with \`@\` become links
  without \`mentions\`. A mention that is not in the text is refused (\`mention_not_in_text\`).
- A location has both a name and an address, or neither. A message contains one contact, who needs a phone
  number; further numbers, email addresses and the company are sent as a vCard.
- Buttons are an inline keyboard below the message, with a row for each. An \`id\` may have 64 bytes. There are no lists,
  headers or footers.
- Polls are not anonymous, because Telegram reports only such votes to bots; so polls cannot be sent to channels.
- \`POST /v1/instances/{name}/typing\` shows that the bot is typing. Telegram does not tell bots who is typing to them, nor whether an address exists:
  a bot knows only the people who have written to it.

## Groups

A group or channel has a negative id. An administrator adds the bot. Bots cannot create or join groups, add
people, or list the groups that they are in.

- Bots see the administrators of a group and the number of its members, but not the other members.
- To change something, the bot must be an administrator of the group with the right to do so; otherwise the request fails with \`right_missing\`.
- A removed member can join again.
- A member who is promoted gets those of these rights that the bot has: to manage the group, its information, its messages, its members,
  invitations, pinned messages, topics and video chats. The right to appoint others is not among them. The bot can demote only
  administrators whom it promoted. A basic group allows neither.
- People ask to join if the link that they follow, or the group, requires approval; an administrator sets this
  in the app. A bot that is an administrator with the right to invite learns of each request, lists the requests,
  and approves or declines them. Telegram has no list for bots, so \`…/requests\` shows the requests that it has
  reported since the instance was connected, for 90 days and at most 500 for each group, without people who have
  joined. Telegram does not say when a request is withdrawn, or declined by another administrator: it stays in
  the list until you decide on it, which fails with \`join_request_missing\`.
- The invite link is the bot's own. A new one invalidates the bot's previous link, but not those of other administrators.
- If the bot is an administrator, Telegram reports changes of members twice, so a change may come as two events.
- An administrator who hides behind the group writes as the group, and a channel as the channel: \`from\` is then its id.

## What comes in

Posthorn receives the texts and files that people send to the bot, and in groups those that Telegram lets the bot see, with the
names and user names of their senders. Telegram keeps messages for 24 hours while the instance is not connected, and gives bots files of up to 20 MB only. Posthorn skips a
message whose description alone has more than 1 MB, and the log says so.

- Edits are messages of their own, whose \`relation\` names the message that was corrected, and so are replies.
- Locations, contacts and polls are received as such, data from a web app of the bot as \`flow_reply\`, and stickers as \`sticker\`. Messages of
  other kinds are \`unsupported\`, with their caption, for example dice, invoices and payments. Service messages of a chat, such as a new member, and updates of a live location are left out.
- A tap on a button is a \`button_reply\`. Once it is stored, Posthorn tells Telegram that it was handled.
- A vote is a \`poll_vote\` with all answers that the person currently chooses. Votes in a poll that is older
  than 90 days, or that another program sent, are \`unsupported\` with the type \`poll_answer\`.
- The text of a reaction consists of all emojis that the person currently gives to the message; it is empty if
  they removed them. Telegram reports reactions in groups only if the bot is an administrator there. A custom
  emoji is \`unsupported\` with the type \`custom_emoji\`.
- In a group with topics, \`topic\` is the one that the message was written in.
- A group that becomes a supergroup gets another id, and stays one conversation. Messages to the old id are sent there, with the notice
  \`recipient_moved\`.
- Only one program can get the messages of a bot. If another program gets them, or if a webhook is set, \`reason\` says so.

## Callbacks

With \`"settings": {"updates": "callback"}\`, Telegram posts messages to the \`callback_url\` of the instance instead. You need
not enter it: Posthorn registers it with Telegram, with a secret that Telegram sends back each time, and removes it together
with the instance. Telegram must reach the server at \`POSTHORN_BASE_URL\`, over HTTPS on port 443, 80, 88 or 8443.

- While the instance is stopped, messages are kept as callbacks. With polling and with callbacks, Telegram keeps messages that
  it could not deliver for 24 hours.
- \`connected\` then also means that the webhook of the bot is that of the instance. If Telegram recently failed to deliver a
  callback, Posthorn still sends messages, and \`restriction\` warns of it with the code \`callbacks_failing\`, the scope
  \`none\`, and Telegram's error.
- Posthorn never replaces the webhook of another program. It deletes its own when an instance changes from callbacks to polling.
- If you replace the token by that of another bot, the webhook of the first bot stays, and Posthorn refuses its callbacks.
  Posthorn removes it when that bot is used on this server again; for any other use, remove it yourself (Bot API method
  deleteWebhook).`
