import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startOwnPostgres } from '../kit/postgres.ts'
import { runChaos } from './chaos.ts'
import { type FaultName, faultNames } from './faults.ts'

/*
 * `npm run chaos -- --faults 60 --seed 7 --kinds kill,freeze`: faults one after the other, of these kinds in turns. Exits with 1 if anything
 * was lost, doubled or overtaken, or sent by a node that had lost the instance.
 */

const { values } = parseArgs({
  options: { faults: { type: 'string' }, seed: { type: 'string' }, kinds: { type: 'string' } },
})
const kinds = (values.kinds?.split(',') ?? faultNames) as FaultName[]
const unknown = kinds.find((kind) => !faultNames.includes(kind))
const say = (text: string) => process.stdout.write(`${text}\n`)

async function main(): Promise<number> {
  if (unknown !== undefined) {
    say(`there is no fault "${unknown}"; there are ${faultNames.join(', ')}`)
    return 2
  }
  const postgres = await startOwnPostgres()
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
  const { acknowledged, arrived, broken } = await runChaos(postgres.server, { seed, faults, onFault })
  await postgres.server.stop()
  say(`seed ${seed}: ${acknowledged} acknowledged, ${arrived} arrived`)
  for (const [what, texts] of Object.entries(broken))
    if (texts.length > 0) say(`${what}: ${texts.join(', ')}`)
  return Object.values(broken).some((texts) => texts.length > 0) ? 1 : 0
}

process.exitCode = await main()
