import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { forgetDeliveries, forgetEvents, ownersOfOldEvents } from '../../../src/events/retention.ts'
import { acceptMessage } from '../../../src/messages/outbox/accept/accept.ts'
import { cancelMessage } from '../../../src/messages/outbox/sweep/sweep.ts'
import { forgetMessages, ownersOfOldest } from '../../../src/messages/retention.ts'
import { lockTouched } from '../../../src/store/postgres/group-locks.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres.ts'
import { beginWrite, PostgresConnection } from '../../../src/store/postgres/postgres-connection.ts'
import { TurnsOf } from '../../../src/store/turns-of.ts'
import { startPostgres } from '../../kit/postgres.ts'
import { accepting } from '../../kit/stores/accepting.ts'
import { outboxFunctions, resetOutbox } from '../../kit/stores/outbox-store.ts'

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

const begin = 1_700_000_000_000

test('what is old of one organization is forgotten while a group of another is under way', {
  skip: postgres.available ? false : postgres.reason,
}, async () => {
  assert.ok(postgres.available)
  const url = await postgres.server.createDatabase()
  const shared = await openPostgresStore({ url, functions: outboxFunctions })
  // As a server asks: in the turn of no organization, so only the call itself says what it touches.
  const store = new TurnsOf(shared, 'housekeeping')
  const client = new pg.Client(url)
  await client.connect()
  try {
    await store.transact(resetOutbox, [{ id: 'inst_a', network: 'sandbox' }])
    const times = { created_at: begin, expires_at: begin + 1_000 }
    await store.transact(acceptMessage, accepting({ id: 'old', instance_id: 'inst_a', ...times }))
    const id = { organizationId: 'org_test', id: 'old', instances: null }
    await store.transact(cancelMessage, { ...id, now: begin })
    await client.query(`insert into organizations (id, name, created_at) values ('org_other', 'other', 0)`)

    const other = new PostgresConnection(client, beginWrite('on'), false)
    await other.begin()
    // However slow this machine is.
    await client.query('set local idle_in_transaction_session_timeout = 0')
    await lockTouched(other, ['org_other'])
    const before = begin + 1
    const { old: organizations } = await store.read(ownersOfOldEvents, { after: '', before })
    assert.deepEqual(organizations, ['org_test'])
    const events = await store.transact(forgetEvents, { after: '', before, limit: 10, organizations })
    assert.equal(events.forgotten, 2)
    await store.transact(forgetDeliveries, { after: 0, before, limit: 10 })
    const step = { after: 0, before, limit: 10, now: before }
    const owners = await store.read(ownersOfOldest, step)
    const messages = await store.transact(forgetMessages, { ...step, organizations: owners })
    assert.equal(messages.forgotten, 1)
    await other.commit()
  } finally {
    await client.end()
    await store.close()
  }
})
