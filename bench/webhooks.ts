import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Bench, type Figure, median, milliseconds, perSecond, type Row, rateRow } from './figure.ts'
import { sendTexts, warmUp } from './load.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'
import { type ServerProcess, startServer } from './process.ts'

const environment = {
  POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
  POSTHORN_WEBHOOK_LIMIT: 'off',
}

/** Arrivals at the healthy receivers since the last report. Delays in milliseconds. */
interface Report {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly longest: number
}

const startReceivers = () =>
  startServer('./webhook-receivers.ts', (port) => ({ RECEIVERS_PORT: String(port) }))

async function reportOf(receivers: ServerProcess): Promise<Report> {
  return (await (await fetch(`${receivers.url}/report`)).json()) as Report
}

async function register(
  posthorn: Posthorn,
  url: string,
  instances: string[] | null,
  wishes: { ordering?: 'per_instance'; batch?: number } = {},
): Promise<string> {
  const body = { url, instances, events: ['message.queued'], ...wishes }
  return ((await posthorn.call('POST', '/v1/webhooks', body, 201)) as { id: string }).id
}

const seconds = 30
const well = Array.from({ length: 100 }, (_, index) => `well-${index}`)
const hanging = Array.from({ length: 20 }, (_, index) => `hangs-${index}`)
const eventsPerSecond = 1_000

/**
 * One organization with 120 webhooks, each for the events of an instance of its own, of which 20 hang: 1,000 events a second for
 * those that are well, as many in proportion for the others. Each text that is accepted is an event; the instances are stopped.
 */
async function measureDelay({ folder, note }: Bench): Promise<Row[]> {
  const [posthorn, receivers] = await Promise.all([
    startPosthorn(join(folder, 'webhooks'), environment),
    startReceivers(),
  ])
  try {
    const instances = [...well, ...hanging]
    await posthorn.createInstances('stopped', instances)
    for (const name of well) await register(posthorn, `${receivers.url}/${name}`, [name])
    for (const name of hanging) await register(posthorn, `${receivers.url}/hangs/${name}`, [name])
    const rate = (eventsPerSecond * instances.length) / well.length
    const load = { ...posthorn, instances, rate }
    await sendTexts({ ...load, seconds: 5 })
    await comeToRest(receivers)
    const { accepted } = await sendTexts({ ...load, seconds })
    const report = await comeToRest(receivers)
    note(`${accepted} events, of which ${report.count} came to receivers that are well`)
    const wanted = (accepted * well.length) / instances.length
    if (report.count < wanted * 0.98) throw new Error('some events did not come')
    return [
      {
        figure: 'event → receipt at 100 receivers while 20 of 120 hang, p99',
        measured: milliseconds(report.p99),
        baseline: `${perSecond(report.count / seconds)} offered`,
        goal: '≤ 2 s',
        reached: report.p99 <= 2_000,
      },
      { figure: '… p50', measured: milliseconds(report.p50) },
      { figure: '… the longest', measured: milliseconds(report.longest) },
    ]
  } finally {
    await Promise.all([posthorn.end(), receivers.end()])
  }
}

/** Collects the arrivals until there are no more. */
async function comeToRest(receivers: ServerProcess): Promise<Report> {
  const reports: Report[] = []
  do {
    await wait(1_000)
    reports.push(await reportOf(receivers))
  } while (reports.at(-1)?.count !== 0)
  const [first] = reports.toSorted((left, right) => right.count - left.count)
  const count = reports.reduce((sum, report) => sum + report.count, 0)
  return { ...(first as Report), count }
}

const rounds = 6
const roundSeconds = 4

/** The load of `accept` in turns with and without a webhook that gets every event; without it, nothing is delivered either. */
async function measureAccept({ folder, note }: Bench): Promise<Row[]> {
  const [posthorn, receivers] = await Promise.all([
    startPosthorn(join(folder, 'webhooks-accept'), environment),
    startReceivers(),
  ])
  try {
    await posthorn.createInstances('stopped')
    const webhook = await register(posthorn, `${receivers.url}/well`, null)
    const enable = (enabled: boolean) => posthorn.call('PATCH', `/v1/webhooks/${webhook}`, { enabled }, 200)
    await warmUp(posthorn)
    const pairs: { without: number; with: number; delivered: number }[] = []
    for (let round = 1; round <= rounds; round++) {
      await enable(false)
      await wait(200)
      const without = await sendTexts({ ...posthorn, seconds: roundSeconds })
      await enable(true)
      await reportOf(receivers)
      const along = await sendTexts({ ...posthorn, seconds: roundSeconds })
      const delivered = (await reportOf(receivers)).count / roundSeconds
      pairs.push({ without: without.perSecond, with: along.perSecond, delivered })
      note(
        `round ${round}: ${Math.round(along.perSecond)}/s of ${Math.round(without.perSecond)}/s, ${Math.round(delivered)}/s delivered`,
      )
    }
    const of = (pick: (pair: (typeof pairs)[number]) => number) => median(pairs.map(pick))
    const ratio = of((pair) => pair.with / pair.without)
    return [
      rateRow(
        'durable accept with a webhook, of that without',
        of((pair) => pair.with),
        of((pair) => pair.without),
        ratio,
        0.85,
      ),
      { figure: '… delivered meanwhile', measured: perSecond(of(({ delivered }) => delivered)) },
    ]
  } finally {
    await Promise.all([posthorn.end(), receivers.end()])
  }
}

const backlogSeconds = 4
const growSeconds = 4
const slowSeconds = 10

/** More is offered than such a receiver can take: 64 posts at a time are 320 events a second, one with 100 events is 500. */
const slowReceivers = [
  { figure: 'delivered to a receiver of 200 ms', offered: 400, goal: 280, wishes: {} },
  {
    figure: 'delivered to it in order of one instance, 100 a batch',
    offered: 600,
    goal: 100,
    wishes: { ordering: 'per_instance', batch: 100 },
  },
] as const

/** Measures a webhook with a slow receiver while more happens than it can take, and the cost for those who send. */
async function measureSlow({ folder, note }: Bench): Promise<Row[]> {
  const [posthorn, receivers] = await Promise.all([
    startPosthorn(join(folder, 'webhooks-slow'), environment),
    startReceivers(),
  ])
  try {
    const instances = ['one']
    await posthorn.createInstances('stopped', instances)
    const rows: Row[] = []
    for (const { figure, offered, goal, wishes } of slowReceivers) {
      const send = (seconds: number) => sendTexts({ ...posthorn, instances, rate: offered, seconds })
      await send(3)
      const quiet = await send(slowSeconds)
      const webhook = await register(posthorn, `${receivers.url}/slow/one`, instances, wishes)
      const path = `/v1/webhooks/${webhook}`
      await posthorn.call('PATCH', path, { paused: true }, 200)
      await sendTexts({ ...posthorn, instances, seconds: backlogSeconds })
      await posthorn.call('PATCH', path, { paused: false }, 200)
      const [delivered, beside] = await Promise.all([
        deliveredWhenGrown(posthorn, receivers, path),
        send(growSeconds + slowSeconds + 1),
      ])
      await posthorn.call('DELETE', path, undefined, 204)
      note(`${figure}: ${perSecond(delivered)}`)
      rows.push(
        {
          figure,
          measured: perSecond(delivered),
          baseline: `${perSecond(beside.perSecond)} offered`,
          goal: `≥ ${goal}/s`,
          reached: delivered >= goal,
        },
        {
          figure: '… texts answered meanwhile, p99',
          measured: milliseconds(beside.p99),
          baseline: milliseconds(quiet.p99),
        },
      )
    }
    return rows
  } finally {
    await Promise.all([posthorn.end(), receivers.end()])
  }
}

/** Returns the events per second that a receiver answered after a while; throws if it could have had more. */
async function deliveredWhenGrown(
  posthorn: Posthorn,
  receivers: ServerProcess,
  path: string,
): Promise<number> {
  const checkBacklog = async () => {
    const { pending } = (await posthorn.call('GET', path, undefined, 200)) as { pending: number }
    if (pending < 100) throw new Error(`only ${pending} events are left to deliver`)
  }
  await wait(growSeconds * 1_000)
  await reportOf(receivers)
  const begun = performance.now()
  for (let second = 1; second <= slowSeconds; second++) {
    await wait(begun + second * 1_000 - performance.now())
    await checkBacklog()
  }
  const { count } = await reportOf(receivers)
  return (count * 1_000) / (performance.now() - begun)
}

const parts = { delay: measureDelay, accept: measureAccept, 'slow-receiver': measureSlow }

/** Delivery to webhooks: how soon, how fast, and at what price for those who send. */
export const webhooks: Figure = {
  name: 'webhooks',
  async measure(bench) {
    const rows: Row[] = []
    for (const [name, measure] of Object.entries(parts))
      if (bench.only === undefined || bench.only === name) rows.push(...(await measure(bench)))
    return rows
  },
}
