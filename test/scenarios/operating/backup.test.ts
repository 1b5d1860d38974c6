import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, describe, test } from 'node:test'
import { listAudit } from '../../../src/contract/operations/audit-operations.ts'
import { startInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import { listAttempts } from '../../../src/contract/operations/message-history-operations.ts'
import { getMessage, listMessages } from '../../../src/contract/operations/message-operations.ts'
import { Browser } from '../../kit/http/browser.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { assertCounted } from '../../kit/http/counted-events.ts'
import { allEvents } from '../../kit/http/feed.ts'
import { create, reaches, readTranscript, text } from '../../kit/play.ts'
import { startPostgres } from '../../kit/postgres.ts'
import { freshFolder, ofThisRun, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { endWithUs } from '../../kit/processes/end-with-us.ts'

const entry = new URL('../../../src/cli/posthorn.js', import.meta.url).pathname
const home = freshFolder()
const running: PosthornProcess[] = []
let folders = 0

const postgres = await startPostgres()
afterEach(() => Promise.all(running.splice(0).map((server) => server.end('SIGKILL'))))
after(async () => {
  if (postgres.available) await postgres.server.stop()
  rmSync(home, { recursive: true, force: true })
})

/** A data folder with the settings of what runs on it. */
interface Place {
  readonly data: string
  readonly settings: Readonly<Record<string, string>>
}

const transcript = join(home, 'transcript')

async function newPlace(store: 'SQLite' | 'PostgreSQL'): Promise<Place> {
  const data = join(home, `data-${++folders}`)
  mkdirSync(data)
  const settings = {
    POSTHORN_DATA: data,
    POSTHORN_LISTEN: '127.0.0.1:0',
    POSTHORN_SANDBOX_TRANSCRIPT: transcript,
  }
  if (store === 'SQLite') return { data, settings }
  assert.ok(postgres.available)
  return { data, settings: { ...settings, POSTHORN_DATABASE_URL: await postgres.server.createDatabase() } }
}

async function start({ data, settings }: Place): Promise<PosthornProcess> {
  const server = await spawnPosthorn(data, settings)
  running.push(server)
  return server
}

function begin({ settings }: Place, words: readonly string[]): ChildProcess {
  const env = { ...ofThisRun(), ...settings }
  return endWithUs(spawn(process.execPath, [entry, ...words], { env }))
}

/** Runs a command to its end; tells its exit code and all that it said. */
async function posthorn(place: Place, ...words: string[]): Promise<{ code: number; said: string }> {
  const child = begin(place, words)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      said += chunk
    })
  const [code] = await once(child, 'close')
  return { code: code as number, said }
}

async function done(place: Place, ...words: string[]): Promise<string> {
  const { code, said } = await posthorn(place, ...words)
  assert.equal(code, 0, `${words.join(' ')}: ${said}`)
  return said
}

/** Returns the operator's acts in the audit log, the newest first, without those of the first start. */
async function operatorDid({ admin }: PosthornProcess): Promise<(string | null)[][]> {
  const { body } = await admin.call(listAudit, { query: { actor: 'operator' } })
  return body.data.slice(0, -2).map(({ action, target }) => [action, target])
}

const large = randomBytes(300_000)

async function upload(server: PosthornProcess): Promise<string> {
  const form = new FormData()
  form.set('instance', 'trial')
  // Its first answer is lost, so that an attempt of its own is in the store, too.
  form.set('to', 'ana@loses.sandbox')
  form.set('kind', 'document')
  form.set('file', new Blob([large], { type: 'application/octet-stream' }), 'large.bin')
  const headers = { authorization: `Bearer ${server.adminKey}` }
  const reply = await fetch(`${server.url}/v1/messages/media`, { method: 'POST', headers, body: form })
  assert.equal(reply.status, 202)
  return ((await reply.json()) as { id: string }).id
}

const attemptsOf = async (client: CheckedClient, id: string) =>
  (await client.call(listAttempts, { params: { id } })).body.data

/** A server that has sent a text and a file, and has one queued, as its backup is made; it is sent afterwards. */
async function sentSinceTheBackup(place: Place) {
  const server = await start(place)
  const { admin } = server
  await create(admin, 'trial')
  assert.equal((await new Browser(server.url).signIn({ key: server.adminKey })).status, 204)
  const file = await upload(server)
  await reaches(admin, file, 'delivered')
  await assertCounted(admin, await allEvents(admin))
  const attempts = await attemptsOf(admin, file)
  assert.deepEqual(
    attempts.map(({ outcome }) => outcome),
    ['uncertain', 'accepted'],
  )
  await admin.call(stopInstance, { params: { name: 'trial' }, waitSeconds: 10 })
  const one = await text(admin, { instance: 'trial', to: 'bo@delivers.sandbox', text: `one ${place.data}` })
  const backup = join(home, `backup-${folders}.tar`)
  const said = await done(place, 'backup', backup)
  assert.deepEqual(await operatorDid(server), [['backup', null]])
  await admin.call(startInstance, { params: { name: 'trial' }, waitSeconds: 10 })
  await reaches(admin, one.id, 'delivered')
  const events = await allEvents(admin)
  assert.equal(await server.end('SIGTERM'), 0)
  return { backup, said, one, file, attempts, events, adminKey: server.adminKey }
}

let made: Promise<{ place: Place; backup: string }> | undefined

/** A backup of SQLite and the place that it was made of, one for all who only read them. */
function madeBefore() {
  made ??= newPlace('SQLite').then(async (place) => ({ place, ...(await sentSinceTheBackup(place)) }))
  return made
}

const times = (words: string) => readTranscript(transcript).filter(({ text }) => text === words).length
const needsPostgres = { skip: postgres.available ? false : postgres.reason }

for (const [from, to] of [
  ['SQLite', 'SQLite'],
  ['SQLite', 'PostgreSQL'],
  ['PostgreSQL', 'SQLite'],
  ['PostgreSQL', 'PostgreSQL'],
] as const) {
  const needs = from === 'SQLite' && to === 'SQLite' ? {} : needsPostgres
  test(`a backup of ${from}, made while the server runs, is restored into ${to}`, needs, async () => {
    const place = await newPlace(from)
    const { backup, said, one, file, attempts, events, adminKey } = await sentSinceTheBackup(place)
    assert.match(said, /does not contain the master key.*master\.key/s)
    assert.equal(statSync(backup).mode & 0o777, 0o600)
    const key = readFileSync(join(place.data, 'master.key'), 'utf8').trim()
    const content = readFileSync(backup)
    for (const secret of [key, adminKey]) assert.ok(!content.includes(secret))
    const checked = await done(place, 'check', backup)
    assert.match(checked, /is complete.*messages +2.*Larger files: 1/s)
    assert.doesNotMatch(checked, /session/)

    const other = await newPlace(to)
    assert.match(await done(other, 'restore', backup), /1 messages are held/)
    for (const name of ['master.key', 'admin.key']) cpSync(join(place.data, name), join(other.data, name))
    const server = await start(other)
    const { admin } = server
    await admin.call(startInstance, { params: { name: 'trial' }, waitSeconds: 10 })
    const fresh = await text(admin, { instance: 'trial', to: 'cy@delivers.sandbox', text: 'fresh' })
    await reaches(admin, fresh.id, 'delivered')
    const held = (await admin.call(getMessage, { params: { id: one.id } })).body
    assert.deepEqual([held.status, held.error?.code], ['queued', 'held_after_restore'])
    assert.equal(times(`one ${place.data}`), 1, 'what was sent since is not sent again')
    assert.equal((await admin.call(listMessages, { query: {} })).body.data.length, 3)
    const reply = await fetch(`${running.at(-1)?.url}/v1/messages/${file}/media`, {
      headers: { authorization: `Bearer ${adminKey}` },
    })
    assert.deepEqual(Buffer.from(await reply.arrayBuffer()), large)
    assert.deepEqual(await attemptsOf(admin, file), attempts)
    const kept = await allEvents(admin)
    const shared = kept.filter(({ epoch }) => epoch === events[0]?.epoch)
    assert.deepEqual(shared, events.slice(0, shared.length))
    assert.ok(shared.length < events.length && shared.length > 0)
    assert.match(await done(other, 'queue', 'send'), /1 messages are sent/)
    await reaches(admin, one.id, 'delivered')
    await assertCounted(admin, await allEvents(admin))
    assert.deepEqual(await operatorDid(server), [
      ['sendQueue', 'trial'],
      ['restore', null],
    ])
  })
}

test('a backup of a store that cannot be written to is made, and says that it is not noted', async () => {
  const place = await newPlace('SQLite')
  const server = await start(place)
  const database = new DatabaseSync(join(place.data, 'posthorn.db'), { timeout: 10_000 })
  database.exec("create trigger full before insert on audit begin select raise(abort, 'no room'); end")
  database.close()
  const backup = join(home, 'not-noted.tar')
  assert.match(
    await done(place, 'backup', backup),
    /could not be noted in the organizations' audit logs.*no room/,
  )
  assert.match(await done(place, 'check', backup), /is complete/)
  assert.deepEqual(await operatorDid(server), [])
})

describe('a backup that is not complete', () => {
  test('is reported by check, and is not restored', async () => {
    const { backup } = await madeBefore()
    const content = readFileSync(backup)
    const flipped = Buffer.from(content)
    const at = flipped.indexOf('large.bin')
    flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at)
    const broken = { cut: content.subarray(0, content.length / 2), flipped, none: Buffer.from('no backup') }
    for (const [name, bytes] of Object.entries(broken)) {
      const file = join(home, `${name}.tar`)
      writeFileSync(file, bytes)
      const other = await newPlace('SQLite')
      for (const word of ['check', 'restore']) {
        const { code, said } = await posthorn(other, word, file)
        assert.deepEqual([code, /is not a (complete|Posthorn) backup/.test(said)], [1, true], said)
      }
      assert.ok(!existsSync(join(other.data, 'posthorn.db')))
    }
  })

  test('is said to be a folder if it is one, with the file to give instead', async () => {
    const folder = join(home, 'folder')
    mkdirSync(folder)
    const other = await newPlace('SQLite')
    const refused = async (word: string) => {
      const { code, said } = await posthorn(other, word, folder)
      assert.equal(code, 1)
      return said
    }
    for (const word of ['check', 'restore'])
      assert.match(await refused(word), /folder is a folder; give the path of a backup, which is a file/)
    const names = ['posthorn-20260101T010000Z.tar', 'posthorn-20260102T010000Z.tar', 'posthorn-notes.txt']
    for (const name of names) writeFileSync(join(folder, name), 'none')
    for (const word of ['check', 'restore']) {
      const said = await refused(word)
      assert.ok(said.includes(`such as the newest, ${join(folder, names[1] ?? '')}`), said)
    }
  })

  test('never has its name: a kill in the middle leaves no file of that name', async () => {
    const { place } = await madeBefore()
    for (let turn = 0; turn < 3; turn++) {
      const file = join(home, `killed-${turn}.tar`)
      const child = begin(place, ['backup', file])
      const closed = once(child, 'close')
      while (!readdirSync(home).some((name) => name.startsWith(`killed-${turn}.tar.`)) && !existsSync(file))
        await new Promise((resolve) => setImmediate(resolve))
      child.kill('SIGKILL')
      await closed
      if (existsSync(file)) await done(place, 'check', file)
    }
  })
})

describe('a restore', () => {
  test('that is killed leaves nothing that a server starts on, and can be run again', async () => {
    const { place, backup } = await madeBefore()
    const other = await newPlace('SQLite')
    cpSync(join(place.data, 'master.key'), join(other.data, 'master.key'))
    const child = begin(other, ['restore', backup])
    const closed = once(child, 'close')
    while (!existsSync(join(other.data, 'restoring', 'posthorn.db')))
      await new Promise((resolve) => setImmediate(resolve))
    child.kill('SIGKILL')
    await closed
    assert.ok(!existsSync(join(other.data, 'posthorn.db')))
    await assert.rejects(start(other), /a restore began there but did not finish: run it again/)
    await done(other, 'restore', backup)
    cpSync(join(place.data, 'admin.key'), join(other.data, 'admin.key'))
    await start(other)
  })

  test('into PostgreSQL that is killed leaves nothing that a server starts on', needsPostgres, async () => {
    const { backup } = await madeBefore()
    const other = await newPlace('PostgreSQL')
    writeFileSync(join(other.data, 'admin.key'), 'of another server')
    const child = begin(other, ['restore', backup])
    const closed = once(child, 'close')
    while (!existsSync(join(other.data, 'media')) && child.exitCode === null)
      await new Promise((resolve) => setImmediate(resolve))
    child.kill('SIGKILL')
    await closed
    await assert.rejects(
      start(other),
      /Posthorn cannot start: .*(did not finish|has no organization|master key)/,
    )
    await done(other, 'restore', backup, '--replace')
  })

  test('refuses a store that is there, and a server that runs; it puts the store aside if it is told to', async () => {
    const place = await newPlace('SQLite')
    const { backup } = await sentSinceTheBackup(place)
    assert.match((await posthorn(place, 'restore', backup)).said, /there is already a store/)
    const server = await start(place)
    assert.match(
      (await posthorn(place, 'restore', backup, '--replace')).said,
      /another Posthorn server is running/,
    )
    await server.end('SIGKILL')
    assert.match(await done(place, 'restore', backup, '--replace', '--queued', 'fail'), /kept as .*before-/)
    const again = await start(place)
    const { admin, output } = again
    assert.deepEqual(await operatorDid(again), [
      ['failQueue', 'trial'],
      ['restore', null],
    ])
    assert.doesNotMatch(output(), /restored from a backup/)
    const unknown = (await allEvents(admin)).filter(({ type }) => type === 'message.unknown')
    assert.equal(unknown.length, 1)
  })
})
