import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import {
  createWebhook,
  getWebhook,
  listWebhooks,
  updateWebhook,
} from '../../../src/contract/operations/webhook-operations.ts'
import type { Webhook } from '../../../src/contract/resources/webhook.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { allEvents } from '../../kit/http/feed.ts'
import { create, eventually, text } from '../../kit/play.ts'
import { freshFolder, spawnPosthorn } from '../../kit/posthorn.ts'

/* An operator looks at webhooks that fall behind: at the command line, and in the metrics. */

const entry = new URL('../../../src/cli/posthorn.js', import.meta.url).pathname
const data = freshFolder()
const start = () => spawnPosthorn(data, { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })
let server = await start()
const well = await WebhookReceiver.start()
const held: ServerResponse[] = []
const stuck = await WebhookReceiver.start((_, response) => void held.push(response))
after(async () => {
  await server.end('SIGKILL')
  await well.stop()
  await stuck.stop()
  rmSync(data, { recursive: true, force: true })
})

async function list(...flags: string[]): Promise<string> {
  const words = [entry, 'webhooks', 'list', '--server', server.url, ...flags]
  const env = { PATH: process.env.PATH, POSTHORN_DATA: data }
  return (await promisify(execFile)(process.execPath, words, { env })).stdout
}

/** Returns the cells of the table under each title, by the id of the webhook. */
async function table(): Promise<Map<string, Record<string, string>>> {
  const [head = '', ...rows] = (await list()).trimEnd().split('\n')
  const cells = (line: string) => line.trim().split(/ {2,}/)
  const titles = cells(head)
  return new Map(
    rows.map((row) => [
      cells(row)[0] ?? '',
      Object.fromEntries(cells(row).map((cell, index) => [titles[index], cell])),
    ]),
  )
}

async function metric(name: string): Promise<number> {
  const authorization = `Bearer ${readFileSync(join(data, 'metrics.token'), 'utf8').trim()}`
  const { text } = await server.admin.rawRequest('GET', '/metrics', { headers: { authorization } })
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
}

async function register(url: string): Promise<string> {
  const body = { url, events: ['message.queued' as const], ordering: 'per_instance' as const }
  return (await server.admin.call(createWebhook, { body })).body.id
}

const read = async (webhook: string) => (await server.admin.call(getWebhook, { params: { webhook } })).body

/** An hour goes by for everything that is pending. */
function anHourLater(): void {
  const database = new DatabaseSync(join(data, 'posthorn.db'), { timeout: 10_000 })
  database.exec("update deliveries set created_at = created_at - 3600000 where status = 'pending'")
  database.close()
}

const [good, paused, slow, off] = [
  await register(well.url),
  await register(well.url),
  await register(stuck.url),
  await register(well.url),
]

test('an operator sees what waits for which webhook, since when, and what arrives', async () => {
  const change = (webhook: string, body: { paused?: boolean; enabled?: boolean }) =>
    server.admin.call(updateWebhook, { params: { webhook }, body })
  await change(paused, { paused: true })
  await change(off, { enabled: false })
  await create(server.admin, 'trial')
  for (const to of ['ana', 'bo', 'cy'])
    await text(server.admin, { instance: 'trial', to: `${to}@accepts.sandbox` })
  await eventually(
    'three to arrive',
    () => read(good),
    ({ pending, rate }) => pending === 0 && rate > 0,
  )
  for (const webhook of [paused, slow])
    await eventually(
      'three to wait',
      () => read(webhook),
      ({ pending }) => pending === 3,
    )

  const { data: api } = (await server.admin.call(listWebhooks)).body
  const shown = JSON.parse(await list('--json')) as Webhook[]
  const backlogOf = ({ id, pending, oldest_at }: Webhook) => [id, pending, oldest_at]
  assert.deepEqual(shown.map(backlogOf), api.map(backlogOf))
  const first = await table()
  const row = (webhook: string) => first.get(webhook) ?? assert.fail(webhook)
  assert.deepEqual(
    [good, paused, slow, off].map((webhook) => [row(webhook).STATE, row(webhook).PENDING]),
    [
      ['working', '0'],
      ['paused', '3'],
      ['working', '3'],
      ['disabled', '0'],
    ],
  )
  assert.deepEqual([row(good).OLDEST, row(good).URL], ['-', well.url])
  assert.equal(row(good)['PER SECOND'], '0.05', 'three in the last minute')
  const oldest = (await read(slow)).oldest_at ?? ''
  assert.equal(row(slow).OLDEST, `${oldest.slice(0, 19).replace('T', ' ')} UTC`)
  assert.equal(await metric('posthorn_webhook_pending'), 3, 'what its owner paused is not behind')
  const age = await metric('posthorn_webhook_oldest_age_seconds')
  assert.ok(age > 0 && age < 600, `${age}`)
})

test('an operator sees which webhook falls behind, and that it has caught up', async () => {
  await server.end('SIGKILL')
  anHourLater()
  server = await start()
  await eventually(
    'the lag to be noticed',
    () => read(slow),
    ({ lagging_since }) => lagging_since !== null,
  )
  const second = await table()
  assert.deepEqual(
    [good, paused, slow].map((webhook) => second.get(webhook)?.STATE),
    ['working', 'paused', 'lagging'],
  )
  assert.ok((await metric('posthorn_webhook_oldest_age_seconds')) > 3_600)
  assert.equal((await allEvents(server.admin)).filter(({ type }) => type === 'webhook.lagging').length, 1)

  stuck.answer = (_, response) => response.writeHead(204).end()
  for (const response of held) response.destroy()
  await eventually(
    'the backlog to end',
    () => read(slow),
    ({ pending }) => pending === 0,
  )
  assert.equal(await metric('posthorn_webhook_pending'), 0)
  assert.equal(await metric('posthorn_webhook_oldest_age_seconds'), 0)
  assert.equal((await table()).get(slow)?.OLDEST, '-')
})
