import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isAudited, type Operation } from '../../../src/contract/operation.ts'
import { listAudit } from '../../../src/contract/operations/audit-operations.ts'
import {
  createInstance,
  deleteInstance,
  restartInstance,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { cancelMessage, sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import {
  createWebhook,
  deleteWebhook,
  redeliver,
  redeliverEvents,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../../src/contract/operations/webhook-operations.ts'
import { operations } from '../../../src/contract/operations.ts'
import { eventually } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Every act that changes something is in the audit log once, with its actor and its result. */

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn()
})
after(() => posthorn.stop())

async function entries(query: Record<string, string | number> = {}) {
  const { body } = await posthorn.admin.call(listAudit, { query: { limit: 200, ...query } })
  return body.data
}

test('every operation that changes something is audited, or says why it is not', () => {
  const changing = operations.filter(({ method, access }) => method !== 'GET' && access !== 'open')
  for (const operation of changing as readonly Operation[]) {
    assert.ok(isAudited(operation) || /^[A-Z].*\.$/.test(operation.unaudited ?? ''), operation.id)
  }
  const without = changing.filter((operation) => !isAudited(operation)).map(({ id }) => id)
  assert.deepEqual(without, [
    'checkAddresses',
    'showTyping',
    'sendTextMessage',
    'sendMediaMessage',
    'uploadMediaMessage',
    'sendTemplateMessage',
    'markMessageRead',
    'sendLocationMessage',
    'sendContactsMessage',
    'sendInteractiveMessage',
    'sendPollMessage',
    'sendMessageBatch',
    'reactToMessage',
    'editMessage',
    'retractMessage',
    'drainNode',
  ])
  for (const { id, method, unaudited } of operations)
    if (method === 'GET') assert.equal(unaudited, undefined, id)
})

describe('what an admin does', () => {
  test('stands in the log, the newest first, with who, what, when and from where', async () => {
    const { admin } = posthorn
    const began = new Date().toISOString()
    await admin.call(createInstance, { body: { name: 'trial' }, idempotencyKey: 'a', waitSeconds: 10 })
    await admin.call(createInstance, { body: { name: 'trial' }, idempotencyKey: 'a', waitSeconds: 10 })
    const params = { name: 'trial' }
    for (const operation of [stopInstance, startInstance, restartInstance] as const)
      await admin.call(operation, { params, waitSeconds: 10 })
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const body = { instance: 'trial', to: 'ana@accepts.sandbox', text: 'Soon', send_at: later }
    const { body: message } = await admin.call(sendTextMessage, { body })
    await admin.call(cancelMessage, { params: { id: message.id } })
    const { body: made } = await admin.call(createWebhook, { body: { url: 'https://example.org/hooks' } })
    const webhook = { webhook: made.id }
    await admin.call(updateWebhook, { params: webhook, body: { ordering: 'per_instance' } })
    await admin.call(rotateWebhookSecret, { params: webhook })
    const { body: delivery } = await admin.call(testWebhook, { params: webhook })
    await admin.call(redeliver, { params: { ...webhook, delivery: delivery.id } })
    await admin.call(redeliverEvents, { params: webhook, body: { since: began } })
    await admin.call(deleteWebhook, { params: webhook })
    await admin.call(deleteInstance, { params })
    const found = (await entries({ since: began })).toReversed()
    assert.deepEqual(
      found.map(({ action, target, instance }) => [action, target, instance]),
      [
        ['createInstance', 'trial', 'trial'],
        ['stopInstance', 'trial', 'trial'],
        ['startInstance', 'trial', 'trial'],
        ['restartInstance', 'trial', 'trial'],
        ['cancelMessage', message.id, 'trial'],
        ['createWebhook', made.id, null],
        ['updateWebhook', made.id, null],
        ['rotateWebhookSecret', made.id, null],
        ['testWebhook', made.id, null],
        ['redeliver', delivery.id, null],
        ['redeliverEvents', made.id, null],
        ['deleteWebhook', made.id, null],
        ['deleteInstance', 'trial', 'trial'],
      ],
    )
    for (const { actor, result, address, request_id } of found) {
      assert.deepEqual([actor.kind, actor.hint], ['key', posthorn.adminKey.slice(0, 10)])
      assert.equal(result, 'done')
      assert.equal(address, '127.0.0.1')
      assert.match(request_id ?? '', /^req_/)
    }
    assert.ok(!JSON.stringify(await entries()).includes(posthorn.adminKey), 'never the key itself')
  })

  test('is found by who did it, what it was, the instance and the time, page by page', async () => {
    const all = await entries()
    const [{ actor }] = all as [(typeof all)[0]]
    assert.ok((await entries({ actor: actor.key ?? '' })).every((entry) => entry.actor.key === actor.key))
    assert.deepEqual(
      (await entries({ action: 'stopInstance' })).map(({ action }) => action),
      ['stopInstance'],
    )
    assert.equal((await entries({ instance: 'trial' })).length, 6)
    assert.deepEqual(await entries({ until: '2020-01-01T00:00:00Z' }), [])
    const paged: string[] = []
    for (let cursor: string | undefined; ; ) {
      const query = { limit: 4, ...(cursor === undefined ? {} : { cursor }) }
      const { body } = await posthorn.admin.call(listAudit, { query })
      paged.push(...body.data.map(({ id }) => id))
      if (body.next_cursor === null) break
      cursor = body.next_cursor
    }
    assert.deepEqual(
      paged,
      all.map(({ id }) => id),
    )
  })
})

test('what the operator does to an organization stands in its log, and in no other', async () => {
  await posthorn.createOrganization('neighbour')
  const { id, key } = await posthorn.createKey('neighbour', 'admin')
  const second = await posthorn.createKey('neighbour', 'read')
  await posthorn.revokeKey(second.id)
  await posthorn.revokeKey(second.id)
  const { body } = await posthorn.client(key).call(listAudit)
  assert.deepEqual(
    body.data.map(({ actor, action, target }) => [actor.kind, action, target]),
    [
      ['operator', 'revokeKey', second.id],
      ['operator', 'createKey', second.id],
      ['operator', 'createKey', id],
      ['operator', 'createOrganization', 'neighbour'],
    ],
  )
  assert.ok((await entries({ actor: 'operator' })).every(({ target }) => target !== id))
})

test('what a key is refused is noted once a minute, and what was never authenticated is not', async () => {
  const { id, key } = await posthorn.createKey('default', 'read')
  const client = posthorn.client(key)
  for (let time = 0; time < 20; time++) {
    await assert.rejects(client.call(deleteInstance, { params: { name: 'nobodys' } }), { code: 'forbidden' })
    await assert.rejects(posthorn.client(`${key}0`).call(deleteInstance, { params: { name: 'nobodys' } }), {
      code: 'unauthenticated',
    })
  }
  const noted = await eventually(
    'the refusal',
    () => entries({ actor: id }),
    (found) => found.length > 0,
  )
  assert.deepEqual(
    noted.map(({ action, target, result }) => [action, target, result]),
    [['deleteInstance', 'nobodys', 'forbidden']],
  )
})
