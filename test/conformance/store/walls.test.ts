import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { DatabaseUnusable } from '../../../src/store/postgres/database-unusable.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres.ts'
import type { Store } from '../../../src/store/store.ts'
import { startPostgres } from '../../kit/postgres.ts'
import { ask, functions, tell } from './functions.ts'

/* The wall that PostgreSQL puts between organizations: reads that ask for everything, in the turns of some. */

const postgres = await startPostgres()
const server = postgres.available ? postgres.server : undefined
const skip = postgres.available ? false : postgres.reason

const users: string[] = []

/** The address of a database that belongs to a user of its own, with these rights. */
async function databaseOfUser(rights = ''): Promise<{ url: string; user: string }> {
  const user = `user_${randomBytes(6).toString('hex')}`
  await server?.query(`create role ${user} login password 'secret' ${rights}`)
  users.push(user)
  const url = new URL((await server?.createDatabase(`owner ${user}`)) ?? '')
  url.username = user
  url.password = 'secret'
  return { url: url.href, user }
}

after(async () => {
  await server?.stop()
  // A server that ran for this file alone is gone with its roles.
  if (!process.env.POSTHORN_TEST_SHARED_POSTGRES) return
  for (const user of users)
    await server?.query(`drop role if exists ${user}_callers, ${user}_writers, ${user}`)
})

const open = (url: string) => openPostgresStore({ url, functions })

const insertInstance = (organization: string) =>
  `insert into message_instances (instance_id, organization_id, instance_name) values ('inst_${organization}', '${organization}', 'one')`
const insertMessages = `insert into messages (id, instance, recipient, kind, status, created_at, expires_at)
  select 'msg_' || organization_id, number, 'ana', 0, 0, 0, 0 from message_instances`
const insertAttempts = `insert into message_attempts (message_seq, number, outcome, ended_at) select seq, 1, 'sent', 0 from messages`

describe('a read in the turn of an organization', { skip }, () => {
  let store: Store
  let url: string
  before(async () => {
    url = (await databaseOfUser('createrole')).url
    store = await open(url)
    for (const organization of ['org_a', 'org_b']) await store.transact(tell, insertInstance(organization))
    await store.transact(tell, insertMessages)
    await store.transact(tell, insertAttempts)
  })
  after(() => store?.close())

  const seen = (text: string, party: string) => store.read(ask, text, { party })

  test('sees the rows of that organization, and a part of the server those of all', async () => {
    const text = 'select id from messages order by id'
    assert.deepEqual(await seen(text, 'org_a'), [{ id: 'msg_org_a' }])
    assert.deepEqual(await seen(text, 'org_b'), [{ id: 'msg_org_b' }])
    assert.deepEqual(await seen(text, 'operator'), [{ id: 'msg_org_a' }, { id: 'msg_org_b' }])
    assert.deepEqual(await seen(text, 'org_none'), [])
    assert.deepEqual(await seen(text, "org_a' or true --"), [])
  })

  test('sees rows that name no organization as far as it sees what they belong to', async () => {
    const text = 'select count(*) as count from message_attempts'
    assert.deepEqual(await seen(text, 'org_a'), [{ count: 1 }])
    assert.deepEqual(await seen(text, 'operator'), [{ count: 2 }])
  })

  test('may not touch what belongs to no organization', async () => {
    for (const table of ['nodes', 'duties', 'asks', 'sessions', 'sign_in_codes', 'migrations'])
      await assert.rejects(seen(`select * from ${table}`, 'org_a'), /permission denied/, table)
    await store.transact(tell, "insert into service values ('secret', 'x')")
    assert.deepEqual(await seen('select * from service', 'org_a'), [])
  })

  test('has a role that owns nothing and may not write', async () => {
    const role = 'select current_user::text as name'
    const [{ name }] = (await seen(role, 'org_a')) as [{ name: string }]
    assert.match(name, /_callers$/)
    const owned = `select relname from pg_class where relowner = '${name}'::regrole`
    assert.deepEqual(await seen(owned, 'operator'), [])
    const written = `select privilege_type from information_schema.role_table_grants
      where grantee = '${name}' and privilege_type <> 'SELECT'`
    assert.deepEqual(await seen(written, 'operator'), [])
  })

  test('leaves nothing of its turn to the next on its connection', async () => {
    for (let number = 0; number < 20; number++) {
      const party = ['org_a', 'operator', 'org_b'][number % 3] as string
      const [{ count }] = (await seen('select count(*) as count from messages', party)) as [{ count: number }]
      assert.equal(count, party === 'operator' ? 2 : 1)
    }
  })

  test('returns nothing if the role cannot be taken', async () => {
    const [{ name }] = (await seen('select current_user::text as name', 'org_a')) as [{ name: string }]
    const user = new URL(url).username
    await server?.query(`revoke ${name} from ${user} cascade`)
    await assert.rejects(seen('select 1 as one', 'org_a'), /permission denied to set role/)
    await server?.query(`grant ${name} to ${user}`)
    assert.deepEqual(await seen('select 1 as one', 'org_a'), [{ one: 1 }])
  })

  test('meets a wall in every table', async () => {
    const open =
      "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and not relrowsecurity"
    assert.deepEqual(await seen(open, 'operator'), [{ relname: 'migrations' }])
  })
})

describe('a transaction', { skip }, () => {
  let store: Store
  let url: string
  before(async () => {
    url = (await databaseOfUser('createrole')).url
    store = await open(url)
    for (const organization of ['org_a', 'org_b']) await store.transact(tell, insertInstance(organization))
  })
  after(() => store?.close())

  const numbers = 'select count(*) as count from message_instances'

  test('has a role that owns nothing, and so have the reads of parts of the server', async () => {
    const role = 'select current_user::text as name'
    const [{ name }] = (await store.transact(tell, role, { party: 'org_a' })) as [{ name: string }]
    assert.match(name, /_writers$/)
    for (const party of ['org_b', 'operator'])
      assert.deepEqual(await store.transact(tell, role, { party }), [{ name }])
    assert.deepEqual(await store.read(ask, role, { party: 'operator' }), [{ name }])
    const owned = `select relname from pg_class where relowner = '${name}'::regrole`
    assert.deepEqual(await store.read(ask, owned, { party: 'operator' }), [])
  })

  test('changes rows, and nothing else', async () => {
    assert.deepEqual(await store.transact(tell, numbers), [{ count: 2 }])
    for (const statement of [
      'truncate messages',
      'drop table messages',
      'alter table messages disable row level security',
      'create table anything (a int)',
      'drop policy callers on messages',
      'update migrations set expands = 0',
    ])
      await assert.rejects(store.transact(tell, statement), /permission denied|must be owner/, statement)
    assert.deepEqual(await store.transact(tell, numbers), [{ count: 2 }])
  })

  test('is not performed if the role cannot be taken', async () => {
    const user = new URL(url).username
    await server?.query(`revoke ${user}_writers from ${user} cascade`)
    await assert.rejects(store.transact(tell, insertInstance('org_c')), /permission denied to set role/)
    await server?.query(`grant ${user}_writers to ${user}`)
    assert.deepEqual(await store.transact(tell, numbers), [{ count: 2 }])
  })

  test('passes in a store from before there was the role once a server has started on it, beside one that goes on', async () => {
    const owner = new pg.Client({ connectionString: url })
    await owner.connect()
    const { rows } = await owner.query(
      "select relname as name from pg_class where relrowsecurity and relkind = 'r'",
    )
    for (const { name } of rows) await owner.query(`drop policy writers on ${name}`)
    await owner.query(`revoke all on all tables in schema public from ${new URL(url).username}_writers`)
    await assert.rejects(store.transact(tell, numbers), /permission denied/)
    // A backup reads in a transaction that lasts.
    await owner.query('begin; select count(*) from messages')
    const opening = open(url)
    const isHeldUp = `select from pg_locks where mode = 'AccessExclusiveLock' and not granted and relation = 'messages'::regclass`
    while ((await server?.query(isHeldUp, [], url))?.length === 0);
    await owner.query('commit')
    await (await opening).close()
    await owner.end()
    assert.deepEqual(await store.transact(tell, numbers), [{ count: 2 }])
    await store.transact(tell, insertMessages)
  })
})

describe('a user who may not create roles', { skip }, () => {
  test('is told what an administrator runs, and needs no more than that', async () => {
    const { url, user } = await databaseOfUser()
    const needed = await open(url).then(
      () => assert.fail('it opened'),
      (error) => error,
    )
    assert.ok(needed instanceof DatabaseUnusable)
    assert.equal(
      needed.next,
      `let an administrator run: ${['callers', 'writers'].map((kind) => `CREATE ROLE "${user}_${kind}" NOLOGIN; GRANT "${user}_${kind}" TO "${user}";`).join(' ')}`,
    )
    await server?.query(needed.next.replace('let an administrator run: ', ''))
    const store = await open(url)
    assert.deepEqual(await store.read(ask, 'select id from messages', { party: 'org_a' }), [])
    await store.close()
  })

  test('is told so if the role would see all', async () => {
    const { url, user } = await databaseOfUser()
    await server?.query(`create role ${user}_callers bypassrls; grant ${user}_callers to ${user}`)
    await assert.rejects(open(url), /may see the rows of all organizations/)
  })
})
