import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { after, afterEach, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { freePort } from '../../kit/far-ends/free-ports.ts'
import { createCheckedClient } from '../../kit/http/checked-client.ts'
import { freshFolder, ofThisRun, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { endWithUs } from '../../kit/processes/end-with-us.ts'

/* A developer's first hour: they watch the events go by, and have them sent to a program under construction. */

const entry = new URL('../../../src/cli/posthorn.js', import.meta.url).pathname
const home = freshFolder()
const data = join(home, 'data')
let posthorn: PosthornProcess
const running: Following[] = []
/** Its own, also while it restarts. */
const POSTHORN_LISTEN = `127.0.0.1:${await freePort()}`

before(async () => {
  posthorn = await spawnPosthorn(data, { POSTHORN_LISTEN })
  await admin().call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
})
afterEach(() => Promise.all(running.splice(0).map((each) => each.stop())))
after(async () => {
  await posthorn.end('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

function admin() {
  const key = readFileSync(join(data, 'admin.key'), 'utf8').trim()
  return createCheckedClient({ baseUrl: posthorn.url, key })
}

async function send(to: string, text: string): Promise<string> {
  const sent = await admin().call(sendTextMessage, { body: { instance: 'trial', to, text }, waitSeconds: 10 })
  return sent.body.id
}

/** A command that goes on until it is interrupted, and the lines that it prints. */
class Following {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>
  readonly #lines: string[] = []
  #heard = () => {}
  said = ''

  constructor(words: readonly string[]) {
    this.#child = spawn(process.execPath, [entry, ...words], {
      env: { ...ofThisRun(), POSTHORN_DATA: data, POSTHORN_LISTEN: new URL(posthorn.url).host },
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: home,
    })
    endWithUs(this.#child)
    createInterface(this.#child.stdout).on('line', (line) => {
      this.#lines.push(line)
      this.#heard()
    })
    this.#child.stderr.on('data', (chunk) => {
      this.said += chunk
      this.#heard()
    })
    running.push(this)
  }

  /** Resolves once it has said this to the person. */
  async says(what: RegExp): Promise<void> {
    while (!what.test(this.said)) await this.#more()
  }

  /** The next line that this fits. */
  async line(what: RegExp): Promise<string> {
    for (;;) {
      const line = this.#lines.shift()
      if (line === undefined) await this.#more()
      else if (what.test(line)) return line
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = resolve
    })
  }

  async stop(): Promise<number | null> {
    if (this.#child.exitCode !== null) return this.#child.exitCode
    this.#child.kill('SIGINT')
    const [code] = await once(this.#child, 'exit')
    return code
  }
}

/** Sends until the follower shows one: then it follows, and misses nothing from there on. */
async function settled(follower: Following): Promise<void> {
  const end = new AbortController()
  const shown = follower.line(/ready\?/).then(() => end.abort())
  while (!end.signal.aborted) {
    await send('ana@accepts.sandbox', 'ready?')
    await Promise.race([shown, new Promise((resolve) => setImmediate(resolve))])
  }
  await shown
}

test('events go by, a line each', async () => {
  const tail = new Following(['events', 'tail', '--types', 'message.queued,message.read'])
  await settled(tail)
  await send('ana@reads.sandbox', 'Good \u001b[31mmorning')
  const line = await tail.line(/message\.read/)
  assert.match(
    line,
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}#\d+ +message\.read +trial {2}ana@reads\.sandbox {2}Good {2}\[31mmorning$/,
  )
  assert.equal(await tail.stop(), 0)
})

test('events go by as JSON, and only those that were asked for', async () => {
  const tail = new Following([
    'events',
    'tail',
    '--json',
    '--instances',
    'trial',
    '--types',
    'message.queued',
  ])
  await settled(tail)
  const id = await send('ana@accepts.sandbox', 'For programs')
  const event = JSON.parse(await tail.line(/For programs/))
  assert.deepEqual([event.type, event.data.message.id], ['message.queued', id])
})

test('who follows waits for a server that restarts, and misses nothing', async () => {
  const tail = new Following(['events', 'tail', '--json', '--types', 'message.queued'])
  await settled(tail)
  await posthorn.end('SIGTERM')
  await tail.says(/the server does not respond; waiting for it/)
  posthorn = await spawnPosthorn(data, { POSTHORN_LISTEN })
  const id = await send('ana@accepts.sandbox', 'After the restart')
  assert.equal(JSON.parse(await tail.line(/After the restart/)).data.message.id, id)
  await tail.says(/the server is back/)
})

async function startReceiver(): Promise<{
  server: Server
  url: string
  bodies: unknown[]
  secret: { value: string }
}> {
  const bodies: unknown[] = []
  const secret = { value: '' }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    try {
      bodies.push(new Webhook(secret.value).verify(body, request.headers as Record<string, string>))
      response.writeHead(204).end()
    } catch {
      response.writeHead(401).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, bodies, secret }
}

test('a program under construction gets the events, signed like a webhook', async () => {
  const receiver = await startReceiver()
  const file = join(home, 'listen.secret')
  const words = [
    'webhooks',
    'listen',
    '--forward',
    receiver.url,
    '--secret-file',
    file,
    '--types',
    'message.queued',
  ]
  const listen = new Following(words)
  await listen.says(/verifies them with the secret/)
  receiver.secret.value = readFileSync(file, 'utf8').trim()
  assert.ok(listen.said.includes(receiver.secret.value))
  await settled(listen)
  const id = await send('ana@accepts.sandbox', 'To the program')
  await listen.line(/To the program/)
  assert.match(await listen.line(/→/), /→ 204 in \d+ ms/)
  const last = receiver.bodies.at(-1) as { type: string; data: { message: { id: string } } }
  assert.deepEqual([last.type, last.data.message.id], ['message.queued', id])
  receiver.server.close()
  receiver.server.closeAllConnections()
  await send('ana@accepts.sandbox', 'To nobody')
  await listen.line(/To nobody/)
  assert.match(await listen.line(/→/), /→ no response: /)
})

const wrongUses: Readonly<Record<string, [words: string[], says: RegExp]>> = {
  'a type that does not exist': [
    ['events', 'tail', '--types', 'message.lost'],
    /no such event type.*message\.received/,
  ],
  'a key file that is not there': [
    ['events', 'tail', '--key-file', 'nowhere'],
    /name a file that holds an API key/,
  ],
  'a key that is none': [
    ['events', 'tail', '--key-file', 'wrong.key'],
    /the server refuses.*unauthenticated/,
  ],
  'a cursor that is none': [['events', 'tail', '--after', 'NOTHING'], /the server refuses.*invalid_request/],
  'a target that is no URL': [
    ['webhooks', 'listen', '--forward', 'localhost:3000'],
    /--forward must be a URL/,
  ],
  'a secret that is none': [
    ['webhooks', 'listen', '--forward', 'http://127.0.0.1:9/', '--secret-file', 'wrong.key'],
    /does not hold a secret/,
  ],
}

for (const [what, [words, says]] of Object.entries(wrongUses)) {
  test(`${what} is said, and ends it`, async () => {
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'wrong.key'), 'phk_nothing\n')
    const following = new Following(words)
    await following.says(says)
  })
}
