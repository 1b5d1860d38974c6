import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { playedOnPostgres } from '../../scenarios/on-postgres.ts'
import { isPure } from './pure.ts'

test('every scenario that is played on PostgreSQL exists, and stands there once', () => {
  const names = Object.values(playedOnPostgres).flat()
  const isThere = (name: string) => existsSync(new URL(`../../scenarios/${name}.test.ts`, import.meta.url))
  assert.deepEqual(
    names.filter((name) => !isThere(name)),
    [],
  )
  assert.equal(new Set(names).size, names.length)
})

test('a test file shares a process with others only if it cannot reach them', () => {
  const calling =
    "import { test } from 'node:test'\nimport { wordsOf } from './words.ts'\ntest('words', () => {})\n"
  assert.ok(isPure(calling))
  const reaching = [
    "import { startPosthorn } from '../../test/kit/posthorn.ts'",
    "import { createServer } from 'node:http'",
    'afterEach(() => forgetAll())',
    "process.env.TZ = 'UTC'",
    'mock.timers.enable()',
    'setTimeout(() => {}, 10)',
  ]
  for (const line of reaching) assert.ok(!isPure(`${calling}${line}\n`), line)
})
