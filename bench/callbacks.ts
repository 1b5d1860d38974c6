import { join } from 'node:path'
import {
  startWhatsAppCloud,
  type WhatsAppCloud,
} from '../test/simulators/whatsapp-cloud/start-whatsapp-cloud.ts'
import { confirmCount } from './accept.ts'
import { type CallbackTarget, callbackSecret, postCallbacks } from './callback-load.ts'
import { type Figure, median, milliseconds, type Row, rateRow } from './figure.ts'
import { type LoadReport, startBareServer } from './load.ts'
import { countMessages, type Posthorn, startPosthorn, total, untilMetric } from './posthorn.ts'
import { processorTime, tellsProcessorTime } from './processor.ts'

const instances = 8
const rounds = 6
const seconds = 4
const steadyRate = 200
const steadySeconds = 20

/**
 * Callbacks of the WhatsApp Cloud API: kept by stopped instances, beside a bare route that checks the same signature; kept and handled by
 * connected instances; and how soon they are answered at a steady rate.
 */
export const callbacks: Figure = {
  name: 'callbacks',
  async measure(bench) {
    const cloud = await startWhatsAppCloud()
    const environment = {
      POSTHORN_WHATSAPP_CLOUD_API: cloud.url,
      POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
      POSTHORN_CONNECT_RATE: 'off',
      POSTHORN_CALLBACK_RATE: 'off',
      POSTHORN_CALLBACK_LIMIT: '100000000',
      POSTHORN_CALLBACK_BYTES: '1TB',
    }
    const start = (name: string) => startPosthorn(join(bench.folder, `callbacks-${name}`), environment)
    const [bare, keeping, handling] = await Promise.all([startBareServer(), start('keep'), start('handle')])
    try {
      const kept = await createInstances(keeping, cloud, 'stopped')
      const handled = await createInstances(handling, cloud, 'running')
      const sides = {
        bare: { server: bare, targets: kept },
        kept: { server: keeping, targets: kept },
        handled: { server: handling, targets: handled, done: () => untilHandled(handling) },
      }
      const warm = {
        bare: await costOf(sides.bare),
        kept: await costOf(sides.kept),
        handled: await costOf(sides.handled),
      }
      const measured: Round[] = []
      for (let round = 1; round <= rounds; round++) {
        const one = {
          bare: await costOf(sides.bare),
          kept: await costOf(sides.kept),
          handled: await costOf(sides.handled),
        }
        measured.push(one)
        bench.note(`round ${round}: ${describe(one)}`)
      }
      const all = [warm, ...measured]
      confirmCount(
        await keeping.metric('posthorn_callbacks_waiting'),
        all.map(({ kept }) => kept.load),
      )
      const steady = await postCallbacks({
        url: handling.url,
        targets: handled,
        seconds: steadySeconds,
        rate: steadyRate,
      })
      await untilHandled(handling)
      confirmCount(total(countMessages(handling.data)), [...all.map(({ handled }) => handled.load), steady])
      return rowsOf(measured, steady)
    } finally {
      await Promise.all([bare.end(), keeping.end(), handling.end()])
      await cloud.stop()
    }
  },
}

/** Cost of each callback of one load, in microseconds, and the callbacks that were answered in a second. */
interface Cost {
  readonly each: number
  /** Until all were handled, if they are. */
  readonly perSecond: number
  readonly load: LoadReport
}

interface Round {
  readonly bare: Cost
  readonly kept: Cost
  readonly handled: Cost
}

interface Side {
  readonly server: { readonly url: string; readonly pid: number }
  readonly targets: readonly CallbackTarget[]
  readonly done?: () => Promise<void>
}

async function costOf({ server, targets, done = async () => {} }: Side): Promise<Cost> {
  const before = tellsProcessorTime ? processorTime(server.pid) : Number.NaN
  const begun = performance.now()
  const load = await postCallbacks({ url: server.url, targets, seconds })
  // The load process takes its time to start and to end.
  const rest = performance.now() - begun
  await done()
  const late = (performance.now() - begun - rest) / 1000
  const after = tellsProcessorTime ? processorTime(server.pid) : Number.NaN
  return {
    each: (after - before) / load.accepted,
    perSecond: load.accepted / (load.accepted / load.perSecond + late),
    load,
  }
}

async function createInstances(
  posthorn: Posthorn,
  cloud: WhatsAppCloud,
  wanted: 'running' | 'stopped',
): Promise<CallbackTarget[]> {
  const targets: CallbackTarget[] = []
  for (let index = 0; index < instances; index++) {
    const name = `cloud-${index}`
    const number = await cloud.control('number', {
      waba: cloud.waba,
      display_phone_number: `1555000${1000 + index}`,
    })
    const body = {
      name,
      network: 'whatsapp-cloud',
      settings: { phone_number_id: number.id },
      credentials: {
        access_token: cloud.token,
        app_secret: callbackSecret,
        verify_token: 'a-word-of-our-own',
      },
    }
    const created = (await posthorn.call('POST', '/v1/instances', body, 201)) as { callback_url: string }
    targets.push({ path: created.callback_url, number: number.id })
    if (wanted === 'stopped') await posthorn.post(`/v1/instances/${name}/stop`, undefined, 202)
  }
  await untilMetric(
    posthorn,
    `posthorn_instances{status="${wanted === 'running' ? 'connected' : 'stopped'}"}`,
    instances,
  )
  return targets
}

const untilHandled = (posthorn: Posthorn) => untilMetric(posthorn, 'posthorn_callbacks_waiting', 0, 120_000)

function describe({ bare, kept, handled }: Round): string {
  const one = ({ perSecond, each }: Cost) => `${Math.round(perSecond)}/s at ${each.toFixed(0)} µs`
  return `kept ${one(kept)}, handled ${one(handled)}, bare ${one(bare)}`
}

function rowsOf(measured: readonly Round[], steady: LoadReport): Row[] {
  const of = (pick: (round: Round) => number) => median(measured.map(pick))
  const cost = (figure: string, side: 'kept' | 'handled'): Row => ({
    figure,
    measured: `${of((round) => round[side].each).toFixed(0)} µs`,
    baseline: `${of(({ bare }) => bare.each).toFixed(0)} µs`,
    ratio: of((round) => round[side].each / round.bare.each).toFixed(2),
  })
  return [
    rateRow(
      'callbacks kept and answered, 64 connections',
      of(({ kept }) => kept.perSecond),
      of(({ bare }) => bare.perSecond),
      of(({ kept, bare }) => kept.perSecond / bare.perSecond),
      0.25,
    ),
    cost('… processor time of each', 'kept'),
    rateRow(
      'callbacks kept, answered and handled',
      of(({ handled }) => handled.perSecond),
      of(({ bare }) => bare.perSecond),
      of(({ handled, bare }) => handled.perSecond / bare.perSecond),
    ),
    cost('… processor time of each', 'handled'),
    {
      figure: `callbacks answered at ${steadyRate}/s while they are handled, p99`,
      measured: milliseconds(steady.p99),
      baseline: milliseconds(of(({ bare }) => bare.load.p99)),
      goal: '≤ 250 ms',
      reached: steady.p99 <= 250,
    },
    {
      figure: '… p50',
      measured: milliseconds(steady.p50),
      baseline: milliseconds(of(({ bare }) => bare.load.p50)),
    },
  ]
}
