import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { restartInstance } from '../../../src/contract/operations/instance-operations.ts'
import { cancelMessage } from '../../../src/contract/operations/message-operations.ts'
import { createWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import { settledCounts } from '../../../src/events/statistics/counts.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { MetricsReader } from '../../kit/http/metrics.ts'
import { create, eventually, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* An operator's monitoring sees what becomes of messages, connections, webhooks and the disk. */

let posthorn: Posthorn
let metrics: MetricsReader

before(async () => {
  posthorn = await startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } })
  metrics = new MetricsReader(posthorn)
})
after(() => posthorn.stop())

const settled = (status: string, network = 'sandbox') => ({
  name: 'posthorn_messages_settled_total',
  labels: { network, status },
})

const counted = (step: 'sent' | 'delivered', network = 'sandbox') => ({
  name: `posthorn_message_${step}_seconds_count`,
  labels: { network },
})

test('every series of a network begins at zero', async () => {
  const values = await metrics.read()
  const networks = new Set(values.flatMap(({ labels }) => labels.network ?? []))
  assert.ok(networks.has('sandbox') && networks.has('xmpp'))
  for (const network of networks) {
    for (const status of settledCounts) assert.equal(metrics.valueIn(values, settled(status, network)), 0)
    for (const step of ['sent', 'delivered'] as const)
      assert.equal(metrics.valueIn(values, counted(step, network)), 0)
  }
})

test('the number of messages that got each status, and the seconds that it took', async () => {
  await create(posthorn.admin, 'trial')
  for (const behaviour of ['accepts', 'reads', 'reads', 'refuses', 'returns'])
    await text(posthorn.admin, { instance: 'trial', to: `ana@${behaviour}.sandbox` }, 20)
  const later = { to: 'ana@reads.sandbox', send_at: new Date(Date.now() + 3_600_000).toISOString() }
  const { id } = await text(posthorn.admin, { instance: 'trial', ...later })
  await posthorn.admin.call(cancelMessage, { params: { id } })
  const wanted = { sent: 4, failed: 2, expired: 0, canceled: 1, unknown: 0, delivered: 2, latencies: 4 }
  await eventually(
    'all to be counted',
    async () => {
      const values = await metrics.read()
      const statuses = settledCounts.map((status) => [status, metrics.valueIn(values, settled(status))])
      const [latencies, delivered] = [counted('sent'), counted('delivered')].map((named) =>
        metrics.valueIn(values, named),
      )
      return { ...Object.fromEntries(statuses), delivered, latencies }
    },
    (counts) => isDeepStrictEqual(counts, wanted),
  )
  const sum = await metrics.value({ ...counted('sent'), name: 'posthorn_message_sent_seconds_sum' })
  assert.ok(sum !== undefined && sum >= 0 && sum < 60, `${sum} s`)
})

test('why instances ceased to be connected', async () => {
  await posthorn.admin.call(restartInstance, { params: { name: 'trial' }, waitSeconds: 20 })
  const labels = { network: 'sandbox', reason: 'restart_ordered' }
  assert.equal(await metrics.value({ name: 'posthorn_instance_disconnects_total', labels }), 1)
})

test('the webhooks that were disabled, and those that fail', async () => {
  const gone = await WebhookReceiver.start((_, response) => response.writeHead(410).end())
  const down = await WebhookReceiver.start((_, response) => response.writeHead(500).end())
  try {
    for (const { url } of [gone, down])
      await posthorn.admin.call(createWebhook, { body: { url, events: ['message.queued'] } })
    await text(posthorn.admin, { instance: 'trial', to: 'ana@accepts.sandbox' }, 20)
    const values = await eventually(
      'both to respond',
      () => metrics.read(),
      (values) =>
        ['posthorn_webhooks_disabled', 'posthorn_webhooks_failing'].every(
          (name) => metrics.valueIn(values, { name }) === 1,
        ),
    )
    assert.equal(metrics.valueIn(values, { name: 'posthorn_webhooks_failing', labels: { hours: '1' } }), 0)
  } finally {
    await Promise.all([gone.stop(), down.stop()])
  }
})

test('the build, the room on the disk, and that nothing was backed up', async () => {
  const values = await metrics.read()
  const build = values.find(({ name }) => name === 'posthorn_build_info')
  assert.deepEqual(build?.labels.node, process.versions.node)
  const [free, size] = ['free', 'size'].map(
    (part) => metrics.valueIn(values, { name: `posthorn_data_disk_${part}_bytes` }) ?? 0,
  )
  assert.ok(free !== undefined && size !== undefined && free > 0 && size >= free, `${free} of ${size}`)
  assert.equal(metrics.valueIn(values, { name: 'posthorn_last_backup_timestamp_seconds' }), 0)
})
