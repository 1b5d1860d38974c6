import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { storeFunctions } from '../../../src/gateway/transactions.ts'
import { firstFiles } from '../../../src/messages/files/fetch-store.ts'
import { listConversations } from '../../../src/messages/list/conversations/conversation-list.ts'
import { enterBlock } from '../../../src/messages/list/message-index.ts'
import { keptKind, keptStatus } from '../../../src/store/tables/kept-message.ts'
import { type ObservedDatabase, observedPostgres } from '../../kit/observed-plans.ts'
import { startPostgres } from '../../kit/postgres.ts'

/*
 * PostgreSQL has one writer, and each statement is a round trip: a call of a thousand statements holds up everybody. So the
 * transactions that change many rows at once are played here where they have as much to do as they ever may, and their
 * statements are counted.
 */

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

const now = 1_000_000_000
const webhooks = 20
/** On a machine of two cores, each of these calls takes about 20 ms. */
const statementsAtMost = 15
const messages = 250
const claim = {
  organization: 'org_a',
  now,
  attempted: [],
  fanOut: 100,
  lanes: [],
  capacity: { healthy: 64, failing: 64, shared: 64 },
  turn: 0,
  early: [],
}
const lastId = `${'0'.repeat(21)}${10_000 + messages}`
const receipt = { instanceId: 'inst_a', networkMessageId: lastId, from: null, state: 'read', at: now }
const release = { expiresAt: now, limit: 200, after: firstFiles }

/** By the name of a function of the store: what it is asked for, and what is left as changed rows by one call. */
const play: readonly {
  readonly name: string
  readonly args: unknown
  readonly changed: string
  readonly rows: number
}[] = [
  {
    name: 'deliveries.settle_and_claim',
    args: claim,
    changed: `deliveries where status = 'failed'`,
    rows: 200,
  },
  // The one that is named, and those before it.
  {
    name: 'receipts.up_to',
    args: receipt,
    changed: `messages where status = ${keptStatus('read')}`,
    rows: 201,
  },
  { name: 'files.release', args: release, changed: 'media where expires_at is not null', rows: 200 },
]

/** A webhook whose receiver answered 410, and which waits for 600 deliveries of as many instances, some in batches. */
const webhook = (id: string) => [
  `insert into webhooks (id, organization_id, url, ordering, enabled, disabled_reason, secret, begins_after, created_at, updated_at, batch, pending)
   values ('${id}', 'org_a', 'https://example.org/', 'per_instance', 0, '{"code":"gone","detail":""}', '', 0, 0, 0, 2, 1200)`,
  `insert into deliveries (id, organization_id, webhook_id, event_sequence, event_id, event_type, instance_name, status,
     next_attempt_at, created_at, batch_id)
   select 'dlv_${id}_' || n, 'org_a', '${id}', n, 'evt_' || n, 'message.sent', 'name' || (n % 600), 'pending',
     case when n <= 600 then 1 end, 1, case when n % 2 = 0 then 'bat_' || n end
   from generate_series(1, 1200) as n`,
]

const everything = [
  `insert into organizations (id, name, created_at) values ('org_a', 'a', 0)`,
  `insert into instances (id, organization_id, name, network, wanted, status, status_since, settings, credentials, metadata,
     created_at, updated_at) values ('inst_a', 'org_a', 'name0', 'sandbox', 'running', 'connected', 0, '{}', '', '{}', 0, 0)`,
  ...Array.from({ length: webhooks }, (_, number) => webhook(`wh_${number}`)).flat(),
  `insert into message_instances (number, instance_id, organization_id, instance_name) values (1, 'inst_a', 'org_a', 'name0')`,
  `insert into messages (id, instance, recipient, kind, status, text, created_at, expires_at, sent_after)
   select 'msg_${'0'.repeat(21)}' || (10000 + n), 1, 'somebody', ${keptKind('text')}, ${keptStatus('sent')}, 'Hello', 1, ${now * 2}, 0
   from generate_series(1, ${messages}) as n`,
  `insert into media (id, organization_id, sha256, size, created_at)
   select 'med_' || n, 'org_a', 'sha' || n, 10, 1 from generate_series(1, ${messages}) as n`,
  `insert into media_uses (message_id, media_id)
   select 'msg_${'0'.repeat(21)}' || (10000 + n), 'med_' || n from generate_series(1, ${messages}) as n`,
  `insert into message_files (message_id, organization_id, direction, voice, url, fetch_at)
   select 'msg_${'0'.repeat(21)}' || (10000 + n), 'org_a', 'outbound', 0, 'https://example.org/', n
   from generate_series(1, ${messages}) as n`,
]

/** Performs one call; returns the statements it takes, and the rows that are changed afterwards. */
async function perform(database: ObservedDatabase, { name, args, changed }: (typeof play)[number]) {
  const { session, observed } = database
  const run = storeFunctions.transactions.find((one) => one.name === name)?.run
  assert.ok(run, `the store has a function ${name}`)
  await database.observe(() => run(session, args as never))
  const statements = observed.splice(0).length
  const compiled = { sql: `select 1 from ${changed}`, parameters: [] }
  const rows = await session.all({ compile: () => compiled } as never)
  return { statements, rows: rows.length }
}

test('a call that changes many rows has few statements, however much there is to do', {
  skip: postgres.available ? false : postgres.reason,
}, async () => {
  assert.ok(postgres.available)
  const database = await observedPostgres(await postgres.server.createDatabase())
  await database.execute('analyze')
  for (const sql of everything) await database.execute(sql)
  const faults: string[] = []
  for (const call of play) {
    const { statements, rows } = await perform(database, call)
    if (rows !== call.rows) faults.push(`${call.name} changed ${rows} rows and not ${call.rows}`)
    if (statements > statementsAtMost) faults.push(`${call.name} had ${statements} statements`)
  }
  await database.close()
  assert.deepEqual(faults, [])
})

/*
 * A page of conversations on a PostgreSQL that has gathered no statistics yet, as in the first minute of a store: it looks for each person
 * by an index, and does not compare all of a page with all whom the instance knows.
 */

const people = 1_000
const page = 200
/** Each row of the page is looked for by an index of a few pages in eight statements. */
const pagesOfRow = 40

test('the people of a page are found by an index without statistics', {
  skip: postgres.available ? false : postgres.reason,
}, async () => {
  assert.ok(postgres.available)
  const database = await observedPostgres(await postgres.server.createDatabase())
  const series = `generate_series(0, ${2 * 1024}) as n`
  for (const sql of [
    `insert into organizations (id, name, created_at) values ('org_a', 'a', 0)`,
    `insert into message_instances (instance_id, organization_id, instance_name) values ('inst_a', 'org_a', 'name0')`,
    `insert into messages (seq, id, instance, incoming, recipient, kind, status, text, created_at, expires_at)
     select n + 1, 'msg_' || n, number, 1, 'person' || n % ${people}, ${keptKind('text')}, ${keptStatus('received')}, 'Hello', 1, 1
     from message_instances, ${series}`,
    `insert into contact_addresses (instance_id, organization_id, address, contact, told_at, name)
     select 'inst_a', 'org_a', 'person' || n, 'person' || n, 1, 'Person ' || n from generate_series(0, ${people - 1}) as n`,
  ])
    await database.execute(sql)
  await database.observe(async () => {
    while (await enterBlock.run(database.session, null));
  })
  database.observed.length = 0
  const filter = {
    organizationId: 'org_a',
    instanceName: null,
    seen: null,
    search: null,
    isUnread: false,
    limit: page,
    before: null,
    below: null,
  }
  const found: (string | null)[] = []
  await database.observe(async () => {
    const { data } = await listConversations.run(database.session, filter)
    found.push(...data.map(({ conversation }) => conversation.name ?? null))
  }, 'org_a')
  await database.close()
  assert.equal(new Set(found).size, page)
  const costly = database.observed.filter(({ inVain, pages }) => inVain > page || pages > page * pagesOfRow)
  assert.deepEqual(
    costly.map(({ sql, inVain, pages }) => ({ sql, inVain, pages })),
    [],
  )
})
