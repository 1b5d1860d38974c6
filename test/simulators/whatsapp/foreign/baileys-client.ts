import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { createInterface } from 'node:readline'
import makeWASocket, {
  type AuthenticationCreds,
  downloadMediaMessage,
  initAuthCreds,
  type SignalDataTypeMap,
  type WAMessage,
} from 'baileys'
import pino from 'pino'

/*
 * A client by Baileys in a process of its own, with its keys in memory. It is told what to do by lines of JSON, one call a line, and
 * prints what happens to it in the same way.
 */

interface Order {
  readonly id: number
  readonly call: keyof typeof calls
  readonly with: Record<string, unknown>
}

const [, , url = '', caFile = ''] = process.argv
const ca = readFileSync(caFile)
const logger = pino({ level: process.env.BAILEYS_LOG ?? 'silent' }, pino.destination(2))
const creds: AuthenticationCreds = initAuthCreds()
const held = new Map<string, unknown>()
const sent = new Map<string, object>()
const received = new Map<string, WAMessage>()
// The library writes sessions to the console.
for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const)
  Reflect.set(globalThis.console, name, () => {})

const keys = {
  get: async <Type extends keyof SignalDataTypeMap>(type: Type, ids: string[]) => {
    const found = ids.map((id) => [id, held.get(`${type} ${id}`)])
    return Object.fromEntries(found.filter(([, value]) => value !== undefined))
  },
  set: async (data: Record<string, Record<string, unknown>>) => {
    for (const [type, values] of Object.entries(data)) {
      for (const [id, value] of Object.entries(values)) {
        if (value === null || value === undefined) held.delete(`${type} ${id}`)
        else held.set(`${type} ${id}`, value)
      }
    }
  },
}

function emit(event: string, value: object): void {
  process.stdout.write(`${JSON.stringify({ event, ...value })}\n`)
}

let socket = connect()

function connect() {
  const agent = new Agent({ ca })
  const made = makeWASocket({
    waWebSocketUrl: url,
    agent,
    fetchAgent: agent,
    auth: { creds, keys: keys as never },
    logger: logger as never,
    emitOwnEvents: false,
    markOnlineOnConnect: false,
    generateHighQualityLinkPreview: false,
    shouldSyncHistoryMessage: () => false,
    getMessage: async ({ id }) => sent.get(id ?? ''),
    qrTimeout: 60_000,
  })
  made.ev.on('creds.update', (update) => void Object.assign(creds, update))
  made.ev.on('connection.update', ({ connection, qr, lastDisconnect, isNewLogin }) => {
    if (qr !== undefined) emit('qr', { qr })
    if (isNewLogin) emit('paired', {})
    if (connection === 'open') emit('open', { me: creds.me })
    if (connection !== 'close') return
    const { message, output, data } = (lastDisconnect?.error ?? {}) as {
      message?: string
      output?: { statusCode?: number }
      data?: { attrs?: object }
    }
    emit('close', { code: output?.statusCode, message, data: data?.attrs ?? data })
    if (output?.statusCode === 515) socket = connect()
  })
  made.ev.on('messages.upsert', ({ messages, type }) => {
    for (const message of messages) {
      received.set(message.key.id ?? '', message)
      emit('message', {
        type,
        key: message.key,
        message: message.message,
        stub: message.messageStubParameters,
      })
    }
  })
  made.ev.on('messages.update', (updates) => {
    for (const { key, update } of updates)
      emit('update', { key, status: update.status, stub: update.messageStubParameters })
  })
  made.ev.on('message-receipt.update', (updates) => {
    for (const { key, receipt } of updates) emit('receipt', { key, receipt })
  })
  made.ev.on('groups.upsert', (groups) => emit('groups', { groups }))
  made.ev.on('messaging-history.set', ({ chats, contacts, messages }) =>
    emit('history', { chats: chats.length, contacts: contacts.length, messages: messages.length }),
  )
  made.ws.on('CB:ack,class:message', ({ attrs }: { attrs: object }) => emit('ack', { attrs }))
  made.ws.on('CB:notification,type:passkey_prologue_request', () => emit('passkey', {}))
  return made
}

type Content = Parameters<typeof socket.sendMessage>[1]

const calls = {
  send: async ({ to, content, id }: { to: string; content: Content; id?: string }) => {
    const file = (content as { file?: string; kind?: string }).file
    const { kind = 'image', ...rest } = content as { kind?: string }
    const whole = file === undefined ? content : ({ ...rest, [kind]: Buffer.from(file, 'base64') } as never)
    const message = await socket.sendMessage(to, whole, {
      ...(id !== undefined && { messageId: id }),
      ...(kind === 'image' && { jpegThumbnail: '' }),
    })
    if (message?.message) sent.set(message.key.id ?? '', message.message)
    return { id: message?.key.id }
  },
  lid: async ({ pn }: { pn: string }) => ({ lid: await socket.signalRepository.lidMapping.getLIDForPN(pn) }),
  exists: async ({ phone }: { phone: string }) => ({ found: await socket.onWhatsApp(phone) }),
  code: async ({ phone }: { phone: string }) => ({ code: await socket.requestPairingCode(phone) }),
  read: async ({ id }: { id: string }) => {
    const message = received.get(id)
    if (message) await socket.readMessages([message.key])
  },
  ack: async ({ id }: { id: string }) => void (await socket.sendNode(JSON.parse(id))),
  download: async ({ id }: { id: string }) => {
    const message = received.get(id)
    if (!message) throw new Error('There is no such message.')
    const host = socket.getMediaHost?.() ?? ''
    const bytes = await downloadMediaMessage(message, 'buffer', { host } as never)
    return { bytes: bytes.toString('base64') }
  },
  timelock: async () => ({ lock: await socket.fetchAccountReachoutTimelock() }),
  close: async () => void (await socket.end(undefined)),
  reconnect: async () => {
    socket = connect()
  },
  logout: async () => void (await socket.logout()),
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
process.on('unhandledRejection', (error) => emit('rejection', { error: String(error) }))
