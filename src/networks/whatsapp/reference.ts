/** The description of the network in the reference. */
export const description = `A WhatsApp account, linked by its phone like WhatsApp Web. WhatsApp offers no API for that: Posthorn speaks its protocol
with the library Baileys. Use this network for personal accounts, at a person's pace. For bulk messages, templates and a contract with
Meta, use the WhatsApp Cloud API.

**WhatsApp does not allow unofficial clients, and may restrict or ban the account.** Use a number that you can afford to lose.
Write to people who expect to hear from you, begin slowly, and send only to numbers that you know to have an account.

An address is a phone number with its country code, such as \`+49 151 12345678\`; the id of a person (LID), such as
\`123456789012345@lid\`; or the id of a group that the account is in, such as \`120363021033254949@g.us\`. You find ids in
\`from\`, \`aliases\` and \`conversation\` of received messages.

## Linking the account

\`\`\`
curl -X POST "$URL/v1/instances/support/link" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"kind": "qr"}'
curl "$URL/v1/instances/support/link" -H "Authorization: Bearer $KEY" -H 'Accept: image/png' > qr.png
\`\`\`

On the phone, choose “Settings”, “Linked devices”, “Link a device”, and scan the picture. It is valid until \`expires_at\`; then fetch
the next one. With \`{"kind": "code", "phone": "+4915112345678"}\`, the step is a code of eight characters
for “Link with phone number instead”. If the code is not used in time, the instance is \`stopped\` with \`link_expired\`.

- The phone must be online at least every two weeks, or WhatsApp removes the link: \`logged_out\`.
- For some accounts, WhatsApp requires a passkey. A passkey works only on the page of WhatsApp Web in a browser, so Posthorn
  cannot use it, and reports \`passkey_required\` at once. Neither a code instead of the picture nor a new registration helps.
  Accounts that are linked already stay linked, so do not log them out. For an account that is not linked yet, use the Cloud API, or link another account.
- If linking fails although the picture is right, WhatsApp may be rejecting the version of the client or the name of its browser:
  \`client_outdated\`. Both are settings of the operator.
- Several instances may link the same account, even instances of different organizations: each is a separate device on the
  phone, and receives all messages. WhatsApp limits the number of devices of an account.
- If the server dies while a phone links the account, the phone may list an unused device. Remove it there, and link again.
- The server must prove twice that it is WhatsApp: by TLS, which no setting turns off, and by the certificate of WhatsApp's own protocol.
- With a \`proxy\`, files go through it, too.
- Logging out (\`POST /v1/instances/{name}/logout\`) and removing the instance both remove the device on the phone.

## How far a message got

- \`sent\`: WhatsApp acknowledged it. \`delivered\`: a device of the recipient has it. \`read\`: the recipient read it; only
  people with read receipts turned on send this. In a group, one member is enough for either.
- A message keeps its id and its content in every attempt. If the acknowledgement is lost, it is sent again with the same id, and clients of
  WhatsApp show one message for one id. This is known from observation; WhatsApp does not promise it.
- A receipt is stored before Posthorn acknowledges it. If the server dies in between, WhatsApp sends it again.
- If a device cannot decrypt a message, it asks for it again, and Posthorn sends it again, even after a restart.
- A number without an account is \`recipient_not_on_network\`. Posthorn checks this before it sends anything.
- \`recipient_refused\`: WhatsApp does not let this account write to this person. \`reach_out_restricted\`: it does not let the account
  write to new people for a time. \`new_chats_limit\`: the account has begun as many chats as it may for now. \`restriction\` of the instance
  says until when, if WhatsApp says so. Posthorn repeats none of these messages, because each attempt counts
  against the account. Messages to known chats and groups are still sent.
- \`not_in_group\`: there is no such group, or the account is not in it. People who join later get only the messages sent from then on.

## One person, two addresses

WhatsApp knows people by a phone number and by an id that stays when the number changes. Posthorn sends to the id; if you give a
number, it looks the id up once. \`aliases\` shows the other address, if WhatsApp gave it. You can send to either, and lists by
\`conversation\` find both. WhatsApp does not give the number of every sender, and Posthorn does not look it up: then \`from\`
is the id.

## Files

Images are JPEG or PNG, videos MP4 or 3GP, stickers WebP, audio is OGG with Opus, MP3, MP4, AAC or AMR; anything else goes as a
document, with the notice \`sent_as_document\`. Audio and stickers have no caption. Images of up to 8 MB get a thumbnail (if the
server has \`sharp\`), voice notes their length and a waveform, which is an estimate; videos get neither. Files are encrypted
before they are uploaded. If the upload breaks, nothing was sent, so it is repeated. Texts are sent without link previews.

## Replies, reactions, edits, locations, contacts and polls

- A reply quotes the message that it answers. You can reply to any member of a group.
- A mention is an address in \`mentions\`, and an \`@\` with the digits of that address in the text: \`@4915112345678\`. Posthorn
  replaces the digits by those that the group knows the person by; phones show the name instead.
- An edit replaces the text or the caption. Phones accept it for 15 minutes after the message was sent: if it waits longer because
  the account is not connected, it fails with \`edit_window_over\`. A retraction deletes the message for everyone, for two days.
- Both are messages with ids of their own. Phones that never got the message show nothing.
- \`contacts\` go as vCards. A phone number that begins with \`+\` can be written to with one tap.
- A poll has up to 12 answers. Votes come as \`poll_vote\`, each with all answers that the person chooses now. WhatsApp encrypts votes
  with a secret of their poll, which Posthorn keeps for 90 days, even for polls that the account sends from its phone. Votes in the
  polls of other people, and later votes, are \`unsupported\` with the type \`poll_vote\`.
- WhatsApp accepts buttons, lists and templates only from businesses, over the Cloud API: here they are refused.

## Groups

The account can list its groups, read one with its members, create, join, rename, describe and leave groups,
add, remove, promote and demote members, and approve people who ask to join. \`group.changed\` reports what it
and others change. WhatsApp reports a change once, so Posthorn stores it before acknowledging it.

- Members are named like senders: by the phone number, if WhatsApp gives it, and otherwise by the id. The \`owner\` is the person who created the group.
- Only administrators can add, remove, promote and demote members and get the invite link (\`group_admin_required\`).
- Each named member gets a result. A person who does not let everyone add them is not added
  (\`member_invitation_needed\`): send them the link. A new group contains those who could be added.
- Renewing the link invalidates the old one. If a group that the account wants to join requires
  approval, the request waits for the group's administrators (\`group_approval_needed\`).
- Administrators learn of people who ask to join, withdraw or are declined, list the requests, and approve or
  decline them. WhatsApp gives their numbers or ids, but no names.
- The description of a new group is set after its creation. If WhatsApp refuses it, the group exists without a description, as the response shows.
- Communities and their announcements, channels and broadcast lists are not groups (\`group_is_community\`).
- **Accounts that create groups with people who do not expect it are soon banned.** Posthorn allows an account 20 changes at once, and as many in an hour.

## Checks of numbers, typing and pictures

- \`POST /v1/instances/{name}/check\` tells which phone numbers have an account; \`address\` is the number by which WhatsApp knows the person, which
  may differ, for example in Brazil. For ids and groups, the result is \`unknown\`. **Asking about many numbers gets accounts banned**:
  Posthorn allows an account 50 numbers at once, and as many in an hour. Numbers that you know to have an account need no check.
- \`POST /v1/instances/{name}/typing\` shows that the account is typing, in up to 20 chats at a time. WhatsApp shows this only for accounts that are
  online, so the account is online meanwhile, and the phone may show no notifications. It works only once the
  client knows the account's name, which it learns with the first message that the account writes on its phone.
- WhatsApp tells who is typing only to accounts that are online: with \`shown_online\`, about people who wrote
  recently and in groups; without it, only while the account shows that it is typing. Posthorn passes on up to 20
  such events a second, and subscribes to up to 30 people a minute.
- Pictures of people and groups are fetched like files, through the proxy of the instance. People may hide theirs from the account.

## What comes in

Posthorn receives texts, images, documents, audio, videos, stickers, locations, contacts, polls and votes, choices from buttons and lists, filled-in forms and orders; and reactions, edits and deletions as messages with a \`relation\`. \`sender\` has the
name that the person chose, \`mentions\` the people in the text, and \`referral\` the advertisement that led to the message. An
order says only how many products it has (\`items_left_out\`): WhatsApp shows the products to businesses on their phones. A live location arrives once, as a location. View-once messages, events and the like are \`unsupported\` with their type, and with their text
if they have one. Status updates and channels are left out. What the account writes on its phone comes with \`origin: elsewhere\`,
and what it reads there is no longer \`unread\`, whether or not it lets others see that.

- A message that cannot be decrypted is \`unsupported\` with the type \`undecryptable\`, and its sender's device is asked to
  send it again. When the copy arrives, its content replaces this, under the same \`id\`, with a second event. It may never
  arrive, for example from a phone that was replaced.
- Bytes that are not a message, and messages of more than 1 MB (files do not count), are \`unsupported\` with the name \`unreadable\`.
- People see two ticks once the phone has their message. With the setting \`shown_online\`, they see them as soon as Posthorn has it,
  and the account as online while the instance is connected; the phone shows no notifications then.
- The messages of a conversation come in order; conversations are handled fairly.
- While the instance is not connected, WhatsApp keeps messages for it, for some weeks. Messages from before the link do not
  come: of the history that the phone then transfers, Posthorn keeps only the addresses of people, their privacy tokens and the
  times after which messages disappear.
- A file can be fetched for some weeks. Posthorn checks it first, and drops a file that is not the one that was sent.
- A message is stored first, and only then confirmed to its sender and acknowledged to WhatsApp. If the server dies before that, WhatsApp
  sends the message again, and it is stored once. If it cannot be stored within ten seconds, Posthorn reconnects (\`message_not_stored\`),
  and WhatsApp sends it again, too.

## What only the real network can show

Posthorn is tested against a simulator of WhatsApp, with which an independent client works as well, and not against WhatsApp
itself. Only WhatsApp decides when it restricts or bans an account, which accounts need a passkey, which versions and browsers
it rejects, and whether it shows a repeated message once. It may change any of that at any time.

## Licence

The library Baileys (MIT) uses \`libsignal\`, which is under GPL-3.0. Both are optional dependencies, and are loaded only when an instance of
this network exists. If you distribute Posthorn together with them, you must do so under the terms of the GPL.`
