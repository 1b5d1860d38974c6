import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'
import { needsProsody } from '../kit/networks/xmpp/prosody.ts'
import { type PostgresForTests, startOwnPostgres } from '../kit/postgres.ts'
import type { PostgresServer } from '../kit/processes/postgres-server.ts'
import { runChaos } from './chaos.ts'
import { whatIsBroken } from './check/check.ts'
import { type FaultName, faultNames } from './faults.ts'

/** Faults of one kind after the other; `POSTHORN_TEST_FAULTS` says how many, and `npm run chaos -- --seed N` repeats a story. */
const count = Number(process.env.POSTHORN_TEST_FAULTS ?? 6)
const seed = randomInt(2 ** 31)

const isLong = count >= 90
const some = isLong ? 3 : 1
const networks = {
  ...{ sandbox: 6, whatsapp: some },
  ...(isLong && { telegram: some, 'whatsapp-cloud': some }),
  xmpp: needsProsody.skip ? 0 : some,
}

let postgres: PostgresForTests<PostgresServer>
before(async () => {
  postgres = await startOwnPostgres({ max_connections: '200' })
})
after(() => (postgres.available ? postgres.server.stop() : undefined))

test('three nodes of which one after the other suffers a fault lose, double and overtake nothing', async (t) => {
  if (!postgres.available) return t.skip(postgres.reason)
  const faults = Array.from(
    { length: count },
    (_, index) => faultNames[index % faultNames.length] as FaultName,
  )
  const onFault = (told: string) => t.diagnostic(told)
  const result = await runChaos(postgres.server, { seed, faults, networks, onFault })
  const { acknowledged, arrived, delivered } = result.story
  t.diagnostic(
    `seed ${seed}: ${acknowledged.length} acknowledged, ${arrived.length} arrived, ${delivered.length} events, ${result.unknown} unknown`,
  )
  assert.deepEqual(whatIsBroken(result), {})
  assert.ok(acknowledged.length > 20 * count, `only ${acknowledged.length} were sent meanwhile`)
})
