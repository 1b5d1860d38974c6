import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, test } from 'node:test'
import { createClient } from '../../../src/contract/client/client.ts'
import { createInstance, listInstances } from '../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { getReadiness } from '../../../src/contract/operations/service-operations.ts'
import { freePort } from '../../kit/far-ends/free-ports.ts'
import { RawConnection } from '../../kit/http/raw-connection.ts'
import { eventually } from '../../kit/play.ts'
import { freshFolder, ofThisRun, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { endWithUs } from '../../kit/processes/end-with-us.ts'

const home = freshFolder()
const running = new Set<PosthornProcess>()
let folders = 0

afterEach(async () => {
  for (const posthorn of running) await posthorn.end('SIGKILL')
  running.clear()
})
after(() => rmSync(home, { recursive: true, force: true }))

/** Returns the path of a fresh data folder, which is not there yet. */
function newData(): string {
  folders++
  return join(home, String(folders), 'data')
}

async function start(data: string, environment: Record<string, string> = {}): Promise<PosthornProcess> {
  const posthorn = await spawnPosthorn(data, environment)
  running.add(posthorn)
  return posthorn
}

/**
 * Returns the words of a server that refuses to start; it must end by itself, with exit code 1, and say it in one sentence.
 */
async function refusal(data: string, environment: Record<string, string> = {}): Promise<string> {
  const error = await start(data, environment).then(
    () => assert.fail('it started'),
    (error: Error) => error,
  )
  const said = error.message.replaceAll(/^\{"level".*\n/gm, '')
  const match = /^Posthorn ended with code 1:\nPosthorn cannot start: (.+?)\.?\n$/.exec(said)
  assert.ok(match?.[1], `one sentence and exit code 1 were expected, not: ${error.message}`)
  return match[1]
}

/** Everything in a data folder: the files, and of the store the rows. */
function contentOf(data: string): Record<string, unknown> {
  const entries = readdirSync(data, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'posthorn.db')
  const store = new DatabaseSync(join(data, 'posthorn.db'), { readOnly: true })
  const rowsOf = (table: string) => store.prepare(`select * from ${table}`).all()
  const tables = ['service', 'organizations', 'api_keys', 'instances', 'messages']
  const rows = tables.map((table) => [table, rowsOf(table)])
  store.close()
  const contents = files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')])
  return Object.fromEntries([...rows, ...contents])
}

/** A data folder in which a server was started and stopped. */
async function usedData(): Promise<string> {
  const data = newData()
  const posthorn = await start(data)
  await posthorn.admin.call(createInstance, { body: { name: 'trial' } })
  assert.equal(await posthorn.end('SIGTERM'), 0)
  return data
}

const modeOf = (path: string) => statSync(path).mode & 0o777
const otherKey = '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef'

test('the first start tells where an admin key is that works and keeps it for its owner; the second shows none', async () => {
  const data = newData()
  const first = await start(data)
  assert.match(first.output(), /^Posthorn serves on /, 'the greeting comes first')
  assert.match(first.output(), /admin key +in .*admin\.key\n/)
  assert.ok(!first.output().includes('phk_'), 'no log file gets the key')
  assert.deepEqual((await first.admin.call(listInstances)).body.data, [])
  assert.equal(modeOf(data), 0o700)
  for (const file of ['admin.key', 'master.key', 'operator.token', 'metrics.token'])
    assert.equal(modeOf(join(data, file)), 0o600)
  assert.equal(await first.end('SIGTERM'), 0)

  const second = await start(data)
  assert.doesNotMatch(second.output(), /phk_|admin key/)
  assert.equal(second.adminKey, first.adminKey)
  await second.admin.call(listInstances)
})

test('no secret is shown if no terminal reads', async () => {
  const data = newData()
  const posthorn = await start(data, { POSTHORN_LOG_LEVEL: 'trace' })
  await posthorn.admin.call(listInstances)
  await posthorn.end('SIGTERM')
  for (const file of ['master.key', 'operator.token', 'metrics.token'])
    assert.ok(!posthorn.output().includes(readFileSync(join(data, file), 'utf8').trim()))
  assert.ok(!posthorn.output().includes(posthorn.adminKey))
})

test('the token for metrics cannot be the one of the operator, wherever the two come from', async () => {
  const data = newData()
  const token = 'hush'.repeat(8)
  const both = { POSTHORN_OPERATOR_TOKEN: token, POSTHORN_METRICS_TOKEN: token }
  const said = await refusal(data, both)
  assert.match(said, /the operator's token and the token for metrics must be different/)
  assert.doesNotMatch(said, /hush/)
})

test('a second server on the same folder is refused while the first goes on serving', async () => {
  const data = newData()
  const first = await start(data)
  assert.match(
    await refusal(data),
    /another Posthorn server is running on the data folder .*; stop it first, or/,
  )
  await first.admin.call(listInstances)
  assert.equal(await first.end('SIGTERM'), 0)
  await start(data)
})

test('a wrong master key refuses to start and changes nothing; the right one starts again', async () => {
  const data = await usedData()
  // Leftovers of a crash are removed by the next server that starts, and by no other.
  writeFileSync(join(data, 'media', 'drafts', 'half'), 'half a file')
  const before = contentOf(data)
  assert.match(
    await refusal(data, { POSTHORN_MASTER_KEY: otherKey }),
    /the master key from POSTHORN_MASTER_KEY is not the one that the store was sealed with; set POSTHORN_MASTER_KEY/,
  )
  assert.deepEqual(contentOf(data), before)
  const posthorn = await start(data)
  assert.equal((await posthorn.admin.call(listInstances)).body.data.length, 1)
})

test('a missing master key refuses to start and makes no new one', async () => {
  const data = await usedData()
  const key = readFileSync(join(data, 'master.key'))
  rmSync(join(data, 'master.key'))
  const before = contentOf(data)
  assert.match(
    await refusal(data),
    /the master key is missing: there is no .*master\.key.*; put the file back/,
  )
  assert.deepEqual(contentOf(data), before)
  writeFileSync(join(data, 'master.key'), key, { mode: 0o600 })
  await start(data)
})

test('a master key that was published as an example, or is none, refuses to start before anything is made', async () => {
  for (const key of [
    '429683C4C977415CAAFCCE10F7D57E11',
    'BQYHJGJHJ',
    'ThisIsMySecureToken',
    '00'.repeat(32),
    'x',
  ]) {
    const data = newData()
    assert.match(
      await refusal(data, { POSTHORN_MASTER_KEY: key }),
      /^POSTHORN_MASTER_KEY .*openssl rand -hex 32/,
    )
    assert.equal(existsSync(data), false)
  }
  const data = newData()
  mkdirSync(data, { recursive: true })
  writeFileSync(join(data, 'master.key'), 'secret\n')
  assert.match(await refusal(data), /the master key in .*master\.key is a published example/)
})

test('a setting that does not exist, or does not fit, refuses to start before anything is made', async () => {
  const data = newData()
  assert.match(
    await refusal(data, { POSTHORN_LISTN: '127.0.0.1:0' }),
    /^POSTHORN_LISTN is not a setting; did you mean POSTHORN_LISTEN\?$/,
  )
  assert.match(
    await refusal(data, { POSTHORN_LISTEN: ':8080' }),
    /^POSTHORN_LISTEN must be an address and a port/,
  )
  assert.equal(existsSync(data), false)
  assert.match(
    await refusal(data, { POSTHORN_DEFAULT_NETWORK: 'pigeon' }),
    /^POSTHORN_DEFAULT_NETWORK must be one of sandbox/,
  )
})

test('a data folder that cannot be made is said in one sentence, at once', {
  skip: process.platform !== 'linux',
}, async () => {
  for (const data of ['/proc/posthorn/data', '/sys/posthorn'])
    assert.match(
      await refusal(data),
      /^the data folder \/\S+ cannot be created; create it for this user, or set/,
    )
})

test('a port that is taken is said in one sentence, and the next try is a first start that tells where its key is', async () => {
  const data = newData()
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as { port: number }
  const sentence = await refusal(data, { POSTHORN_LISTEN: `127.0.0.1:${port}` }).finally(() => taken.close())
  assert.equal(
    sentence,
    `another program listens on port ${port} of 127.0.0.1; stop it, or set POSTHORN_LISTEN to another address`,
  )
  assert.equal(existsSync(join(data, 'admin.key')), false)
  const posthorn = await start(data)
  assert.match(posthorn.output(), /admin key +in /)
})

test('an address that is not of this machine is said in one sentence', async () => {
  assert.match(
    await refusal(newData(), { POSTHORN_LISTEN: '192.0.2.1:0' }),
    /192\.0\.2\.1 is not an address of this machine/,
  )
})

test('a store that is none is said in one sentence', async () => {
  const data = newData()
  mkdirSync(data, { recursive: true })
  writeFileSync(join(data, 'posthorn.db'), 'this is no database, whatever its name may be\n'.repeat(100))
  const before = readFileSync(join(data, 'posthorn.db'))
  const error = await start(data).then(
    () => assert.fail('it started'),
    (error: Error) => error,
  )
  assert.match(error.message, /^Posthorn ended with code 1:\nPosthorn cannot start: .*not a database/)
  assert.deepEqual(readFileSync(join(data, 'posthorn.db')), before)
})

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  const way = signal === 'SIGTERM' ? 'told to stop ends with exit code 0' : 'killed starts again at once'
  test(`a server that is ${way}, and what it accepted arrives once`, async () => {
    const data = newData()
    const transcript = join(data, 'transcript')
    const settings = { POSTHORN_SANDBOX_TRANSCRIPT: transcript }
    const first = await start(data, settings)
    await first.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
    const texts = Array.from({ length: 20 }, (_, index) => `text-${index}`)
    const send = (posthorn: PosthornProcess, text: string, waitSeconds: number) => {
      const to = `${text}@slow-500ms.sandbox`
      const body = { instance: 'trial', to, text }
      return posthorn.admin.call(sendTextMessage, { body, idempotencyKey: text, waitSeconds })
    }
    const accepted = await Promise.all(texts.map((text) => send(first, text, 0)))
    assert.equal(await first.end(signal), signal === 'SIGTERM' ? 0 : null)

    const second = await start(data, settings)
    const settled = await Promise.all(texts.map((text) => send(second, text, 30)))
    assert.deepEqual(
      settled.map(({ body }) => body.id),
      accepted.map(({ body }) => body.id),
    )
    for (const { body } of settled) assert.ok(['sent', 'delivered'].includes(body.status), body.status)
    const lines = readFileSync(transcript, 'utf8').trim().split('\n')
    const arrived = lines.map((line) => JSON.parse(line) as { id: string; text: string })
    const ids = new Map(accepted.map(({ body }) => [body.text, body.network_message_id]))
    assert.deepEqual(new Set(arrived.map(({ text }) => text)), new Set(texts))
    for (const { id, text } of arrived) assert.equal(id, ids.get(text))
  })
}

/** Starts a server whose standard output is what the test says, with `words` after Node; resolves when it is ready. */
async function startUnheard(stdout: number | 'pipe', words: readonly string[]) {
  const data = newData()
  const port = await freePort()
  const child = spawn(process.execPath, words, {
    env: { ...ofThisRun(), POSTHORN_DATA: data, POSTHORN_LISTEN: `127.0.0.1:${port}` },
    stdio: ['ignore', stdout, 'ignore'],
  })
  endWithUs(child)
  after(() => child.kill('SIGKILL'))
  // Its output has no reader from the beginning.
  child.stdout?.destroy()
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const baseUrl = `http://127.0.0.1:${port}`
  const ready = () =>
    createClient({ baseUrl })
      .call(getReadiness)
      .then(
        ({ status }) => status,
        () => 0,
      )
  await eventually('the server to be ready', ready, (status) => status === 200)
  const admin = createClient({ baseUrl, key: readFileSync(join(data, 'admin.key'), 'utf8').trim() })
  return { admin, child, ended }
}

const entry = (name: string) => new URL(`../../../src/${name}`, import.meta.url).pathname
const main = [entry('main.js')]
const serve = [entry('cli/posthorn.js'), 'serve']
const fullDisk = existsSync('/dev/full') ? {} : { skip: 'there is no /dev/full here' }

test(
  'a server whose output goes to a full disk, or to nobody, serves and stops all the same',
  fullDisk,
  async () => {
    const full = openSync('/dev/full', 'w')
    for (const stdout of [full, 'pipe'] as const) {
      for (const words of [main, serve]) {
        const { admin, child, ended } = await startUnheard(stdout, words)
        // A change of status is a line in the log.
        await admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
        assert.deepEqual(
          (await admin.call(listInstances)).body.data.map(({ status }) => status),
          ['connected'],
        )
        child.kill('SIGTERM')
        assert.equal(await ended, 0, `${words} with ${stdout}`)
      }
    }
    closeSync(full)
  },
)

/** A mistake that nothing catches, which no test can bring about from outside. */
const mistake = `data:text/javascript,process.on('SIGUSR2', () => { throw new Error('a mistake') })`

test('a mistake that nobody caught ends the server at once, and says so if somebody reads', async () => {
  const posthorn = await start(newData(), { NODE_OPTIONS: `--import "${mistake}"` })
  process.kill(posthorn.pid, 'SIGUSR2')
  assert.equal(await posthorn.ended, 1)
  assert.match(posthorn.output(), /"level":"fatal".*"message":"a mistake".*because of an internal error/)
})

test('a mistake that nobody caught ends the server even if the log has no room', fullDisk, async () => {
  const full = openSync('/dev/full', 'w')
  const { child, ended } = await startUnheard(full, ['--import', mistake, ...main])
  child.kill('SIGUSR2')
  assert.equal(await ended, 1)
  closeSync(full)
})

test('a server that has nothing to do stops when it is told, with connections open', async () => {
  const data = newData()
  const posthorn = await start(data)
  await posthorn.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
  const caller = new AbortController()
  const stream = fetch(`${posthorn.url}/v1/instances/trial/status`, {
    headers: { authorization: `Bearer ${posthorn.adminKey}`, accept: 'text/event-stream' },
    signal: caller.signal,
  })
  const reader = (await stream).body?.getReader()
  await reader?.read()
  assert.equal(await posthorn.end('SIGTERM'), 0)
  caller.abort()
  await reader?.cancel().catch(() => {})
})

test('a caller who never finishes a request costs a stop no more than its share of the time', async () => {
  const posthorn = await start(newData(), { POSTHORN_STOP_SECONDS: '1' })
  const caller = await RawConnection.open(posthorn.url)
  caller.write('POST /v1/instances HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n')
  caller.write(`authorization: Bearer ${posthorn.adminKey}\r\ncontent-length: 2\r\n\r\n{`)
  await posthorn.admin.call(listInstances)
  assert.equal(await posthorn.end('SIGTERM'), 0)
  await caller.ended()
})
