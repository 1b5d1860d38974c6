import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type ObservedDatabase, observedPostgres, observedSqlite } from '../../../test/kit/observed-plans.ts'
import { startPostgres } from '../../../test/kit/postgres.ts'
import { keepMessages, type ListedMessage, timeOf } from '../../../test/kit/stores/listed-store.ts'
import { listConversations } from './conversations/conversation-list.ts'
import { firstOfBlock } from './message-index.ts'
import { type Listed, listMessages } from './message-list.ts'

/*
 * A conversation whose messages are far apart, each in a block of its own among those of others. Searching it for a text that it does
 * not contain looks at all of them. That must not take statements for each block, or walk past all newer blocks again.
 */

const blocks = 520
const statementsPerRead = 16

const message = (seq: number): ListedMessage => ({
  ...{ organization: 'org_a', instance: 'first', direction: 'outbound', conversation: 'ana' },
  ...{ seq, clientRef: null, status: 'sent', text: 'Hello.', createdAt: timeOf({ seq }) },
})

const wanted = {
  ...{ organizationId: 'org_a', instanceName: null, seen: null, status: null, direction: null, to: null },
  ...{ conversation: 'ana', clientRef: null, createdAfter: null, createdBefore: null, text: 'nothing' },
  ...{ limit: 50, before: null },
}

/** Reads the list to its end. Returns what each read did. */
async function searched(
  database: ObservedDatabase,
  beforehand?: (database: ObservedDatabase) => Promise<void>,
) {
  const kept = Array.from({ length: blocks }, (_, index) => message(firstOfBlock(index) + 7))
  // None of them is in the block that is still open.
  await database.session.perform(keepMessages.run, [...kept, message(firstOfBlock(blocks))])
  await beforehand?.(database)
  const reads: { statements: number; pages: number }[] = []
  for (let place: Listed['goOn'] = null; ; ) {
    const { length } = database.observed
    await database.observe(async () => {
      const { data, goOn } = await database.session.perform(listMessages.run, { ...wanted, place })
      assert.deepEqual(data, [])
      place = goOn
    }, 'org_a')
    const own = database.observed.slice(length)
    const pages = own
      .filter(({ sql }) => sql.includes('recursive'))
      .reduce((sum, { pages }) => sum + pages, 0)
    reads.push({ statements: own.length, pages })
    if (place === null) return reads
  }
}

/** As many entries of others as there are in a store of a million messages. */
async function keepOthers(database: ObservedDatabase): Promise<void> {
  await database.execute(
    `insert into message_index select block, 100 + key, '\\x00' from generate_series(0, ${blocks}) as block, generate_series(0, 500) as key`,
  )
  await database.execute('analyze')
}

function areFew(reads: Awaited<ReturnType<typeof searched>>): void {
  assert.ok(reads.length <= 4, `${reads.length} reads`)
  for (const { statements } of reads)
    assert.ok(statements <= statementsPerRead, `${statements} statements in a read`)
}

test('a conversation with one message in each block is searched in few statements in SQLite', async () => {
  const database = await observedSqlite()
  areFew(await searched(database))
  await database.close()
})

test('a page of the conversations of an instance looks at hardly more of them than it shows', async () => {
  const database = await observedSqlite()
  const kept = Array.from({ length: 300 }, (_, index) => ({
    ...message(index * 3),
    instance: index % 10 === 0 ? 'second' : 'first',
    conversation: `person-${index}`,
  }))
  await database.session.perform(keepMessages.run, [...kept, message(firstOfBlock(2))])
  const filter = { organizationId: 'org_a', instanceName: 'first', seen: null, search: null, isUnread: false }
  const asked = { ...filter, limit: 20, before: null, below: null }
  await database.observe(async () => {
    const { data, goOn } = await database.session.perform(listConversations.run, asked)
    assert.equal(data.length, 20)
    assert.notEqual(goOn, null)
  })
  const looks = database.observed.filter(({ sql }) =>
    sql.startsWith('select "instance_id", "instance_name", "recipient", "seq" from'),
  )
  assert.ok(looks.length >= 20 && looks.length <= 63, `${looks.length} conversations`)
  await database.close()
})

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

test('the same in PostgreSQL, and no read walks through the blocks of those before it', {
  skip: postgres.available ? false : postgres.reason,
}, async () => {
  assert.ok(postgres.available)
  const database = await observedPostgres(await postgres.server.createDatabase())
  const reads = await searched(database, keepOthers)
  areFew(reads)
  const [first, second] = reads
  assert.ok(first && second)
  assert.ok(second.pages <= first.pages * 1.2, `${second.pages} pages after ${first.pages}`)
  await database.close()
})
