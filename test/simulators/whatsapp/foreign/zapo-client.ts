import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { createInterface } from 'node:readline'
import { ConsoleLogger, createStore, WaClient } from 'zapo-js'
import { buildAddonAdditionalData, encryptAddonPayload } from 'zapo-js/message'
import { proto } from 'zapo-js/proto'

/*
 * A client by zapo-js in a process of its own, with its keys in memory. It checks what Baileys does not: the chain of the Noise
 * certificates, and the signatures of accounts and of groups. It is driven as the client by Baileys is.
 */

interface Order {
  readonly id: number
  readonly call: keyof typeof calls
  readonly with: Record<string, unknown>
}

/** The part of a message that a test needs; the types of the package name modules that it does not resolve. */
interface Incoming {
  readonly stanzaId?: string
  readonly senderJid?: string
  readonly chatJid?: string
  readonly message?: {
    readonly conversation?: string
    readonly extendedTextMessage?: { readonly text?: string }
    readonly messageContextInfo?: { readonly messageSecret?: Uint8Array }
    readonly imageMessage?: {
      readonly url: string
      readonly mediaKey: Uint8Array
      readonly fileSha256: Uint8Array
      readonly fileEncSha256: Uint8Array
    }
  }
}

const [, , url = '', caFile = '', rootKey = '', serial = '0'] = process.argv
const agent = new Agent({ ca: readFileSync(caFile) })
const received = new Map<string, Incoming>()
const stdout = process.stdout.write.bind(process.stdout)
// The package logs to the standard output, which is for events alone.
process.stdout.write = process.stderr.write.bind(process.stderr)
const emit = (event: string, value: object) => stdout(`${JSON.stringify({ event, ...value })}\n`)

let credentials: object | null = null
/**
 * Credentials in memory, which the package has no store for. They stay if it clears them: once linked, it soon connects anew by itself,
 * and it takes the order of the server to do so (515) for a logout if that comes first.
 */
const auth = () => ({
  load: async () => credentials,
  save: async (saved: object) => {
    credentials = saved
  },
  clear: async () => {},
})

const client = new WaClient(
  {
    store: createStore({
      backends: { here: { stores: { auth }, caches: {} } as never },
      providers: { auth: 'here' },
    }),
    sessionId: 'test',
    chatSocketUrls: [url],
    proxy: { ws: agent, mediaUpload: agent, mediaDownload: agent },
    testHooks: { noiseRootCa: { publicKey: Buffer.from(rootKey, 'hex'), serial: Number(serial) } },
    connectTimeoutMs: 5000,
    history: { enabled: false },
  },
  new ConsoleLogger((process.env.ZAPO_LOG ?? 'error') as 'error'),
)
client.on('auth_qr', ({ qr }: { qr: string }) => emit('qr', { qr }))
client.on('auth_paired', () => emit('paired', {}))
client.on('connection_success', () => emit('open', {}))
client.on('client_error', ({ error }: { error: Error }) => emit('error', { message: error.message }))
client.on('message', (event: Incoming) => {
  received.set(event.stanzaId ?? '', event)
  const { stanzaId, senderJid, chatJid, message } = event
  const text = message?.conversation ?? message?.extendedTextMessage?.text
  const { messageContextInfo: _, ...content } = message ?? {}
  emit('message', { id: stanzaId, from: senderJid, chat: chatJid, text, content: JSON.stringify(content) })
})
client.on('message_receipt', ({ stanzaId, stanzaType }: Incoming & { stanzaType?: string }) =>
  emit('receipt', { id: stanzaId, type: stanzaType }),
)

const calls = {
  connect: async () => void (await client.connect()),
  disconnect: async () => void (await client.disconnect()),
  read: async ({ id }: { id: string }) => {
    const { chatJid = '' } = received.get(id) ?? {}
    await client.sendReceipt({ to: chatJid, id, type: 'read', t: String(Math.floor(Date.now() / 1000)) })
  },
  send: async ({ to, text, file }: { to: string; text?: string; file?: string }) => {
    const bytes = Buffer.from(file ?? '', 'base64')
    const document = { type: 'document', media: bytes, mimetype: 'text/plain', fileName: 'a.txt' } as const
    const { id, ack } = await client.sendMessage(
      to,
      file === undefined ? { conversation: text ?? '' } : document,
    )
    return { id, error: ack.error }
  },
  /** Votes in a poll that came: encrypted by the package, as it reads votes itself. */
  vote: async (given: { id: string; author: string; voter: string; options: readonly string[] }) => {
    const { id, author, voter, options } = given
    const { message, chatJid = '' } = received.get(id) ?? {}
    const messageSecret = message?.messageContextInfo?.messageSecret ?? new Uint8Array()
    const selectedOptions = options.map((option) => createHash('sha256').update(option).digest())
    const iv = randomBytes(12)
    const encPayload = await encryptAddonPayload({
      messageSecret,
      stanzaId: id,
      parentMsgOriginalSender: author,
      modificationSender: voter,
      modificationType: 'Poll Vote',
      payload: proto.Message.PollVoteMessage.encode({ selectedOptions }).finish(),
      iv,
      additionalData: buildAddonAdditionalData(id, voter),
    })
    const pollCreationMessageKey = { remoteJid: chatJid, fromMe: false, id }
    const vote = { encPayload, encIv: iv }
    return await client.sendMessage(chatJid, { pollUpdateMessage: { pollCreationMessageKey, vote } })
  },
  download: async ({ id }: { id: string }) => {
    const image = received.get(id)?.message?.imageMessage
    if (!image) throw new Error('There is no such image.')
    const { url, mediaKey, fileSha256, fileEncSha256 } = image
    const reference = { mediaType: 'image', url, mediaKey, fileSha256, fileEncSha256 } as const
    const bytes = await client.mediaTransfer.downloadAndDecrypt(reference)
    return { bytes: Buffer.from(bytes).toString('base64') }
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const order = JSON.parse(line) as Order
  const call = calls[order.call] as (given: unknown) => Promise<object | undefined>
  call(order.with).then(
    (result) => emit('done', { id: order.id, result }),
    (error: Error) => emit('done', { id: order.id, error: error.message }),
  )
})
process.stdin.on('end', () => process.exit(0))
