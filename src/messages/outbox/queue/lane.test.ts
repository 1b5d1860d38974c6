import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { startPostgres } from '../../../../test/kit/postgres.ts'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { outboxFunctions, resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import { openPostgresStore } from '../../../store/postgres/postgres.ts'
import {
  beginWrite,
  connectionSettings,
  PostgresConnection,
  postgresSql,
} from '../../../store/postgres/postgres-connection.ts'
import { postgresDialect } from '../../../store/postgres/postgres-work.ts'
import { StoreSession } from '../../../store/session.ts'
import type { TransactionFunction } from '../../../store/store.ts'
import { kept } from '../../../store/tables/kept-message.ts'
import { forgetMessages } from '../../retention.ts'
import { acceptMessage } from '../accept/accept.ts'
import { recordReceipt } from '../receipts/receipts.ts'
import { cancelMessage, discardQueue } from '../sweep/sweep.ts'
import { settleAndClaim } from './settle-and-claim.ts'

/*
 * The outbox reads no more because a lane is long. PostgreSQL counts the rows that a transaction reads, so it is asked here;
 * the statements and the indexes are those of both stores.
 */

const many = 3_000
const now = 1_000_000
const tomorrow = now + 24 * 60 * 60_000

const columns = `id, instance, recipient, kind, status, text,
  attempts, created_at, send_at, expires_at`

const numberOf = `(select number from message_instances where instance_id = 'inst_1')`
const first = '0'.repeat(26)
const { kind: text, status: queued } = kept({ kind: 'text', status: 'queued' })
const { status: sent } = kept({ status: 'sent' })

/** One lane: a message under way, many that wait for it, and as many that are scheduled for tomorrow. */
const lane = `
  insert into messages (${columns})
  select case when n = 0 then 'msg_${first}' when n <= ${many} then 'waiting-' || n else 'scheduled-' || n end,
    ${numberOf}, 'ana', ${text}, ${queued}, 'A text', 0, ${now}, case when n > ${many} then ${tomorrow} end,
    ${2 * tomorrow}
  from generate_series(0, ${2 * many}) n`

const waiting = `
  insert into outbox (seq, instance, recipient, status, attempts, expires_at, joins_lane_at, due_at, underway, leads_lane)
  select seq, instance, recipient, case when id = 'msg_${first}' then 'sending' else 'queued' end,
    case when id = 'msg_${first}' then 1 else 0 end, expires_at, coalesce(send_at, 0), send_at,
    case when id = 'msg_${first}' then 1 else 0 end, case when id = 'msg_${first}' then 1 else 0 end
  from messages where status = ${queued}`

/** Ten times as many that were sent before. */
const history = `
  insert into messages (${columns})
  select 'old-' || n, ${numberOf}, 'ana', ${text}, ${sent}, 'A text', 1, 0, null, ${now}
  from generate_series(1, ${20 * many}) n`

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

describe('in a lane of thousands', { skip: postgres.available ? false : postgres.reason }, () => {
  let client: pg.Client
  let seq: number

  before(async () => {
    assert.ok(postgres.available)
    const url = await postgres.server.createDatabase()
    const store = await openPostgresStore({ url, functions: outboxFunctions })
    await store.transact(resetOutbox, [{ id: 'inst_1', network: 'deduping' }])
    await store.close()
    client = new pg.Client(connectionSettings(url))
    await client.connect()
    await client.query(history)
    await client.query(lane)
    await client.query(waiting)
    await client.query('analyze messages, outbox')
    seq = Number((await client.query(`select seq from messages where id = 'msg_${first}'`)).rows[0].seq)
  })
  after(() => client.end())

  /** Returns the number of rows that this connection has read of each table, as far as it has not reported them yet. */
  async function reads(): Promise<readonly number[]> {
    const { rows } = await client.query(
      `select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables
       where relname in ('messages', 'outbox') order by relname`,
    )
    return rows.map(({ read }) => Number(read))
  }

  /** Carries something out, tells how many rows were read of the table of which it read most, and undoes it. */
  async function readBy<A>(transaction: TransactionFunction<A, unknown>, args: A): Promise<number> {
    const connection = new PostgresConnection(client, beginWrite('on'), false)
    await connection.begin()
    const before = await reads()
    const session = new StoreSession(postgresSql, postgresDialect, connection)
    await transaction.run(session, args)
    await session.sentArrived()
    const read = (await reads()).map((count, table) => count - (before[table] ?? 0))
    await connection.rollback()
    return Math.max(...read)
  }

  async function readsFew<A>(transaction: TransactionFunction<A, unknown>, args: A): Promise<void> {
    const read = await readBy(transaction, args)
    assert.ok(read <= 10, `${read} messages were read`)
  }

  const message = (sendAt: number | null) =>
    accepting({
      id: 'another',
      instance_id: 'inst_1',
      created_at: now,
      send_at: sendAt,
      expires_at: 2 * tomorrow,
    })
  const cancel = (id: string) =>
    readsFew(cancelMessage, { organizationId: 'org_test', id, instances: null, now })
  const args = { instanceId: 'inst_1', attempted: [], claim: 10, claimPerRecipient: 1, now, holding: null }

  test('accepting a message that is due reads few', () => readsFew(acceptMessage, message(null)))
  test('accepting a scheduled message reads few', () => readsFew(acceptMessage, message(tomorrow)))
  test('canceling one that waits reads few', () => cancel(`waiting-${many / 2}`))
  test('canceling one that is scheduled reads few', () => cancel(`scheduled-${many + many / 2}`))
  test('looking for what is due reads few', () => readsFew(settleAndClaim, args))
  test('settling the first and claiming the next reads few', () =>
    readsFew(settleAndClaim, {
      ...args,
      attempted: [{ seq, attempt: 1, recipient: 'ana', verdict: { kind: 'sent' } }],
    }))
  test('a receipt for the first reads few', () =>
    readsFew(recordReceipt, {
      instanceId: 'inst_1',
      networkMessageId: first,
      from: 'ana',
      state: 'read',
      at: now,
    }))
  test('forgetting what is old reads that, and a few that are not', async () => {
    const step = { before: 1, after: 0, limit: 100, now }
    const read = await readBy(forgetMessages, step)
    assert.ok(read <= 300, `${read} messages were read`)
    const later = await readBy(forgetMessages, { ...step, after: 10 * many })
    assert.ok(later <= 300, `${later} messages were read`)
  })
  test('discarding a hundred reads those', async () => {
    const read = await readBy(discardQueue, { instanceId: 'inst_1', now, limit: 100 })
    assert.ok(read <= 300, `${read} messages were read`)
  })
  test('when the times of all have come, one claim reads a part of them', async () => {
    const read = await readBy(settleAndClaim, { ...args, now: tomorrow })
    assert.ok(read <= many / 2, `${read} messages were read`)
  })
  test('a message that is accepted then reads a part of them, too', async () => {
    const due = { id: 'another', instance_id: 'inst_1', created_at: tomorrow, expires_at: 2 * tomorrow }
    const read = await readBy(acceptMessage, accepting({ ...due, recipient: 'ana' }))
    assert.ok(read <= many / 2, `${read} messages were read`)
  })
})
