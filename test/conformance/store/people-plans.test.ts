import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listConversations } from '../../../src/messages/list/conversation-list.ts'
import { enterBlock } from '../../../src/messages/list/message-index.ts'
import { keptKind, keptStatus } from '../../../src/store/tables/kept-message.ts'
import { observedPostgres } from '../../kit/observed-plans.ts'
import { startPostgres } from '../../kit/postgres.ts'

/*
 * A page of conversations on a PostgreSQL that has gathered no statistics yet, as in the first minute of a store: it looks for each person
 * by an index, and does not compare all of a page with all whom the instance knows.
 */

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

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
