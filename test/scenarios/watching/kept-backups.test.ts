import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { promisify } from 'node:util'
import { checkBackup } from '../../../src/backup/check-backup.ts'
import { keepBackups } from '../../../src/backup/keep-backups.ts'
import { openStore } from '../../../src/gateway/open-store.ts'
import { noteBackupMade } from '../../../src/organizations/last-backup.ts'
import { databaseFor } from '../../kit/database.ts'
import { MetricsReader } from '../../kit/http/metrics.ts'
import { create, text } from '../../kit/play.ts'
import { freshFolder, ofThisRun, type Posthorn, startPosthorn, testConfig } from '../../kit/posthorn.ts'

/* Backups that are made again and again stay as many as they are to be, and what else is in their folder stays as it is. */

const home = freshFolder()
let posthorn: Posthorn
let folder = ''
let folders = 0

before(async () => {
  posthorn = await startPosthorn()
  await create(posthorn.admin, 'trial')
  for (let index = 0; index < 40; index++)
    await text(posthorn.admin, { instance: 'trial', to: 'ana@accepts.sandbox', text: 'x'.repeat(4_000) })
})
beforeEach(() => {
  folder = join(home, `backups-${++folders}`)
  mkdirSync(folder)
})
after(async () => {
  await posthorn.stop()
  rmSync(home, { recursive: true, force: true })
})

const hour = (count: number) => new Date(Date.UTC(2026, 0, 1, count))
const nameAt = (count: number) => `posthorn-20260101T${String(count).padStart(2, '0')}0000Z.tar`
const nothing = () => {}

async function keep(count: number, now: Date, { data } = posthorn, onChecking: () => void = nothing) {
  const config = testConfig(data, await databaseFor(data))
  return keepBackups(config, { folder, keep: count, now, onWriting: nothing, onChecking })
}

/** Runs a command of this Posthorn; tells its exit code and all that it said. */
async function command(...words: string[]): Promise<{ code: number; said: string }> {
  const entry = new URL('../../../src/cli/posthorn.js', import.meta.url).pathname
  const settings = { POSTHORN_DATA: posthorn.data, ...(await databaseFor(posthorn.data)) }
  const running = promisify(execFile)(process.execPath, [entry, ...words], {
    env: { ...ofThisRun(), ...settings },
  })
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      said: error.stdout + error.stderr,
    }),
  )
}

test('the newest backups of a store stay, and all that is not one of them', async () => {
  const other = await startPosthorn()
  await keep(1, hour(1), other)
  await other.stop()
  writeFileSync(join(folder, nameAt(0)), 'my own notes')
  writeFileSync(join(folder, 'notes.txt'), 'notes')
  mkdirSync(join(folder, nameAt(2)))
  symlinkSync(join(folder, 'notes.txt'), join(folder, nameAt(3)))
  const strangeNames = readdirSync(folder)
  for (const at of [4, 5, 6]) assert.deepEqual((await keep(2, hour(at))).removed.length, at === 6 ? 1 : 0)
  const { removed } = await keep(1, hour(7))
  assert.deepEqual(removed, [join(folder, nameAt(5)), join(folder, nameAt(6))])
  assert.deepEqual(readdirSync(folder), [...strangeNames, nameAt(7)].toSorted())
  await checkBackup(join(folder, nameAt(7)), nothing)
})

test('the new backup stays even if the clock was set back', async () => {
  for (const at of [8, 9]) await keep(5, hour(at))
  await keep(1, hour(1))
  assert.deepEqual(readdirSync(folder), [nameAt(1)])
})

test('a backup that is not complete gets no name, and no older one goes for it', async () => {
  await keep(1, hour(1))
  const cut = () => truncateSync(join(folder, `${nameAt(2)}.unverified`), 1_000)
  await assert.rejects(keep(1, hour(2), posthorn, cut), /not a complete backup.*no older backup was/)
  assert.deepEqual(readdirSync(folder), [nameAt(1)])
})

test('leftovers of interrupted backups go after a day', async () => {
  const leftovers = [1, 2].flatMap((at) => [`${nameAt(at)}.unverified`, `${nameAt(at)}.unverified.4711.part`])
  for (const name of leftovers) writeFileSync(join(folder, name), '')
  const twoDays = (Date.now() - 172_800_000) / 1000
  for (const name of leftovers.slice(0, 2)) utimesSync(join(folder, name), twoDays, twoDays)
  const config = testConfig(posthorn.data, await databaseFor(posthorn.data))
  const { file } = await keepBackups(config, {
    ...{ folder, keep: 1, now: new Date(), onWriting: nothing, onChecking: nothing },
  })
  assert.deepEqual(
    readdirSync(folder).map((name) => join(folder, name)),
    [...leftovers.slice(2).map((name) => join(folder, name)), file].toSorted(),
  )
})

test('the command says what it did, and the metrics and the doctor when', async () => {
  const metrics = new MetricsReader(posthorn)
  const at = () => metrics.value({ name: 'posthorn_last_backup_timestamp_seconds' })
  const before = Math.floor(Date.now() / 1000)
  assert.equal(await at(), 0)
  const { code, said } = await command('backup', '--keep', '3', folder)
  assert.equal(code, 0, said)
  assert.match(said, /posthorn-\d{8}T\d{6}Z\.tar contains 40 messages/)
  const made = (await at()) ?? 0
  assert.ok(made >= before && made <= Date.now() / 1000, `${made}`)
  assert.match((await command('doctor')).said, /backup.*the last one was complete at/)
  const store = await openStore(testConfig(posthorn.data, await databaseFor(posthorn.data)))
  await store.transact(noteBackupMade, { at: Date.now() - 3 * 86_400_000 })
  await store.close()
  assert.match((await command('doctor')).said, /backup.*3 days ago/)
})

test('a command that cannot do it exits otherwise, and does not make a folder that is missing', async () => {
  const missing = join(home, 'not-mounted')
  for (const [words, code, reason] of [
    [['--keep', '3', missing], 1, /is not a folder/],
    [['--keep', '0', folder], 2, /from 1 to 10000/],
    [['--keep', 'many', folder], 2, /from 1 to 10000/],
  ] as const) {
    const ran = await command('backup', ...words)
    assert.deepEqual([ran.code, reason.test(ran.said)], [code, true], ran.said)
  }
  assert.ok(!readdirSync(home).includes('not-mounted'))
  assert.deepEqual(readdirSync(folder), [])
})
