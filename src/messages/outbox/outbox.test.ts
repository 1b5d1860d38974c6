import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { startPostgres } from '../../../test/kit/postgres.ts'
import { outboxCommands, RealOutbox } from '../../../test/kit/stores/outbox-commands.ts'
import { instances, OutboxModel } from '../../../test/kit/stores/outbox-model.ts'
import { outboxFunctions, resetOutbox } from '../../../test/kit/stores/outbox-store.ts'
import { openPostgresStore } from '../../store/postgres/postgres.ts'
import { openSqliteStore } from '../../store/sqlite/sqlite.ts'
import type { Store } from '../../store/store.ts'

/** Each step of a story waits for the disk of PostgreSQL. What the stories find out about the outbox itself, they find in SQLite. */
const runs = { SQLite: 300, PostgreSQL: 60 }
const given = process.env.POSTHORN_TEST_SEED
const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)

/**
 * Checks that the outbox is as its model says after any events in any order. A failure names the seed and the shortest
 * story.
 */
async function resemblesItsModel(store: Store, kind: keyof typeof runs): Promise<void> {
  const numRuns = Number(process.env.POSTHORN_TEST_OUTBOX_RUNS ?? runs[kind])
  const stories = fc.asyncProperty(
    fc.commands(outboxCommands, { maxCommands: 60, size: 'max' }),
    async (story) => {
      await store.transact(resetOutbox, instances)
      await fc.asyncModelRun(() => ({ model: new OutboxModel(), real: new RealOutbox(store) }), story)
    },
  )
  await fc.assert(stories, { numRuns, seed, endOnFailure: false })
}

test('the outbox in SQLite resembles its model', async (context) => {
  context.diagnostic(`POSTHORN_TEST_SEED=${seed}`)
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-outbox-'))
  const thread = new URL('../../../test/kit/stores/outbox-store-thread.ts', import.meta.url)
  const store = await openSqliteStore({ file: join(folder, 'test.db'), thread })
  try {
    await resemblesItsModel(store, 'SQLite')
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
})

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

test('the outbox in PostgreSQL resembles its model', {
  skip: postgres.available ? false : postgres.reason,
}, async (context) => {
  context.diagnostic(`POSTHORN_TEST_SEED=${seed}`)
  assert.ok(postgres.available)
  const url = await postgres.server.createDatabase()
  const store = await openPostgresStore({ url, functions: outboxFunctions })
  try {
    await resemblesItsModel(store, 'PostgreSQL')
  } finally {
    await store.close()
  }
})
