/** The description of the network in the reference. */
export const description = `An account at any XMPP server (RFC 6120), one's own or somebody else's. Recipients are bare addresses such as
\`ana@example.org\`, without a resource.

The connection is encrypted and the certificate verified; the one exception is a server on the same machine, with the
setting \`allow_plaintext\`. If the account gets a new password, put it in place of the old one (\`PUT /v1/instances/{name}/credentials\`);
what is queued is kept. Two instances of one organization cannot use one account: each would end the connection of the other.

## How far a message got

- \`sent\`: the server acknowledged it, by stream management (XEP-0198) or, where the server lacks that, by answering a ping
  behind it.
- \`delivered\`: the recipient's client returned a receipt (XEP-0184). \`read\`: it marked the message as displayed (XEP-0333).
  Some clients do neither; then the message stays \`sent\`.
- A connection that breaks is resumed, and what the server had not received is sent again on it, without doubling anything.
- If resuming fails, the server's archive tells whether an attempt arrived. A message that the server only counted before the
  session ended, and that the archive does not show, becomes \`unknown\`. Any other attempt is repeated with the
  same message id and origin-id (XEP-0359). The server does not filter such a repetition: whether the recipient sees it once is
  up to the recipient's client, which can recognise it by the id. Some clients for the terminal do not.

## Files

The server of the account must offer HTTP File Upload (XEP-0363), as most do, and its own limits count as well.
Posthorn uploads a file there and sends its URL in a message (XEP-0066). The recipient's client shows it as what it is, or as a
link; \`kind\` makes no difference, and there are no voice notes. The file stays at that server for as long as the server keeps it,
and whoever knows its URL can fetch it.

A caption follows the file as a text of its own, whose id is that of the message with \`-caption\` behind it. \`sent\` means that
the server acknowledged both; the receipts of the file are those of the message. Until a file is uploaded the recipient is sent
nothing, so what fails before that can be sent again without doubling anything.

## What comes in

Texts and files to the account are received, also those that go to other clients of it, where the server copies them
(XEP-0280). A file is what a client names as out-of-band data (XEP-0066), as most do; its caption is what is written beside it.
A text that is nothing but a URL is a text.

What was written while there was no connection is received when there is one again. Where the server keeps an archive (XEP-0313),
that is everything, in order: up to 10,000 messages at once, and what is behind them with the next connection. Elsewhere it
is what the server stores for those who are away.

- Posthorn confirms nothing: who writes to the account is not told whether the message was delivered or read.
- Corrections (XEP-0308), replies (XEP-0461), reactions (XEP-0444) and retractions (XEP-0424) are messages of their own, whose
  \`relation\` names the message that they are about. Nothing is changed about that one.
- What is encrypted from one client to the other (OMEMO, OpenPGP, OTR) cannot be read here: it is received as \`unsupported\`, with
  \`encrypted\` and the name of the way. Clients find no keys of the account, so that most of them write in the clear.
- Also not received: what is written in groups, what servers announce, and what the account writes to itself.
- Nor is a stanza of more than 256 kB, 2,000 elements, 4,000 attributes or a depth of 100: it is left out, and the connection goes
  on. One of more than 4 MB ends it.`
