import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { create, text } from '../../kit/play.ts'
import { freshFolder, ofThisRun, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'

const entry = new URL('../../../src/cli/posthorn.js', import.meta.url).pathname
const home = freshFolder()

after(() => rmSync(home, { recursive: true, force: true }))

/** Returns the doctor's words about the tables of a data folder, and its exit code. */
async function doctor(data: string, listen: string, ...words: string[]) {
  const child = spawn(process.execPath, [entry, 'doctor', '--json', ...words], {
    env: { ...ofThisRun(), POSTHORN_DATA: data, POSTHORN_LISTEN: listen },
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: home,
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const out = (await child.stdout.toArray()).join('')
  const { findings } = JSON.parse(out) as {
    findings: { verdict: string; subject: string; detail: string; advice?: string }[]
  }
  return { code: await ended, tables: findings.find(({ subject }) => subject === 'tables') }
}

const hostOf = ({ url }: PosthornProcess) => new URL(url).host

/** Flips bytes in the middle of where a table begins. */
function damage(file: string, table: string): void {
  const database = new DatabaseSync(file, { readOnly: true })
  const found = database.prepare('select rootpage from sqlite_schema where name = ?').get(table)
  database.close()
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.from([0xff, 0xa5, 0x5a]), 0, 3, (Number(found?.rootpage) - 1) * 4096 + 3)
  closeSync(descriptor)
}

test('the doctor finds damaged pages, beside a server and without one, and says what to do', async (t) => {
  const data = join(home, 'data')
  const first = await spawnPosthorn(data)
  await create(first.admin, 'trial')
  await text(first.admin, { instance: 'trial', to: 'ana@delivers.sandbox' }, 20)
  const sound = await doctor(data, hostOf(first), '--deep')
  assert.deepEqual([sound.code, sound.tables?.verdict], [0, 'ok'])
  assert.equal(await first.end('SIGTERM'), 0)
  damage(join(data, 'posthorn.db'), 'audit')
  const alone = await doctor(data, '127.0.0.1:0')
  const second = await spawnPosthorn(data)
  t.after(() => second.end('SIGKILL'))
  const beside = await doctor(data, hostOf(second))
  for (const { code, tables } of [alone, beside]) {
    assert.deepEqual([code, tables?.verdict], [1, 'fail'])
    assert.match(tables?.detail ?? '', /^damaged: audit \(/)
    assert.match(tables?.advice ?? '', /stop the server.*npx posthorn restore/)
  }
})
