import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startOwnPostgres } from '../kit/postgres.ts'
import { chaosLease, runChaos } from './chaos.ts'
import { whatIsBroken } from './check/check.ts'
import { percentile, silencesOf } from './check/times.ts'
import { type FaultName, faultNames } from './faults.ts'

/*
 * `npm run chaos -- --faults 60 --seed 7 --kinds kill,freeze --lease 1800 --lasts 2 --networks sandbox:200,xmpp:40 --rate 100`:
 * faults one after the other, of these kinds in turns, on nodes with a lease of so many milliseconds; each lasts for so many leases; so
 * many instances of each network send so many messages a second together. Exits with 1 if the checker finds anything.
 */

const { values } = parseArgs({
  options: {
    ...{ faults: { type: 'string' }, seed: { type: 'string' }, kinds: { type: 'string' } },
    ...{ lease: { type: 'string' }, lasts: { type: 'string' }, rate: { type: 'string' } },
    networks: { type: 'string', default: 'sandbox:6,xmpp:3,whatsapp:3,telegram:3,whatsapp-cloud:3' },
  },
})
const kinds = (values.kinds?.split(',') ?? faultNames) as FaultName[]
const unknown = kinds.find((kind) => !faultNames.includes(kind))
const say = (text: string) => process.stdout.write(`${text}\n`)

/** The name of a network, and the number of its instances. */
const countIn = (words: string) => {
  const [name = '', count = '1'] = words.split(':')
  return [name, Number(count)] as const
}

async function main(): Promise<number> {
  if (unknown !== undefined) {
    say(`there is no fault "${unknown}"; there are ${faultNames.join(', ')}`)
    return 2
  }
  const postgres = await startOwnPostgres({ max_connections: '200' })
  if (!postgres.available) {
    say(postgres.reason)
    return 2
  }
  const seed = Number(values.seed ?? randomInt(2 ** 31))
  const faults = Array.from(
    { length: Number(values.faults ?? 30) },
    (_, index) => kinds[index % kinds.length] as FaultName,
  )
  let done = 0
  const onFault = (told: string) => say(`${++done} of ${faults.length}: ${told}`)
  const lease = Number(values.lease ?? chaosLease)
  const networks = Object.fromEntries(values.networks.split(',').map(countIn))
  const result = await runChaos(postgres.server, {
    ...{ seed, faults, onFault, lease, networks },
    ...(values.lasts !== undefined && { lasts: Number(values.lasts) }),
    ...(values.rate !== undefined && { rate: Number(values.rate) }),
  })
  await postgres.server.stop()
  const { acknowledged, arrived, delivered } = result.story
  say(
    `seed ${seed}: ${acknowledged.length} acknowledged, ${arrived.length} arrived, ${result.repeats} of them repeated`,
  )
  say(`${result.unknown} unknown as may be, ${delivered.length} events came`)
  for (const [kind, silences] of silencesOf(result.story, lease)) {
    const [half, most] = [percentile(silences, 0.5), percentile(silences, 0.99)]
    say(`${kind}: ${silences.length} instances were silent for ${half} ms (p50), ${most} ms (p99)`)
  }
  const broken = Object.entries(whatIsBroken(result))
  for (const [what, found] of broken) say(`${what}: ${found.join(', ')}`)
  return broken.length > 0 ? 1 : 0
}

process.exitCode = await main()
