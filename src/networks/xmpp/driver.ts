import { type OutboundGuard, outboundGuard } from '../../net/guard/guard.ts'
import { Names } from '../../net/resolve/names.ts'
import type { Abilities } from '../driver/abilities.ts'
import type { Driver, Limits } from '../driver/driver.ts'
import { parseAddress } from './address.ts'
import { errors, reasons } from './codes.ts'
import { type Timeouts, XmppConnection } from './connection.ts'
import { ScramKeys } from './login/scram-keys.ts'
import { textFault } from './outgoing.ts'
import { accountOf, check, credentialsSchema, mustUndo, settingsSchema } from './settings.ts'

export interface XmppOptions {
  /** Certificate authorities to trust instead of those that Node trusts, in PEM. */
  readonly ca?: string | readonly string[]
  /** Whom instances may connect to; public addresses and this machine without it. */
  readonly guard?: OutboundGuard
  /** What names are looked up with. */
  readonly names?: Names
  /** For tests: how long the server may take for what. In milliseconds. */
  readonly timeouts?: Partial<Timeouts>
}

const megabyte = 1024 * 1024

/** How many SCRAM iterations a server may demand: each 100,000 occupy a thread for a tenth of a second. */
const maxIterations = 100_000

const abilities: Abilities = {
  message_ids: 'ours',
  receipts: ['delivered', 'read'],
  recipients: 'anyone',
  reply_window_seconds: null,
  links: [],
  logs_out: false,
  marks_read: false,
  templates: false,
  sent_elsewhere: false,
  callbacks: false,
  connected_means:
    'The server answered on the stream of the account, and a silent stream is probed with a ping.',
}

const limits: Limits = {
  text_characters: 4096,
  media_bytes: { document: 100 * megabyte, audio: 16 * megabyte, image: 16 * megabyte },
  caption_characters: 1024,
  dedupes_by_id: true,
  in_flight: 32,
  // A server handles the stanzas of one stream in order (RFC 6120 section 10.1), and counts them in order (XEP-0198).
  in_flight_per_recipient: 16,
  answer_timeout_seconds: 30,
  pacing: { messages: 20, seconds: 1 },
  pause: null,
  warm_up: [],
  pacing_per_recipient: null,
  probe_after_seconds: 60,
  probe_timeout_seconds: 10,
}

const loopback = ['127.0.0.0/8', '::1/128']

const timeouts: Timeouts = {
  connect: 15_000,
  acknowledgement: 20_000,
  probe: limits.probe_timeout_seconds * 1_000,
  close: 2_000,
  untaken: 30_000,
  removal: 10_000,
  upload: 20_000,
  archive: 20_000,
  catchUp: 5_000,
}

const description = `An account at any XMPP server (RFC 6120), one's own or somebody else's. Recipients are bare addresses such as
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

/** The XMPP network. */
export function xmpp(options: XmppOptions = {}): Driver {
  const { ca, guard = outboundGuard(loopback), names = new Names() } = options
  const keys = new ScramKeys(maxIterations)
  const connectionOptions = { ca, guard, keys, timeouts: { ...timeouts, ...options.timeouts } }
  return {
    network: 'xmpp',
    title: 'XMPP',
    description,
    settings: settingsSchema,
    credentials: credentialsSchema,
    fixedSettings: ['address', 'register'],
    abilities,
    limits,
    reasons,
    errors,
    check,
    parseAddress,
    accountIn: (settings) => accountOf(settings).address,
    textFault,
    mustUndo,
    connect: (context) =>
      new XmppConnection(context, { ...connectionOptions, names: names.of(context.share.party) }),
  }
}
