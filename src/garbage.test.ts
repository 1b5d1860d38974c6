import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

/** Holds some megabytes, and makes many times as many that live just long enough to leave the nursery. Prints both. */
const program = (bound: boolean) => `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { boundGarbage, letNurseryGrow } from '${new URL('garbage.js', import.meta.url)}'
  if (${bound}) boundGarbage()
  letNurseryGrow(false)
  const inUse = Array.from({ length: 300_000 }, (_, number) => ({ number, all: [number] }))
  gc()
  const old = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space').space_used_size
  const held = old()
  let most = 0
  const waiting = []
  for (let round = 0; round < 300; round++) {
    for (let number = 0; number < 4_000; number++) waiting.push({ number, round, all: [number, round, number] })
    while (waiting.length > 20_000) waiting.splice(0, 4_000)
    await new Promise((resolve) => setImmediate(resolve))
    most = Math.max(most, old())
  }
  console.log(JSON.stringify({ held, most, count: inUse.length }))
  process.exit(0)`

function garbageOf(bound: boolean): number {
  const given = ['--expose-gc', '--input-type=module', '--eval', program(bound)]
  const { stdout, stderr } = spawnSync(process.execPath, given, { encoding: 'utf8' })
  assert.notEqual(stdout, '', stderr)
  const { held, most } = JSON.parse(stdout) as { held: number; most: number }
  return (most - held) / held
}

test('garbage piles up to a share of what is in use, where V8 would let it become several times as much', () => {
  const unbound = garbageOf(false)
  assert.ok(unbound > 2, `V8 bounds it by itself: ${unbound} of what is in use; then this bound may go`)
  const bound = garbageOf(true)
  // Beyond the share, it grows while it is being collected.
  assert.ok(bound < 2, `${bound} of what is in use`)
})
