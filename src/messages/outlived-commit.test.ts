import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { startPostgres } from '../../test/kit/postgres.ts'
import { accepting } from '../../test/kit/stores/accepting.ts'
import { outboxFunctions, resetOutbox } from '../../test/kit/stores/outbox-store.ts'
import { holdLease, type NodeLease } from '../nodes/node-lease.ts'
import { stillRun } from '../nodes/node-store.ts'
import { systemClock } from '../runtime/clock.ts'
import { silentLog } from '../runtime/log.ts'
import { lockTouched } from '../store/postgres/group-locks.ts'
import { openPostgresStore } from '../store/postgres/postgres.ts'
import { beginWrite, PostgresConnection, postgresSql } from '../store/postgres/postgres-connection.ts'
import { postgresDialect } from '../store/postgres/postgres-work.ts'
import { StoreSession } from '../store/session.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { TurnsOf } from '../store/turns-of.ts'
import { enterBlock } from './list/message-index.ts'
import { type Listed, listMessages } from './list/message-list.ts'
import { type AcceptArgs, acceptMessage } from './outbox/accept/accept.ts'

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

const node = { id: 'node_one', version: '1', media: 'postgres', clock: systemClock, log: silentLog }

function numbered(organization_id: string, number: number): AcceptArgs {
  const id = `msg_${organization_id}_${String(number).padStart(4, '0')}`
  return accepting({
    id,
    organization_id,
    instance_id: `inst_${organization_id}`,
    recipient: `person-${number}`,
  })
}

const acceptMany = (store: Store, organization: string, from: number, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      store.transact(acceptMessage, numbered(organization, from + index)),
    ),
  )

async function listed(store: Store, organizationId: string): Promise<string[]> {
  const ids: string[] = []
  const everything = { instanceName: null, seen: null, status: null, direction: null, to: null, text: null }
  const filter = {
    ...everything,
    conversation: null,
    clientRef: null,
    createdAfter: null,
    createdBefore: null,
  }
  for (let place: Listed['goOn'] = null; ; ) {
    const part = { organizationId, limit: 200, before: null, place }
    const found: Listed = await store.read(listMessages, { ...filter, ...part })
    ids.push(...found.data.map(({ id }) => id))
    if (!found.goOn) return ids
    place = found.goOn
  }
}

/** Until a statement waits for what the connection with this process id has locked; resolves with the process id of who waits. */
async function untilWaiting(asking: pg.Client, holder: number): Promise<number> {
  for (;;) {
    const { rows } = await asking.query(
      'select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
      [holder],
    )
    if (rows[0]) return rows[0].pid
  }
}

async function idOf(client: pg.Client): Promise<number> {
  return (await client.query('select pg_backend_pid() as pid')).rows[0].pid
}

test('a list has the messages of a commit that outlived its connection, whoever wrote meanwhile', {
  skip: postgres.available ? false : postgres.reason,
}, async () => {
  assert.ok(postgres.available)
  const url = await postgres.server.createDatabase()
  const store = await openPostgresStore({ url, functions: outboxFunctions })
  const outliving = new pg.Client({ connectionString: url })
  const blocking = new pg.Client({ connectionString: url })
  const watching = new pg.Client({ connectionString: url })
  let lease: NodeLease | undefined
  try {
    await store.transact(resetOutbox, [{ id: 'inst_org_test', network: 'sandbox' }])
    await Promise.all([outliving, blocking, watching].map((client) => client.connect()))
    await blocking.query(`insert into organizations (id, name, created_at) values ('org_other', 'other', 0)`)
    await blocking.query(
      `create temp table copied as select * from instances;
       update copied set id = 'inst_org_other', organization_id = 'org_other';
       insert into instances select * from copied;
       insert into message_instances (instance_id, organization_id, instance_name) values ('inst_org_other', 'org_other', 'inst_org_test')`,
    )
    const onTaken = () => assert.fail('the lease was taken')
    lease = await holdLease(store, { ...node, onTaken })
    await acceptMany(new TurnsOf(lease.store, 'test'), 'org_test', 0, 250)

    // The server takes this for its own transaction: it began as all of its own do.
    const late = new PostgresConnection(outliving, beginWrite('on'), false)
    const outlivingId = await idOf(outliving)
    await late.begin()
    const session = new StoreSession(postgresSql, postgresDialect, late)
    await stillRun(session, lease)
    await lockTouched(late, ['org_test'])
    await acceptMessage.run(session, numbered('org_test', 250))

    await blocking.query(`begin; select * from organizations where id = 'org_other' for update`)
    const other = new TurnsOf(lease.store, 'org_other')
    const broken = assert.rejects(acceptMany(other, 'org_other', 0, 1), StoreUnavailable)
    const waiting = await untilWaiting(watching, await idOf(blocking))
    await watching.query('select pg_terminate_backend($1)', [waiting])
    await broken
    await blocking.query('rollback')

    await acceptMany(other, 'org_other', 1, 1_300)
    const entered = new TurnsOf(lease.store, 'housekeeping').transact(enterBlock, null)
    await Promise.race([
      untilWaiting(watching, outlivingId),
      entered.then(() => assert.fail('it did not wait')),
    ])
    await late.commit()
    assert.equal(await entered, true)
    assert.equal((await listed(store, 'org_test')).length, 251)
    assert.equal((await listed(store, 'org_other')).length, 1_300)
  } finally {
    await lease?.release()
    await Promise.all([outliving, blocking, watching].map((client) => client.end()))
    await store.close()
  }
})
