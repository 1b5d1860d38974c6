import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, describe, it } from 'node:test'
import { functions } from '../../test/conformance/media/functions.ts'
import { librarySuite } from '../../test/conformance/media/library-suite.ts'
import { startPostgres } from '../../test/kit/postgres.ts'
import { randomOf } from '../../test/kit/random.ts'
import { openPostgresStore } from '../store/postgres/postgres.ts'
import { openSqliteStore } from '../store/sqlite/sqlite.ts'
import { openFileMedia } from './store/files.ts'
import { openPostgresMedia } from './store/postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'posthorn-library-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const seed = 20_261_121
const chance = { seed, random: randomOf(seed) }

const open: { close(): Promise<void> }[] = []
afterEach(() => Promise.all(open.splice(0).map((it) => it.close())))

describe('a library with SQLite and files', () => {
  const thread = new URL('../../test/conformance/media/thread.ts', import.meta.url)
  let places = 0
  librarySuite(async () => {
    places++
    const store = await openSqliteStore({ file: join(folder, `${places}.db`), thread })
    const bytes = await openFileMedia(join(folder, `files-${places}`))
    open.push(store, bytes)
    return { store, otherStore: store, bytes }
  }, chance)
})

const postgres = await startPostgres()

if (!postgres.available) {
  it('a library in PostgreSQL', { skip: postgres.reason }, () => {})
} else {
  describe('a library in PostgreSQL', () => {
    after(() => postgres.server.stop())
    librarySuite(async () => {
      const url = await postgres.server.createDatabase()
      const store = await openPostgresStore({ url, functions })
      const otherStore = await openPostgresStore({ url, functions })
      const bytes = await openPostgresMedia(url)
      open.push(store, otherStore, bytes)
      return { store, otherStore, bytes }
    }, chance)
  })
}
