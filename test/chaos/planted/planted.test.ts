import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { type PostgresForTests, startOwnPostgres } from '../../kit/postgres.ts'
import { ofThisRun } from '../../kit/posthorn.ts'
import type { PostgresServer } from '../../kit/processes/postgres-server.ts'
import { type ChaosResult, runChaos } from '../chaos.ts'
import { whatIsBroken } from '../check/check.ts'
import { type PlantedBug, plantedBugs } from './bugs.ts'

/*
 * The checker is proved on the program itself: nodes with a planted bug suffer faults, and the checker must find what it does.
 * `npm test` plants one, `npm run test:long` all of them.
 */

const isLong = Number(process.env.POSTHORN_TEST_FAULTS ?? 6) >= 90
const plant = new URL('plant.js', import.meta.url).href

let postgres: PostgresForTests<PostgresServer>
before(async () => {
  // Commits that do not wait for the disk get there late.
  postgres = await startOwnPostgres({
    max_connections: '200',
    wal_writer_delay: '10s',
    wal_writer_flush_after: '1GB',
  })
})
after(() => (postgres.available ? postgres.server.stop() : undefined))

/** Runs chaos with a bug in all nodes. */
function runWith(server: PostgresServer, bug: Omit<PlantedBug, 'name' | 'found'>): Promise<ChaosResult> {
  const { changes, faults, lasts } = bug
  const planted = {
    NODE_OPTIONS: `${ofThisRun().NODE_OPTIONS} --import ${plant}`,
    POSTHORN_TEST_PLANTED: JSON.stringify(changes),
  }
  return runChaos(server, {
    ...{ seed: 1, faults, onFault: () => {}, settlesWithin: 15_000 },
    ...(lasts !== undefined && { lasts }),
    environmentOf: () => planted,
  })
}

test('each bug fits into the program as it is', async () => {
  assert.ok(plantedBugs.length >= 12)
  for (const { name, changes } of plantedBugs)
    for (const { file, from } of changes) {
      const source = await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8')
      assert.equal(source.split(from).length - 1, 1, `${name}: ${file} has not one "${from}"`)
    }
})

for (const { name, found, ...bug } of isLong ? plantedBugs : plantedBugs.slice(0, 1))
  test(`found: ${name}`, async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const broken = whatIsBroken(await runWith(postgres.server, bug))
    const counts = Object.entries(broken).map(([what, { length }]) => `${length} ${what}`)
    t.diagnostic(`found ${counts.join(', ') || 'nothing'}`)
    assert.ok(
      found.some((what) => broken[what]),
      `none of ${found.join(', ')} was found`,
    )
  })
