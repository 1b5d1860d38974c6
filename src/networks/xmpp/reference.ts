/** The description of the network in the reference. */
export const description = `An account at any XMPP server (RFC 6120), your own or a public one. Recipients are bare addresses such as
\`ana@example.org\`, without a resource.

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

## What comes in

Posthorn receives texts and files to the account, and also those for its other clients if the server copies them (XEP-0280). A
message is a file if the sending client marks it as out-of-band data (XEP-0066), as most do; the text beside it is its caption.
A text that consists only of a URL is a text.

Messages that were sent while the instance was not connected are received once it reconnects. If the server keeps an archive
(XEP-0313), these are all messages, in order: up to 10,000 at once, and the rest with the next connection. Otherwise, they are
those that the server stores for absent accounts.

- Posthorn sends no receipts: a person who writes to the account does not learn whether the message was delivered or read.
- Corrections (XEP-0308), replies (XEP-0461), reactions (XEP-0444) and retractions (XEP-0424) are separate messages, whose
  \`relation\` names the other message. That message itself does not change.
- Posthorn cannot read end-to-end encrypted messages (OMEMO, OpenPGP, OTR): it receives them as \`unsupported\`, with
  \`encrypted\` and the name of the method. Clients find no keys of the account, so most of them write unencrypted messages.
- Posthorn does not receive messages in groups, announcements of servers, or messages of the account to itself.
- It skips a stanza of more than 256 kB, 2,000 elements, 4,000 attributes or a depth of 100, and the connection continues. A
  stanza of more than 4 MB ends the connection.`
