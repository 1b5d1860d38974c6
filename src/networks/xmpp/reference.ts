/** The description of the network in the reference. */
export const description = `An account at any XMPP server (RFC 6120), your own or a public one. Recipients are bare addresses such as
\`ana@example.org\`, without a resource, and rooms such as \`team@rooms.example.org?join\`.

The connection is encrypted and the certificate verified; the only exception is a server on the same machine, with the setting
\`allow_plaintext\`. If the account gets a new password, replace the old one (\`PUT /v1/instances/{name}/credentials\`); queued
messages are kept. Two instances of one organization cannot use one account: each would end the connection of the other.

## How far a message got

- \`sent\`: the server acknowledged it, by stream management (XEP-0198) or, if the server lacks that, by responding to a ping sent after it.
- \`delivered\`: the recipient's client returned a receipt (XEP-0184). \`read\`: it marked the message as displayed (XEP-0333).
  Some clients do neither; then the message stays \`sent\`.
- A broken connection is resumed, and the messages that the server had not received are sent again on it, without duplicates.
- If resuming fails, the server's archive shows whether an attempt arrived. A message that the server only counted before the
  session ended, and that the archive does not show, becomes \`unknown\`. Any other attempt is repeated with the same message id
  and origin-id (XEP-0359). The server does not filter such a repetition: it depends on the recipient's client, which can
  recognize it by the id, whether the recipient sees it once. Some terminal clients do not recognize it.

## Files

The server of the account must offer HTTP File Upload (XEP-0363), as most do, and its own limits count as well. Posthorn uploads
a file there and sends its URL in a message (XEP-0066). The recipient's client shows the file itself, or a link; \`kind\` makes
no difference, and there are no voice notes. That server decides how long it keeps the file, and anyone who knows its URL can
fetch it.

A caption follows the file as a separate text, whose id is that of the message followed by \`-caption\`. \`sent\` means that the
server acknowledged both; the receipts of the file are those of the message. Until a file is uploaded, nothing is sent to the
recipient, so a message that fails before that can be sent again without a duplicate.

## Replies, reactions, changes and locations

XMPP has extensions for these, and each recipient's client decides how to show them. Posthorn cannot see which client that is.

- A reply (XEP-0461) begins with a quote of the other message for clients that know no replies; the others leave it out (XEP-0428).
  A file or a location that replies has no quote.
- A reaction (XEP-0444) is one emoji, and replaces the reaction before. Clients that know no reactions show nothing.
- An edit (XEP-0308) replaces the text of a message, at any time. Clients that know no edits show it as one more message, and some
  accept edits of the last message only. A file without a caption cannot get one (\`caption_missing\`).
- A retraction (XEP-0424) asks for the removal of a message, at any time; nothing enforces it. Other clients show a sentence instead,
  in English, Spanish or Portuguese.
- A message whose client gave it no id cannot be replied or reacted to (\`target_without_id\`). Almost all clients give one.
- A location is sent as a geo URI (RFC 5870), which most clients show on a map, with the name and the address
  attached (XEP-0080). The name and the address also follow as a separate text, like a caption.
- XMPP has no buttons, lists or polls that clients support, and no contact messages: send a vCard as a document.

## Groups

Groups are rooms (XEP-0045). The address of a room looks like that of a person, so it is written with the end of its URI:
\`team@rooms.example.org?join\`. Without that end it is the address of a person. \`join\` takes this address, or the URI
\`xmpp:team@rooms.example.org?join\`.

- The account stays in a room over restarts: its server keeps the list (XEP-0402), and the account also goes into the rooms that other
  clients put there to be entered. It may be in 200 rooms. It reads what it missed from the archive of the room (XEP-0313).
- \`sent\` means that the account's server acknowledged the message. A room that refuses it afterwards makes it \`failed\`, and there are no
  receipts. A message is not repeated if the room shows that it has it.
- A room that hides addresses shows a person by their address in the room, such as \`team@rooms.example.org/Ana\`, to which you cannot send messages.
- \`create\` makes a room for members only, at the service of the account's own server, in which members see each other's addresses. \`add\`
  makes a person a member and invites them (XEP-0249). \`rename\` changes the name of the room, and
  \`describe\` what it says about itself; the \`description\` of a room that says nothing is its topic.
- \`group.changed\` reports changes of members, roles and names. People whose clients connect and disconnect are not changes.
- Requests to join a members-only room do not reach its owners: servers use the form for them (XEP-0045, 7.10)
  only to register nicknames. A request for voice (8.6) comes from a person who is in the room already. Make people members with \`add\`.
- Mentions (XEP-0372) show the person's name in the room instead of their address.

## Typing, pictures, and other clients of the account

- The account shows that it is typing (XEP-0085) to people whose clients say that they support it, until it
  sends a message. Posthorn sees that people are typing only if their clients say so.
- A picture is what a person publishes (XEP-0084), or the photo on their card (XEP-0153), up to about 190 kB. Many servers show it to
  the contacts of the person only.
- A conversation counts as read if another client of the account marks a message that Posthorn knows as
  displayed (XEP-0333, or XEP-0490).

## What comes in

Posthorn receives texts and files to the account, and also those for its other clients if the server copies them (XEP-0280). A
message is a file if the sending client marks it as out-of-band data (XEP-0066), as most do; the text beside it is its caption.
A text that consists only of a URL is a text.

Messages that were sent while the instance was not connected are received once it reconnects. If the server keeps an archive
(XEP-0313), these are all messages, in order: up to 10,000 at once, and the rest with the next connection. Otherwise, they are
those that the server stores for absent accounts.

- Posthorn sends no receipts: a person who writes to the account does not learn whether the message was delivered or read.
- Corrections (XEP-0308), replies (XEP-0461), reactions (XEP-0444) and retractions (XEP-0424) are separate messages, whose
  \`relation\` names the other message. That message itself does not change. The quote of a reply is not part of its text.
- A location comes as \`location\`, from a geo URI that is the whole text, or from XEP-0080. \`sender\` has the
  name that the sender's client gives (XEP-0172), which few do; \`mentions\` are those of XEP-0372. Stickers are
  recognized by XEP-0449.
- Posthorn cannot read end-to-end encrypted messages (OMEMO, OpenPGP, OTR): it receives them as \`unsupported\`, with
  \`encrypted\` and the name of the method. Clients find no keys of the account, so most of them write unencrypted messages.
- Posthorn does not receive private messages from people in rooms, which go back to them, announcements of servers, or messages of the
  account to itself. An invitation by way of a room comes as a message in that room, with its URI.
- It skips a stanza of more than 256 kB, 2,000 elements, 4,000 attributes or a depth of 100, and the connection continues. A
  stanza of more than 4 MB ends the connection.`
