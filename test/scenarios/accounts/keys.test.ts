import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import { roles } from '../../../src/contract/operation.ts'
import { listInstances } from '../../../src/contract/operations/instance-operations.ts'
import { createKey, getMe, listKeys, revokeKey } from '../../../src/contract/operations/key-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import type { CreateKey, Key } from '../../../src/contract/resources/key.ts'
import { version } from '../../../src/version.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { create, inMs } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { rowsIn, tamper } from '../../kit/rows.ts'

/* An admin manages the keys of the organization, and a key finds out about itself. */

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn()
  for (const name of ['shop', 'desk']) await create(posthorn.admin, name)
})
after(() => posthorn.stop())

async function made(body: CreateKey, by: CheckedClient = posthorn.admin) {
  const { body: created } = await by.call(createKey, { body })
  return { ...created, client: posthorn.client(created.key) }
}

const good = (instance: string) => ({ instance, to: 'ana@accepts.sandbox', text: 'Good morning' })
const sees = async (client: CheckedClient) =>
  (await client.call(listInstances)).body.data.map(({ name }) => name)
const wrongField = (pointer: string) => (error: unknown) =>
  error instanceof ProblemError && error.problem.errors?.[0]?.pointer === pointer

describe('a key that an admin creates', () => {
  test('does what its role permits, and nothing more', async () => {
    for (const role of roles) {
      const { client } = await made({ role })
      assert.deepEqual(await sees(client), ['desk', 'shop'])
      const send = client.call(sendTextMessage, { body: good('shop') })
      await (role === 'read' ? assert.rejects(send, { code: 'forbidden' }) : send)
      const another = client.call(createKey, { body: { role: 'read' } })
      await (role === 'admin' ? another : assert.rejects(another, { code: 'forbidden' }))
    }
  })

  test('sees the instances that it is limited to, and manages no keys', async () => {
    const { client, instances } = await made({ role: 'admin', instances: ['shop', 'not-yet'] })
    assert.deepEqual(instances, ['shop', 'not-yet'])
    assert.deepEqual(await sees(client), ['shop'])
    const send = client.call(sendTextMessage, { body: good('desk') })
    await assert.rejects(send, { code: 'instance_not_found' })
    const attempts = [
      client.call(createKey, { body: { role: 'read' } }),
      client.call(listKeys),
      client.call(revokeKey, { params: { id: `key_${'0'.repeat(26)}` } }),
    ]
    await Promise.all(attempts.map((attempt) => assert.rejects(attempt, { code: 'forbidden' })))
  })

  test('is refused from the moment on at which it expires', async () => {
    const expires_at = inMs(1_000)
    const { client, ...key } = await made({ role: 'read', expires_at })
    assert.equal(key.expires_at, expires_at)
    const refusal = async () =>
      client.call(listInstances).then(
        () => undefined,
        (error) => error.code,
      )
    let refused = await refusal()
    for (; refused === undefined; refused = await refusal())
      assert.ok(Date.now() < Date.parse(expires_at) + 5_000)
    assert.equal(refused, 'key_expired')
    assert.ok(Date.now() >= Date.parse(expires_at))
  })

  test('cannot outlive the key that created it', async () => {
    const expires_at = inMs(3_600_000)
    const contractor = await made({ role: 'admin', expires_at })
    assert.equal((await made({ role: 'read' }, contractor.client)).expires_at, expires_at)
    const sooner = inMs(1_800_000)
    assert.equal((await made({ role: 'read', expires_at: sooner }, contractor.client)).expires_at, sooner)
    const later = made({ role: 'read', expires_at: inMs(3_601_000) }, contractor.client)
    await assert.rejects(later, wrongField('/expires_at'))
  })

  test('has an expiry ahead, and a name that can be shown', async () => {
    for (const expires_at of [inMs(-1), inMs(11 * 366 * 86_400_000), '2016-12-31T23:59:60Z'])
      await assert.rejects(made({ role: 'read', expires_at }), wrongField('/expires_at'), expires_at)
    const year = new Date().getUTCFullYear() + 1
    const atLeapSecond = await made({ role: 'read', expires_at: `${year}-12-31T23:59:60Z` })
    assert.equal(atLeapSecond.expires_at, `${year + 1}-01-01T00:00:00.000Z`)
    for (const name of ['', 'x'.repeat(101), 'red\u001b[31m', 'two\nlines', 'turned\u202e'])
      await assert.rejects(made({ role: 'read', name }), wrongField('/name'), JSON.stringify(name))
    assert.equal((await made({ role: 'read', name: 'Bestellung ☕ №7' })).name, 'Bestellung ☕ №7')
  })
})

describe('a key that is revoked', () => {
  test('is refused at once, and no other is', async () => {
    const [key, other] = [await made({ role: 'admin' }), await made({ role: 'read' })]
    await key.client.call(listInstances)
    await posthorn.admin.call(revokeKey, { params: { id: key.id } })
    await assert.rejects(key.client.call(listInstances), { code: 'unauthenticated' })
    await other.client.call(listInstances)
  })

  test('may be the one that asks for it, and once more changes nothing', async () => {
    const { id, client } = await made({ role: 'admin' })
    await client.call(revokeKey, { params: { id } })
    await assert.rejects(client.call(getMe), { code: 'unauthenticated' })
    const found = async () => (await posthorn.admin.call(listKeys)).body.data.find((one) => one.id === id)
    const first = await found()
    await posthorn.admin.call(revokeKey, { params: { id } })
    assert.deepEqual(await found(), first)
  })

  test('is one of the own organization', async () => {
    await posthorn.createOrganization('neighbour')
    const theirs = await posthorn.createKey('neighbour', 'admin')
    const params = { id: theirs.id }
    await assert.rejects(posthorn.admin.call(revokeKey, { params }), { code: 'key_not_found' })
    const { body } = await posthorn.client(theirs.key).call(listKeys)
    assert.deepEqual(
      body.data.map(({ id, revoked_at }) => [id, revoked_at]),
      [[theirs.id, null]],
    )
  })
})

describe('the list of keys', () => {
  async function all(query: { revoked?: boolean; limit?: number }): Promise<Key[]> {
    const found: Key[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const asked = { ...query, ...(cursor === undefined ? {} : { cursor }) }
      const { body } = await posthorn.admin.call(listKeys, { query: asked })
      assert.ok(body.data.length <= (query.limit ?? 50))
      found.push(...body.data)
      cursor = body.next_cursor
    }
    return found
  }

  test('has the newest first, living and revoked, over pages, and never the key itself', async () => {
    const { key, client, ...shown } = await made({ role: 'send', name: 'Newest', instances: ['shop'] })
    const everything = await all({})
    assert.deepEqual(everything[0], shown)
    assert.ok(!JSON.stringify(everything).includes(key.slice(10)))
    assert.deepEqual(await all({ limit: 3 }), everything)
    assert.deepEqual(
      everything
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
      everything.map(({ id }) => id),
    )
    const revoked = everything.filter(({ revoked_at }) => revoked_at !== null)
    assert.ok(revoked.length > 1)
    assert.deepEqual(await all({ revoked: true, limit: 1 }), revoked)
    assert.deepEqual(
      await all({ revoked: false }),
      everything.filter(({ revoked_at }) => revoked_at === null),
    )
    const cursor = Buffer.from('"inst_x"').toString('base64url')
    await assert.rejects(posthorn.admin.call(listKeys, { query: { cursor } }), wrongField('query/cursor'))
  })
})

test('who calls is told to keys of any role, limited or not, and to the operator', async () => {
  for (const body of [{ role: 'read' }, { role: 'admin', instances: ['shop'], name: 'Till' }] as const) {
    const { key, client, ...shown } = await made({ ...body } as CreateKey)
    const { body: me } = await client.call(getMe)
    assert.deepEqual({ ...me.key, last_used_at: null }, shown)
    assert.deepEqual([me.kind, me.organization?.name, me.version], ['key', 'default', version])
    assert.match(me.organization?.id ?? '', /^org_/)
  }
  const operator = posthorn.client(readFileSync(join(posthorn.data, 'operator.token'), 'utf8').trim())
  const { body } = await operator.call(getMe)
  assert.deepEqual(body, { kind: 'operator', organization: null, key: null, version })
})

test('an organization has at most 1,000 living keys, and only the newest 1,000 of the others are kept', async () => {
  const trial = await startPosthorn()
  const { admin, data } = trial
  try {
    const insert = (kind: string, count: number, revoked: string) => {
      const values = `select '${kind}' || n, o.id, '${kind}' || n, 'hint', 'read', 1, ${revoked}`
      const into = 'insert into api_keys (id, organization_id, digest, hint, role, created_at, revoked_at)'
      const rest = "from organizations o, numbers where o.name = 'default'"
      const numbers = (sequence: string) => `with recursive numbers as (${sequence}) ${values} ${rest}`
      return tamper(data, {
        sqlite: `${into} ${numbers(`select 1 as n union all select n + 1 from numbers where n < ${count}`)}`,
        postgres: `${into} ${numbers(`select generate_series as n from generate_series(1, ${count})`)}`,
      })
    }
    await insert('key_1', 998, 'null')
    await insert('key_0', 1_500, '1')
    const { body: last } = await admin.call(createKey, { body: { role: 'read' } })
    const revoked = await rowsIn(data, 'select id from api_keys where revoked_at is not null')
    assert.equal(revoked.length, 1_000)
    await assert.rejects(admin.call(createKey, { body: { role: 'read' } }), { code: 'key_limit_reached' })
    await admin.call(revokeKey, { params: { id: last.id } })
    await admin.call(createKey, { body: { role: 'read' } })
    await trial.createOrganization('neighbour')
    assert.ok((await trial.createKey('neighbour', 'read')).key, 'others have their own thousand')
  } finally {
    await trial.stop()
  }
})
