import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { digestOf, idsOf } from '../../test/conformance/media/fixture.ts'
import { countRecords, listRecords } from '../../test/conformance/media/functions.ts'
import { freshFolder } from '../../test/kit/posthorn.ts'
import { systemClock } from '../runtime/clock.ts'
import { openSqliteStore } from '../store/sqlite/sqlite.ts'
import { serverTurn } from '../store/store.ts'
import { Drafts, smallBytes } from './draft.ts'
import { MediaLibrary } from './media-library.ts'
import { openFileMedia } from './store/files.ts'

const keeper = fileURLToPath(new URL('../../test/conformance/media/keeper.ts', import.meta.url))
const thread = new URL('../../test/conformance/media/thread.ts', import.meta.url)

/**
 * Lets the keeper work until it said so many times that a message was accepted, kills it without warning, and tells all that
 * it said.
 */
async function killAfter(folder: string, accepted: number): Promise<string[]> {
  const child = spawn(process.execPath, [keeper, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    said.push(line)
    if (said.length === accepted) child.kill('SIGKILL')
  })
  await once(lines, 'close')
  return said
}

test('kill -9: no accepted file is lost, and nothing else is left after the clean-up', async () => {
  const folder = freshFolder()
  const accepted = new Map<string, { size: number; sha256: string }>()
  for (const count of [1, 5, 17, 40, 100]) {
    for (const line of await killAfter(folder, count)) {
      const [id = '', size, sha256 = ''] = line.split(' ')
      accepted.set(id, { size: Number(size), sha256 })
    }
  }
  assert.ok(accepted.size >= 163)
  const store = await openSqliteStore({ file: join(folder, 'posthorn.db'), thread })
  await Drafts.open(join(folder, 'drafts'))
  assert.deepEqual(readdirSync(join(folder, 'drafts')), [])
  const bytes = await openFileMedia(join(folder, 'files'))
  const later = { ...systemClock, now: () => Date.now() + 2 * 60 * 60_000 }
  const library = new MediaLibrary({ store, bytes, clock: later })
  const registered = new Map((await store.read(listRecords, null)).map((record) => [record.id, record]))
  for await (const id of bytes.ids()) {
    const { size = 0, sha256 } = registered.get(id) ?? {}
    assert.equal(
      await digestOf(library.open({ id, size }, serverTurn)),
      sha256,
      `${id} is whole or not there`,
    )
  }
  await library.forgetExpired()
  await library.removeLeftovers()
  for (const [id, { size, sha256 }] of accepted)
    assert.equal(await digestOf(library.open({ id, size }, serverTurn)), sha256, `${id} is whole`)
  // A message whose acceptance was not answered is accepted all the same, and has its file.
  const { files, uses } = (await store.read(countRecords, null)) ?? {}
  assert.equal(files, uses)
  const kept = await store.read(listRecords, null)
  const larger = kept.filter(({ size }) => size > smallBytes)
  assert.ok(larger.length < kept.length, 'some are small')
  assert.equal((await idsOf(bytes)).length, larger.length)
  assert.ok(Number(files) >= accepted.size && Number(files) <= accepted.size + 5 * 8)
  await store.close()
  rmSync(folder, { recursive: true })
})
