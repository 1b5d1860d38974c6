import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { getInstanceStatus } from '../../../src/contract/operations/instance-operations.ts'
import {
  createWebhook,
  getDelivery,
  testWebhook,
} from '../../../src/contract/operations/webhook-operations.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { create, eventually, reaches, text } from '../../kit/play.ts'
import { startPosthorn } from '../../kit/posthorn.ts'

/** Changes one byte of everything sealed in a column, as a broken disk or a foreign row would. */
function spoil(data: string, table: 'instances' | 'webhooks', column: 'credentials' | 'secret'): void {
  const database = new DatabaseSync(join(data, 'posthorn.db'), { timeout: 10_000 })
  for (const row of database.prepare(`select id, ${column} as sealed from ${table}`).all()) {
    const sealed = Buffer.from(row.sealed as Uint8Array)
    sealed.writeUInt8(sealed.readUInt8(20) ^ 1, 20)
    database.prepare(`update ${table} set ${column} = ? where id = ?`).run(sealed, row.id as string)
  }
  database.close()
}

test('credentials that do not open: the instance says so, tries no login, and keeps its queue', async (t) => {
  let posthorn = await startPosthorn()
  t.after(() => posthorn.stop())
  await create(posthorn.admin, 'support')
  spoil(posthorn.data, 'instances', 'credentials')
  posthorn = await posthorn.restart()
  const read = async () =>
    (await posthorn.admin.call(getInstanceStatus, { params: { name: 'support' } })).body
  const now = await eventually('the end', read, ({ status }) => status === 'logged_out')
  assert.deepEqual([now.reason?.code, now.action], ['credentials_unreadable', 'relink'])
  const waiting = await text(posthorn.admin, { instance: 'support', to: 'ana@accepts.sandbox' })
  await reaches(posthorn.admin, waiting.id, 'queued')
})

test('the secret of a webhook that does not open: its attempts say so, and nothing is posted', async (t) => {
  const environment = { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' }
  let posthorn = await startPosthorn({ environment })
  t.after(() => posthorn.stop())
  const receiver = await WebhookReceiver.start()
  t.after(() => receiver.stop())
  const { body: webhook } = await posthorn.admin.call(createWebhook, { body: { url: receiver.url } })
  spoil(posthorn.data, 'webhooks', 'secret')
  posthorn = await posthorn.restart()
  const { body: tested } = await posthorn.admin.call(testWebhook, { params: { webhook: webhook.id } })
  const params = { webhook: webhook.id, delivery: tested.id }
  const read = async () => (await posthorn.admin.call(getDelivery, { params })).body
  const { attempts } = await eventually('an attempt', read, (now) => now.attempts.length > 0)
  assert.equal(attempts[0]?.error?.code, 'secret_unreadable')
  assert.equal(receiver.received.length, 0)
})
