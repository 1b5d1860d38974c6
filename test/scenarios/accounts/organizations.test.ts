import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import { listAudit } from '../../../src/contract/operations/audit-operations.ts'
import { listInstances } from '../../../src/contract/operations/instance-operations.ts'
import { getMe, listKeys } from '../../../src/contract/operations/key-operations.ts'
import {
  createOrganization,
  createOrganizationKey,
  getOrganization,
  getOrganizationQuotas,
  listOrganizationKeys,
  listOrganizations,
  revokeOrganizationKey,
} from '../../../src/contract/operations/organization-operations.ts'
import { getQuotas } from '../../../src/contract/operations/quota-operations.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { create, eventually, inMs, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The operator manages organizations over HTTP: their first keys, and their usage. */

let posthorn: Posthorn
let operator: CheckedClient

before(async () => {
  posthorn = await startPosthorn()
  operator = posthorn.client(tokenIn('operator.token'))
})
after(() => posthorn.stop())

const tokenIn = (file: string) => readFileSync(join(posthorn.data, file), 'utf8').trim()

describe('a new organization', () => {
  const params = { organization: 'bakery' }
  let admin: CheckedClient
  let adminKey: string

  test('is created by the operator, with a first key that works', async () => {
    const { body: made } = await operator.call(createOrganization, { body: { name: 'bakery' } })
    const body = { name: 'First key', role: 'admin' as const }
    const { body: key } = await operator.call(createOrganizationKey, { params, body })
    admin = posthorn.client(key.key)
    adminKey = key.id
    const { body: me } = await admin.call(getMe)
    assert.deepEqual(me.organization, { id: made.id, name: 'bakery' })
    assert.equal((await create(admin, 'counter')).status, 'connected')
    assert.deepEqual((await posthorn.admin.call(listInstances)).body.data, [], 'others see nothing of it')
  })

  test('cannot be created twice, or under a name that is none', async () => {
    const again = operator.call(createOrganization, { body: { name: 'bakery' } })
    await assert.rejects(again, { code: 'organization_name_taken' })
    for (const name of ['', 'Bakery', 'the bakery', 'x'.repeat(64), '../bakery'])
      await assert.rejects(
        operator.call(createOrganization, { body: { name } }),
        (error) => error instanceof ProblemError && error.problem.errors?.[0]?.pointer === '/name',
        name,
      )
  })

  test('shows the operator its keys, as it sees them itself, and what it uses', async () => {
    await text(admin, { instance: 'counter', to: 'ana@accepts.sandbox', send_at: inMs(3_600_000) })
    const { body: keys } = await operator.call(listOrganizationKeys, { params, query: { revoked: false } })
    assert.deepEqual(keys, (await admin.call(listKeys)).body)
    const { body: quotas } = await operator.call(getOrganizationQuotas, { params })
    assert.equal(quotas.unsettled_messages.used, 1)
    assert.deepEqual(quotas, (await admin.call(getQuotas)).body)
    const { body } = await operator.call(listOrganizations)
    assert.deepEqual(
      body.data.map(({ name, usage }) => [name, usage.unsettled_messages.used]),
      [
        ['bakery', 1],
        ['default', 0],
      ],
    )
    assert.deepEqual((await operator.call(getOrganization, { params })).body, body.data[0])
  })

  test('shows the operator its instances, and what it sent, received and failed to send in 24 hours', async () => {
    for (const to of [
      'bo@accepts.sandbox',
      'cy@accepts.sandbox',
      'dan@accepts.sandbox',
      'eve@refuses.sandbox',
    ])
      await text(admin, { instance: 'counter', to })
    const read = async () => (await operator.call(getOrganization, { params })).body
    const shown = await eventually(
      'all is counted',
      read,
      ({ last_24_hours: { sent, failed } }) => sent + failed === 4,
    )
    assert.deepEqual(shown?.last_24_hours, {
      accepted: 5,
      sent: 3,
      failed: 1,
      received: 0,
      failed_share: 0.25,
    })
    assert.deepEqual(shown?.instances, { total: 1, connected: 1, need_person: 0 })
    const { body } = await operator.call(listOrganizations)
    const { instances, last_24_hours } = body.data.find(({ name }) => name === 'default') ?? {}
    assert.deepEqual(instances, { total: 0, connected: 0, need_person: 0 })
    assert.equal(last_24_hours?.failed_share, null, 'nothing that was sent has no share')
  })

  test('loses a key that the operator revokes, at once; not by the path of another organization', async () => {
    const { body: key } = await operator.call(createOrganizationKey, { params, body: { role: 'read' } })
    const client = posthorn.client(key.key)
    await client.call(getMe)
    const { id } = key
    const elsewhere = { organization: 'default', id }
    await assert.rejects(operator.call(revokeOrganizationKey, { params: elsewhere }), {
      code: 'key_not_found',
    })
    await client.call(getMe)
    await operator.call(revokeOrganizationKey, { params: { ...params, id } })
    await assert.rejects(client.call(getMe), { code: 'unauthenticated' })
    await operator.call(revokeOrganizationKey, { params: { ...params, id } })
    const { body } = await operator.call(listOrganizationKeys, { params, query: { revoked: true } })
    assert.deepEqual(
      body.data.map((one) => one.id),
      [id],
    )
  })

  test('has everything that the operator did in its audit log, with from where', async () => {
    const { body } = await admin.call(listAudit, { query: { actor: 'operator' } })
    assert.deepEqual(
      body.data.map(({ action, target, result }) => [action, target, result]),
      [
        ['revokeKey', body.data[0]?.target, 'done'],
        ['createKey', body.data[0]?.target, 'done'],
        ['createKey', adminKey, 'done'],
        ['createOrganization', 'bakery', 'done'],
      ],
    )
    for (const { actor, address, request_id } of body.data) {
      assert.deepEqual(actor, { kind: 'operator', key: null, hint: null })
      assert.equal(address, '127.0.0.1')
      assert.match(request_id ?? '', /^req_/)
    }
  })
})

test('what is about an organization that is none is told so', async () => {
  for (const organization of ['nobodys', 'No One']) {
    const params = { organization }
    const unknown = { code: 'organization_not_found' }
    await assert.rejects(operator.call(listOrganizationKeys, { params }), unknown)
    await assert.rejects(operator.call(getOrganizationQuotas, { params }), unknown)
    await assert.rejects(operator.call(createOrganizationKey, { params, body: { role: 'read' } }), unknown)
  }
})

test('the list is by name, over pages', async () => {
  for (const name of ['zoo', 'airline']) await operator.call(createOrganization, { body: { name } })
  const names: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 2, ...(cursor === undefined ? {} : { cursor }) }
    const { body } = await operator.call(listOrganizations, { query })
    names.push(...body.data.map(({ name }) => name))
    cursor = body.next_cursor
  }
  assert.deepEqual(names, ['airline', 'bakery', 'default', 'zoo'])
})

test('no key and no token for metrics opens any of it, or leaves a trace', async () => {
  for (const credential of [posthorn.adminKey, tokenIn('metrics.token'), `${tokenIn('operator.token')}0`]) {
    const client = posthorn.client(credential)
    const attempts = [
      client.call(createOrganization, { body: { name: 'taken-over' } }),
      client.call(listOrganizations),
      client.call(createOrganizationKey, { params: { organization: 'default' }, body: { role: 'admin' } }),
    ]
    const code = credential === posthorn.adminKey ? 'forbidden' : 'unauthenticated'
    await Promise.all(attempts.map((attempt) => assert.rejects(attempt, { code })))
  }
  const { body } = await operator.call(listOrganizations)
  assert.ok(body.data.every(({ name }) => name !== 'taken-over'))
  const { body: audit } = await posthorn.admin.call(listAudit, { query: { action: 'createKey' } })
  assert.equal(audit.data.length, 1, 'that of the first start')
})
