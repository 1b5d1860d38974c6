import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { systemClock } from '../../runtime/clock.ts'
import { Alarms } from '../../runtime/timers/alarms.ts'
import { ClientAddresses } from './client-address.ts'
import { Connections } from './connections.ts'
import { HttpServer } from './http-server.ts'

/* The end of connections after their last response. */

async function serve(context: TestContext, listener: RequestListener) {
  const alarms = new Alarms(systemClock)
  const limits = { most: 50, perAddress: undefined, onCut: () => {} }
  const connections = new Connections({
    addresses: new ClientAddresses([]),
    clock: systemClock,
    alarms,
    ...limits,
  })
  const closing = { linger: 600_000, parting: 50 }
  const server = new HttpServer({}, listener, { closing, clock: systemClock, alarms, connections })
  server.on('clientError', (_error, socket) => server.readPast(socket as Socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
    alarms.stop()
  })
  return server
}

/** A caller who keeps its own side open, and what it has read so far. */
async function call(server: HttpServer) {
  const socket = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true })
  await once(socket, 'connect')
  const caller = { socket, received: '', send: promisify(socket.write.bind(socket) as Write) }
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    caller.received += chunk.toString()
  })
  return caller
}
type Write = (bytes: string | Uint8Array, done: () => void) => void

function sayGoodbye(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { connection: 'close', 'content-length': '7' }).end('goodbye')
}

const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
const megabyte = Buffer.alloc(1024 * 1024, 'x')

const floods: Readonly<Record<string, string | Uint8Array>> = {
  'no HTTP': megabyte,
  'request after request': get.repeat(30_000),
}
for (const [what, flood] of Object.entries(floods)) {
  test(`who sends ${what} after the last answer is read past, in little memory, and cut off at 128 MB`, async (context) => {
    let asked = 0
    const server = await serve(context, (request, response) => {
      asked++
      sayGoodbye(request, response)
    })
    const { socket, send } = await call(server)
    await send(get)
    await once(socket, 'end')
    const { arrayBuffers } = process.memoryUsage()
    let most = 0
    let sent = 0
    await assert.rejects(async () => {
      for (; sent < 1_000e6; sent += flood.length) {
        await send(flood)
        most = Math.max(most, process.memoryUsage().arrayBuffers - arrayBuffers)
      }
    })
    assert.ok(sent > 100e6, `${sent} bytes`)
    assert.ok(most < 16e6, `${most} bytes gathered`)
    assert.equal(asked, 1)
  })
}

test('what comes in memory that it does not fill is left to gather, so that little of that waits for V8', async (context) => {
  const server = await serve(context, sayGoodbye)
  const connected = once(server, 'connection') as Promise<[Socket]>
  const { socket, send } = await call(server)
  const [own] = await connected
  await send(get)
  await once(socket, 'end')
  const { arrayBuffers } = process.memoryUsage()
  let most = 0
  const piece = Buffer.alloc(60_000, 'x')
  for (let sent = 0; sent < 20e6; sent += piece.length) {
    const read = own.bytesRead
    await send(piece)
    // Before the next one is sent, so that each is read alone.
    while (own.bytesRead === read && !own.isPaused()) await setImmediate()
    most = Math.max(most, process.memoryUsage().arrayBuffers - arrayBuffers)
  }
  assert.ok(most < 5e6, `${most} bytes gathered`)
})

for (const line of ['HTTP/1.0\r\n', 'HTTP/1.1\r\nhost: x\r\nconnection: close\r\n']) {
  test(`who sends all of a body before it looks reads the answer, where it asked for the end: ${JSON.stringify(line)}`, async (context) => {
    const server = await serve(context, (_request, response) =>
      response.writeHead(200, { 'content-length': '7' }).end('refused'),
    )
    for (let round = 0; round < 10; round++) {
      const caller = await call(server)
      caller.socket.pause()
      await caller.send(`POST / ${line}content-length: ${20 * megabyte.length}\r\n\r\n`)
      for (let part = 0; part < 20; part++) await caller.send(megabyte)
      caller.socket.resume()
      await once(caller.socket, 'end')
      assert.match(caller.received, /refused$/)
      caller.socket.end()
    }
  })
}

test('the last of several answers waits for those before it', async (context) => {
  const waiting: (() => void)[] = []
  const server = await serve(context, (request, response) => {
    if (request.url === '/last') sayGoodbye(request, response)
    else waiting.push(() => response.end('first'))
  })
  const caller = await call(server)
  await caller.send(get + get.replace('/', '/last') + get.replace('/', '/behind'))
  while (waiting.length < 2) await setImmediate()
  for (const answer of waiting) answer()
  await once(caller.socket, 'end')
  assert.match(caller.received, /first[\s\S]*goodbye$/)
  assert.equal(caller.received.split('HTTP/1.1 200').length, 3)
})

for (const [what, headers, status] of [
  ['without a body', { connection: 'close' }, 204],
  ['of no length', { connection: 'close' }, 200],
] as const) {
  test(`an answer ${what} ends its connection, too`, async (context) => {
    const server = await serve(
      context,
      (_request, response) => void response.writeHead(status, headers).end(),
    )
    const caller = await call(server)
    await caller.send(get)
    await once(caller.socket, 'end')
    assert.match(caller.received, new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*\r\n\r\n$`))
  })
}

test('an answer is told of as soon as it is written, and a stop waits for nobody who only stays', async (context) => {
  let answered = false
  const server = await serve(context, (request, response) => {
    response.once('responded', () => {
      answered = true
    })
    sayGoodbye(request, response)
  })
  const caller = await call(server)
  await caller.send(get)
  await once(caller.socket, 'end')
  while (!answered) await setImmediate()
  const closed = once(server, 'close')
  server.close()
  await closed
})
