import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ProblemError } from '../../../src/contract/client/client.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import { startInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import { cancelMessage, getMessage } from '../../../src/contract/operations/message-operations.ts'
import { getReadiness } from '../../../src/contract/operations/service-operations.ts'
import { databaseFor, emptyDatabase, executeIn, keepCopy, putBack } from '../../kit/database.ts'
import { Browser } from '../../kit/http/browser.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { allEvents, endOf, numberIn } from '../../kit/http/feed.ts'
import { readMetrics } from '../../kit/http/metrics.ts'
import { create, reaches, readTranscript, text } from '../../kit/play.ts'
import { freshFolder, ofThisRun, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'

/* A store goes back to an earlier state: the start notices it, and no message is sent twice for it. */

const home = freshFolder()
const running: PosthornProcess[] = []
let folders = 0

afterEach(() => Promise.all(running.splice(0).map((posthorn) => posthorn.end('SIGKILL'))))
after(() => rmSync(home, { recursive: true, force: true }))

async function start(data: string, program?: string): Promise<PosthornProcess> {
  const settings = { ...(await databaseFor(data)), POSTHORN_SANDBOX_TRANSCRIPT: `${data}.transcript` }
  const posthorn = await spawnPosthorn(data, settings, program)
  running.push(posthorn)
  return posthorn
}

const newData = () => join(home, `data-${++folders}`)
const arrived = (data: string) => readTranscript(`${data}.transcript`).map(({ text }) => text)
const onPostgres = process.env.POSTHORN_TEST_POSTGRES !== undefined

async function posthorn(data: string, ...words: string[]): Promise<string> {
  const program = new URL('../../../src/cli/posthorn.js', import.meta.url).pathname
  const settings = { POSTHORN_DATA: data, POSTHORN_LISTEN: '127.0.0.1:0', ...(await databaseFor(data)) }
  const environment = { ...ofThisRun(), ...settings }
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words], { env: environment })
  return stdout.trim()
}

/** Returns the doctor's output, whether or not it finds the server at the address that it was given. */
async function doctorSays(data: string): Promise<string> {
  return posthorn(data, 'doctor').catch((error: { stdout: string }) => error.stdout)
}

async function heldInMetrics({ url }: PosthornProcess, data: string): Promise<string | undefined> {
  const token = readFileSync(join(data, 'metrics.token'), 'utf8').trim()
  return /^posthorn_messages_held (\d+)$/m.exec(await readMetrics(url, token))?.[1]
}

/** Returns the problem for a cursor of before. */
async function refusal(admin: CheckedClient, after: string) {
  const error = await admin.call(listEvents, { query: { after } }).then(
    () => assert.fail('the cursor was taken'),
    (error) => error,
  )
  assert.ok(error instanceof ProblemError)
  return error.problem
}

const message = async (admin: CheckedClient, id: string) =>
  (await admin.call(getMessage, { params: { id } })).body

/** A server that has queued the text `one` when its store is copied, and has sent it and `two` since. */
async function sentSinceTheCopy() {
  const data = newData()
  const first = await start(data)
  await create(first.admin, 'trial')
  await first.admin.call(stopInstance, { params: { name: 'trial' }, waitSeconds: 10 })
  const one = await text(first.admin, { instance: 'trial', to: 'ana@delivers.sandbox', text: 'one' })
  const atCopy = await endOf(first.admin)
  assert.equal(await first.end('SIGTERM'), 0)
  await keepCopy(data)
  const second = await start(data)
  await second.admin.call(startInstance, { params: { name: 'trial' }, waitSeconds: 10 })
  await reaches(second.admin, one.id, 'delivered')
  const two = await text(second.admin, { instance: 'trial', to: 'bo@delivers.sandbox', text: 'two' })
  await reaches(second.admin, two.id, 'delivered')
  const atEnd = await endOf(second.admin)
  assert.equal(await second.admin.call(getReadiness).then(({ status }) => status), 200)
  return { data, server: second, one, two, atCopy, atEnd, seen: await allEvents(second.admin) }
}

describe('a database that was replaced by an older copy', () => {
  test('is noticed: what was queued in it is held, and old cursors are refused for good', async () => {
    const { data, server, one, atCopy, atEnd, seen } = await sentSinceTheCopy()
    await server.end('SIGKILL')
    await putBack(data)
    const restored = await start(data)
    const { admin } = restored
    assert.match(restored.output(), /the store was restored from a backup.*1 unsettled messages are held/)
    await admin.call(startInstance, { params: { name: 'trial' }, waitSeconds: 10 })
    const held = await message(admin, one.id)
    assert.deepEqual([held.status, held.error?.code], ['queued', 'held_after_restore'])
    assert.equal(held.waits_for?.reason, 'operator')
    const behind = await text(admin, { instance: 'trial', to: 'ana@delivers.sandbox', text: 'behind one' })
    const beside = await text(admin, { instance: 'trial', to: 'cy@delivers.sandbox', text: 'beside' })
    await reaches(admin, beside.id, 'delivered')
    const { status, waits_for } = await message(admin, behind.id)
    assert.deepEqual(
      [status, waits_for?.reason, waits_for?.message_id],
      ['queued', 'earlier_message', one.id],
    )

    // More has happened than the cursor had seen: numbers are given again, and it is refused all the same.
    while (numberIn(await endOf(admin)) <= numberIn(atEnd))
      await text(admin, { instance: 'trial', to: 'dy@delivers.sandbox', text: 'more' })
    const { code, next_cursor = '', retryable } = await refusal(admin, atEnd)
    assert.deepEqual([code, retryable], ['restored', false])
    const again = (await admin.call(listEvents, { query: { after: next_cursor, limit: 200 } })).body.data
    const shared = (await allEvents(admin)).filter(({ id }) => seen.some((event) => event.id === id))
    assert.deepEqual(
      again.map(({ sequence }) => sequence)[0],
      (shared.at(-1)?.sequence ?? 0) + 1,
      'it goes on after the last event that both have',
    )
    assert.ok(again.every(({ epoch }) => epoch !== seen[0]?.epoch))
    assert.ok(shared.every(({ epoch }) => epoch === seen[0]?.epoch))
    assert.equal((await refusal(admin, atCopy)).code, 'restored')
    const headers = { authorization: `Bearer ${restored.adminKey}`, accept: 'text/event-stream' }
    const stream = await fetch(`${restored.url}/v1/events`, {
      headers: { ...headers, 'last-event-id': atEnd },
    })
    const gone = (await stream.json()) as Record<string, unknown>
    assert.deepEqual([stream.status, gone.code, gone.next_cursor], [410, 'restored', next_cursor])

    assert.match(await posthorn(data, 'queue', 'list'), /default +trial +1/)
    assert.equal(await heldInMetrics(restored, data), '1')
    assert.match(await doctorSays(data), /^warn {2}queue .*1 message is held.*\n.*npx posthorn queue list/m)
    assert.equal(await posthorn(data, 'queue', 'fail'), '1 messages were given up')
    assert.equal(await heldInMetrics(restored, data), '0')
    assert.doesNotMatch(await doctorSays(data), /^warn {2}queue/m)
    assert.equal((await message(admin, one.id)).status, 'unknown')
    await reaches(admin, behind.id, 'delivered')
    assert.deepEqual(
      arrived(data).filter((words) => words !== 'more'),
      ['one', 'two', 'beside', 'behind one'],
    )
    const unknown = (await allEvents(admin)).filter(({ type }) => type === 'message.unknown')
    assert.equal(unknown.length, 1)
  })

  test('is sent if the operator says so', async () => {
    const { data, server, one } = await sentSinceTheCopy()
    assert.equal(await server.end('SIGTERM'), 0)
    await putBack(data)
    const { admin } = await start(data)
    await admin.call(startInstance, { params: { name: 'trial' }, waitSeconds: 10 })
    assert.equal(await posthorn(data, 'queue', 'send', '--instance', 'trial'), '1 messages are sent')
    await reaches(admin, one.id, 'delivered')
    assert.deepEqual(arrived(data), ['one', 'two', 'one'], 'twice, as the operator chose')
  })

  test('begins one epoch: restarts and crashes after it are no restore, and what somebody cancels is not called canceled', async () => {
    const { data, server, one, atEnd } = await sentSinceTheCopy()
    await server.end('SIGKILL')
    await putBack(data)
    const restored = await start(data)
    const cursor = await endOf(restored.admin)
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
      await running.at(-1)?.end(signal)
      const { admin, output } = await start(data)
      assert.doesNotMatch(output(), /was restored from a backup/)
      assert.equal((await admin.call(listEvents, { query: { after: cursor } })).status, 200)
      assert.equal((await refusal(admin, atEnd)).code, 'restored')
    }
    const { admin } = running.at(-1) ?? restored
    await admin.call(cancelMessage, { params: { id: one.id } })
    assert.equal((await message(admin, one.id)).status, 'unknown')
  })
})

test('a crash at any moment is no restore', async () => {
  const data = newData()
  let cursor: string | undefined
  for (const after of [0, 5, 50, 300, 1_100]) {
    const { admin, output, end } = await start(data)
    assert.doesNotMatch(output(), /was restored from a backup/)
    if (cursor === undefined) await create(admin, 'trial')
    cursor ??= await endOf(admin)
    await admin.call(listEvents, { query: { after: cursor } })
    const sends = Array.from({ length: 40 }, (_, index) =>
      text(admin, { instance: 'trial', to: `p${index}@delivers.sandbox` }).catch(() => {}),
    )
    // The moment is not waited for because something has happened by then: it is another one each time.
    await new Promise((resolve) => setTimeout(resolve, after))
    await end('SIGKILL')
    await Promise.all(sends)
  }
})

test('a data folder in which a server has run is not taken for a first start if its database is lost', async () => {
  const data = newData()
  const server = await start(data)
  await create(server.admin, 'trial')
  assert.equal(await server.end('SIGTERM'), 0)
  const key = readFileSync(join(data, 'admin.key'), 'utf8')
  const statements =
    'delete from events; delete from api_keys; delete from instances; delete from organizations'
  const ways: Readonly<Record<string, () => void | Promise<void>>> = {
    'has no organization': () => executeIn(data, statements),
    ...(onPostgres
      ? { 'has no organization, nor a table': () => emptyDatabase(data) }
      : { 'is empty': () => emptyDatabase(data), 'is missing': () => rmSync(join(data, 'posthorn.db')) }),
  }
  for (const [way, harm] of Object.entries(ways)) {
    await harm()
    const [what = ''] = way.split(',')
    await assert.rejects(start(data), ({ message }: Error) => {
      assert.match(message, /Posthorn cannot start: .*restore a backup with `npx posthorn restore FILE`/)
      assert.ok(message.includes(what), message)
      return true
    })
    assert.equal(readFileSync(join(data, 'admin.key'), 'utf8'), key)
  }
  for (const name of ['admin.key', 'store.position', ...(onPostgres ? [] : ['master.key'])])
    rmSync(join(data, name))
  await start(data)
  assert.notEqual(readFileSync(join(data, 'admin.key'), 'utf8'), key)
})

test('the operator can say that the whole disk went back', async () => {
  const data = newData()
  const first = await start(data)
  await create(first.admin, 'trial')
  const cursor = await endOf(first.admin)
  const browser = new Browser(first.url)
  await browser.signIn({ key: first.adminKey })
  await first.end('SIGKILL')
  const second = await start(data, './crash/start-restored.js')
  const later = browser.elsewhere({ 'sec-fetch-site': 'same-origin' }, second.url)
  assert.equal((await later.ask('GET', '/v1/instances')).status, 401, 'a session may have been ended since')
  assert.match(second.output(), /was restored from a backup \(it was started with --restored\)/)
  assert.equal((await refusal(second.admin, cursor)).code, 'restored')
})
