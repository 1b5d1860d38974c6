import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type Attack, call, createInstance, keepDoing, type Target } from './attack.ts'

const sockets = 300

/** Callers without a key who never finish what they send. */
export const callersWithoutKey: Attack = async ({ url }) => {
  const { hostname, port } = new URL(url)
  const head = `POST /v1/messages/text HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: 100000\r\n\r\n`
  const hold = async () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {}).resume()
    const drip = setInterval(() => socket.write('x'), 1_000)
    socket.write(head)
    await once(socket, 'close')
    clearInterval(drip)
  }
  keepDoing(sockets, hold)
}

/** Six uploads at a time of a day of silence, each to become a voice note. */
export const longVoiceNotes: Attack = async (target) => {
  if (!target.silence) throw new Error('this attack needs a file with a day of silence')
  await createInstance(target, { name: 'voices', network: 'sandbox' })
  const silence = readFileSync(target.silence)
  keepDoing(6, () => {
    const form = new FormData()
    const fields = { instance: 'voices', to: 'ana@accepts.sandbox', kind: 'audio', voice: 'true' }
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', new Blob([silence]), 'silence.flac')
    return call(target, '/v1/messages/media', form)
  })
}

/** Files by URL from a server that sends a byte a second, as many as are taken. */
export const drippingFiles: Attack = async (target) => {
  await createInstance(target, { name: 'files', network: 'sandbox' })
  const url = await drippingServer()
  let next = 0
  keepDoing(8, () => {
    const to = `f${next++}@accepts.sandbox`
    return call(target, '/v1/messages/media', { instance: 'files', to, kind: 'document', url })
  })
}

async function drippingServer(): Promise<string> {
  const drip = (socket: Socket) => {
    socket.on('error', () => {}).resume()
    socket.write(
      'HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: 1000000\r\n\r\n%PDF-1.7\n',
    )
    const timer = setInterval(() => socket.write('x'), 1_000)
    socket.once('close', () => clearInterval(timer))
  }
  const server = createServer(drip)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/file.pdf`
}

const fileBytes = 1_000_000

/** Files for next week, and texts to addresses without an owner, as fast as the server responds. */
export const endlessSending: Attack = async (target: Target) => {
  await createInstance(target, { name: 'later', network: 'sandbox' })
  const send_at = new Date(Date.now() + 6 * 86_400_000).toISOString()
  let next = 0
  keepDoing(4, () => {
    const form = new FormData()
    const fields = { instance: 'later', to: `l${next}@accepts.sandbox`, kind: 'document', send_at }
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', new Blob([Buffer.alloc(fileBytes, `${next++}`)]), 'later.bin')
    return call(target, '/v1/messages/media', form)
  })
  keepDoing(28, () =>
    call(target, '/v1/messages/text', { instance: 'later', to: `n${next++}@refuses.sandbox`, text: 'Hello' }),
  )
}
