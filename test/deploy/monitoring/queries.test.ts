import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { parse } from 'yaml'
import { createInstance, restartInstance } from '../../../src/contract/operations/instance-operations.ts'
import { listTemplates } from '../../../src/contract/operations/template-operations.ts'
import { createWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { create, eventually, text } from '../../kit/play.ts'
import { startPosthorn } from '../../kit/posthorn.ts'
import { startPrometheus, whyNoPrometheus } from '../../kit/processes/prometheus.ts'

/* Every query of the dashboard and every condition of an alert means something to a real Prometheus that reads a real Posthorn. */

const deploy = new URL('../../../deploy/', import.meta.url)
const skip = whyNoPrometheus() ?? false
const closing: (() => Promise<unknown>)[] = []
after(async () => {
  for (const close of closing.reverse()) await close()
})

interface Panel {
  readonly id: number
  readonly title: string
  readonly datasource: { readonly uid: string }
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[]
}

const dashboard = JSON.parse(readFileSync(new URL('grafana/dashboard.json', deploy), 'utf8')) as {
  uid: string
  templating: { list: { name: string }[] }
  panels: Panel[]
}

/** Each query with the name of the panel or the alert that it is of. */
const queries: readonly (readonly [name: string, query: string])[] = [
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '1m')] as const),
  ),
  ...(
    parse(readFileSync(new URL('prometheus/rules.yaml', deploy), 'utf8')) as {
      groups: { rules: { alert: string; expr: string }[] }[]
    }
  ).groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, asNumbers(expr)] as const)),
]

/** The condition as 0 or 1: one that is not met gives no series. */
function asNumbers(condition: string): string {
  return condition.replaceAll(/ ([<>]=?|[=!]=) /g, ' $1 bool ')
}

test('the dashboard names no data source, no panel stands on another, and Grafana finds it by its own id', () => {
  assert.equal(dashboard.uid, 'posthorn')
  assert.deepEqual(
    dashboard.templating.list.map(({ name }) => name),
    ['datasource'],
  )
  const taken = new Set<string>()
  for (const { datasource, targets, gridPos } of dashboard.panels) {
    for (const { uid } of [datasource, ...targets.map((target) => target.datasource)])
      assert.equal(uid, `\${datasource}`)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(x < 24 && !taken.has(`${x} ${y}`), `${x} ${y}`)
        taken.add(`${x} ${y}`)
      }
  }
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
})

test('each query of the dashboard and each condition of an alert gives series', { skip }, async () => {
  const posthorn = await startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } })
  closing.push(() => posthorn.stop())
  const receiver = await WebhookReceiver.start()
  closing.push(() => receiver.stop())
  const prometheus = await startPrometheus(posthorn)
  closing.push(() => prometheus.stop())
  const { admin } = posthorn
  await create(admin, 'trial')
  await admin.call(createWebhook, { body: { url: receiver.url } })
  await create(admin, 'shaky', { behaviour: 'drops', after_seconds: 0.1 })
  await admin.call(createInstance, { body: { name: 'lost', settings: { behaviour: 'unreachable' } } })
  /** Does everything that a series is about, good and bad. */
  const live = async () => {
    for (const behaviour of ['reads', 'refuses'])
      await text(admin, { instance: 'trial', to: `ana@${behaviour}.sandbox` }, 20)
    await assert.rejects(admin.call(listTemplates, { params: { name: 'lost' } }), {
      code: 'instance_not_connected',
    })
    await admin.call(restartInstance, { params: { name: 'trial' }, waitSeconds: 20 })
  }
  const missing = new Map(queries.map(([name, query], index) => [`${index} ${name}`, query]))
  await eventually(
    'every query to give series',
    async () => {
      await live()
      // One that gave series has shown that it can: a scrape that a busy machine lets fail takes them away again.
      for (const [name, query] of [...missing])
        if ((await prometheus.ask(query)).length > 0) missing.delete(name)
      return [...missing]
    },
    ({ length }) => length === 0,
    240_000,
  )
})
