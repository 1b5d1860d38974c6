import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import {
  createInstance,
  getInstance,
  listInstances,
} from '../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../src/contract/operations/message-operations.ts'
import { getReadiness } from '../../../src/contract/operations/service-operations.ts'
import { countArrivals } from '../../kit/crash/count-arrivals.ts'
import { type Line, PersistentSender } from '../../kit/crash/persistent-sender.ts'
import { eventually, readTranscript } from '../../kit/play.ts'
import { type PostgresForTests, startOwnPostgres } from '../../kit/postgres.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import type { PostgresServer } from '../../kit/processes/postgres-server.ts'

const lines: Line[] = ['delivers', 'accepts', 'slow-500ms'].flatMap((behaviour) =>
  ['ana', 'ben', 'cem'].map((name) => ({
    instance: 'trial',
    to: `${name}@${behaviour}.sandbox`,
    patient: true,
  })),
)
const POSTHORN_MASTER_KEY = '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef'

describe('a server on PostgreSQL while the world stands still', () => {
  let postgres: PostgresForTests<PostgresServer>
  let home: string
  const running = new Set<PosthornProcess>()

  before(async () => {
    postgres = await startOwnPostgres()
    home = freshFolder()
  })
  after(async () => {
    for (const posthorn of running) await posthorn.end('SIGKILL')
    if (postgres.available) await postgres.server.stop()
    rmSync(home, { recursive: true, force: true })
  })

  /** Starts servers that share a database, a master key and the far end's transcript, each on a data folder of its own. */
  async function setUp(server: PostgresServer, name: string) {
    const url = await server.createDatabase()
    const transcript = join(home, `${name}.jsonl`)
    const environment = {
      POSTHORN_DATABASE_URL: url,
      POSTHORN_MASTER_KEY,
      POSTHORN_SANDBOX_TRANSCRIPT: transcript,
    }
    const start = async (data: string, changed: Record<string, string> = {}) => {
      const posthorn = await spawnPosthorn(join(home, name, data), { ...environment, ...changed })
      running.add(posthorn)
      return posthorn
    }
    return { url, start, arrived: () => readTranscript(transcript) }
  }

  const says = (posthorn: PosthornProcess, words: RegExp) =>
    eventually(
      `the log to say ${words}`,
      async () => posthorn.output(),
      (output) => words.test(output),
    )

  /** Some load, so that there is always something under way. */
  const someMore = (sender: PersistentSender, count: number) => {
    const enough = sender.acknowledged.length + count
    return eventually(
      'some load',
      async () => sender.acknowledged.length,
      (now) => now >= enough,
    )
  }

  /** Everything that was acknowledged has arrived and is called so. */
  async function finished(posthorn: PosthornProcess, sender: PersistentSender): Promise<void> {
    await sender.finish()
    const read = async () => (await posthorn.admin.call(getInstance, { params: { name: 'trial' } })).body
    await eventually('an empty queue', read, ({ queue }) => queue.depth === 0)
    for (const { id } of sender.acknowledged.slice(-100)) {
      const { body } = await posthorn.admin.call(getMessage, { params: { id } })
      assert.ok(['sent', 'delivered'].includes(body.status), `${id} is ${body.status}`)
    }
  }

  const nothingWrong = { lost: [], doubled: [], renamed: [], overtaking: [] }

  /** Keeps the lease from being renewed, although the database answers, until it is told to end. */
  async function holdUpRenewals(url: string): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('begin')
    await client.query('select 1 from nodes for update')
    return () => client.end()
  }

  test('a database that hangs for longer than the lease stops everything but the server, which goes on when it can', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const { server } = postgres
    t.after(() => server.thaw())
    const { url, start, arrived } = await setUp(server, 'hanging')
    const posthorn = await start('data')
    const { admin } = posthorn
    await admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
    const sender = new PersistentSender(posthorn, lines)
    await someMore(sender, 50)
    const letRenew = await holdUpRenewals(url)
    await server.freeze()
    await says(posthorn, /could not be renewed in time/)
    server.thaw()

    const read = () =>
      admin.call(listInstances).then(
        ({ body }) => body.data.length,
        () => 0,
      )
    await eventually('the database to answer', read, (count) => count === 1)
    const { status, body } = await admin.call(getReadiness)
    assert.deepEqual([status, body.status], [503, 'store_unavailable'])
    await assert.rejects(admin.call(createInstance, { body: { name: 'another' } }), {
      code: 'store_unavailable',
    })

    await letRenew()
    await says(posthorn, /is renewed; resuming/)
    await someMore(sender, 50)
    await finished(posthorn, sender)
    assert.equal((await admin.call(getReadiness)).status, 200)
    const { repeats, ...count } = countArrivals(sender.acknowledged, arrived())
    assert.deepEqual(count, nothingWrong)
    assert.equal(repeats, 0)
    assert.equal(await posthorn.end('SIGTERM'), 0)
  })

  test('a server that stood still while another took over sends nothing more, and ends', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const { server } = postgres
    const { url, start, arrived } = await setUp(server, 'replaced')
    const first = await start('first')
    await first.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
    const sender = new PersistentSender(first, lines)
    await someMore(sender, 50)
    process.kill(first.pid, 'SIGSTOP')
    t.after(() => first.end('SIGKILL'))

    // As if others had waited for it for long enough: so it will still believe in its lease when it moves again.
    await server.query(`update nodes set boot = ''`, [], url)
    mkdirSync(join(home, 'replaced', 'second'), { recursive: true })
    writeFileSync(join(home, 'replaced', 'second', 'admin.key'), first.adminKey)
    const second = await start('second')
    assert.match(second.output(), /serves on/)
    sender.moveTo(second)
    process.kill(first.pid, 'SIGCONT')

    assert.equal(await first.ended, 1)
    assert.match(first.output(), /"level":"fatal".*other nodes have declared this one gone/)
    await someMore(sender, 50)
    await finished(second, sender)
    const { repeats, ...count } = countArrivals(sender.acknowledged, arrived())
    assert.deepEqual(count, nothingWrong)
    assert.ok(repeats <= lines.length, `${repeats} were repeated, and at most one of each line was under way`)
    assert.equal(await second.end('SIGTERM'), 0)
  })

  test('a server with a wrong master key does not start, and leaves the lease alone', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const { server } = postgres
    const { url, start } = await setUp(server, 'key')
    const first = await start('first')
    assert.equal(await first.end('SIGTERM'), 0)
    const rows = () => server.query(`select name, value from service order by name`, [], url)
    const before = await rows()
    const wrong = { POSTHORN_MASTER_KEY: [...POSTHORN_MASTER_KEY].reverse().join('') }
    await assert.rejects(start('second', wrong), /the master key from POSTHORN_MASTER_KEY is not the one/)
    assert.deepEqual(await rows(), before)
    assert.ok(!existsSync(join(home, 'key', 'second', 'node.id')))
  })
})
