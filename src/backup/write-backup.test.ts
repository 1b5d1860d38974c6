import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { allEvents } from '../../test/kit/http/feed.ts'
import { create, inMs, text } from '../../test/kit/play.ts'
import { startPostgres } from '../../test/kit/postgres.ts'
import { freshFolder, startPosthorn, testConfig } from '../../test/kit/posthorn.ts'
import { cancelMessages } from '../contract/operations/cancellation-operations.ts'
import { sendMediaMessage } from '../contract/operations/message-operations.ts'
import { writeBackup } from './write-backup.ts'

/* While files are copied, which may take hours, the backup holds no snapshot: the server's log can be emptied, and its tables cleaned. */

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

/** True if the write-ahead log of SQLite can be emptied after one more write. */
function canEmptyLog(data: string): boolean {
  const database = new DatabaseSync(join(data, 'posthorn.db'))
  database.exec('PRAGMA busy_timeout = 2000; update organizations set created_at = created_at + 1')
  const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
  database.close()
  return row?.busy === 0
}

/**
 * Counts the sessions of PostgreSQL that stay in a transaction; asked by a process, because files are copied meanwhile. The server is
 * in one for a moment now and then, and the backup goes on only after the answer.
 */
function inTransaction(url: string): number {
  const ask = `
    import pg from 'pg'
    const client = new pg.Client({ connectionString: process.argv[1] })
    await client.connect()
    const query = "select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'"
    let count
    for (let looks = 0; looks < 20 && count !== 0; looks++) {
      if (looks > 0) await new Promise((done) => setTimeout(done, 100))
      count = (await client.query(query)).rows.length
    }
    console.log(count)
    await client.end()`
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', ask, url], {
    cwd: import.meta.dirname,
  })
  return Number(said)
}

/** Has a server take two larger files, and makes a backup beside it; returns what `look` saw after each file. */
async function seenWhileCopying<Seen>(
  data: string,
  environment: Readonly<Record<string, string>>,
  look: () => Seen,
): Promise<Seen[]> {
  const posthorn = await startPosthorn({ data, environment })
  try {
    await create(posthorn.admin, 'one')
    for (let count = 0; count < 2; count++) {
      const form = new FormData()
      const said = { instance: 'one', to: 'ana@delivers.sandbox', kind: 'document', send_at: inMs(3_600_000) }
      for (const [name, value] of Object.entries(said)) form.set(name, value)
      form.set('file', new Blob([new Uint8Array(randomBytes(100_000))]), 'file.bin')
      await posthorn.admin.call(sendMediaMessage, { body: form })
    }
    const seen: Seen[] = []
    const { manifest } = await writeBackup(testConfig(data, environment), join(data, 'backup.tar'), () => {
      seen.push(look())
    })
    assert.deepEqual([manifest.files, manifest.missing], [2, []])
    return seen
  } finally {
    await posthorn.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

test('no snapshot of SQLite is held while files are copied', async () => {
  const data = freshFolder()
  assert.deepEqual(await seenWhileCopying(data, {}, () => canEmptyLog(data)), [true, true])
})

test('no snapshot of PostgreSQL is held while files are copied', {
  skip: postgres.available ? false : postgres.reason,
}, async () => {
  assert.ok(postgres.available)
  const url = await postgres.server.createDatabase()
  const seen = await seenWhileCopying(freshFolder(), { POSTHORN_DATABASE_URL: url }, () => inTransaction(url))
  assert.deepEqual(seen, [0, 0])
})

test('the events are counted as the feed has them, though a row of the journal holds several', async () => {
  const data = freshFolder()
  const posthorn = await startPosthorn({ data })
  try {
    const { admin } = posthorn
    await create(admin, 'one')
    for (const words of ['one', 'two', 'three'])
      await text(admin, {
        instance: 'one',
        to: 'ana@delivers.sandbox',
        text: words,
        send_at: inMs(3_600_000),
      })
    await admin.call(cancelMessages, { body: { instance: 'one' } })
    const inFeed = (await allEvents(admin)).length
    const { events, manifest } = await writeBackup(testConfig(data), join(data, 'backup.tar'), () => {})
    assert.equal(events, inFeed)
    assert.ok((manifest.rows.events ?? 0) < inFeed)
  } finally {
    await posthorn.stop()
    rmSync(data, { recursive: true, force: true })
  }
})
