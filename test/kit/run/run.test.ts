import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { playedOnPostgres } from '../../scenarios/on-postgres.ts'
import { canPlayTogether, canShareProcess } from './shared-process.ts'

test('every scenario that is played on PostgreSQL exists, and stands there once', () => {
  const names = Object.values(playedOnPostgres).flat()
  const isThere = (name: string) => existsSync(new URL(`../../scenarios/${name}.test.ts`, import.meta.url))
  assert.deepEqual(
    names.filter((name) => !isThere(name)),
    [],
  )
  assert.equal(new Set(names).size, names.length)
})

test('a test file shares a process with others only if it cannot disturb them', () => {
  const calling =
    "import { test } from 'node:test'\nimport { wordsOf } from './words.ts'\ntest('words', () => {})\n"
  const harmless = "import { OutboxModel } from '../../../test/kit/stores/outbox-model.ts'\n"
  assert.ok(canShareProcess(calling))
  assert.ok(canShareProcess(`${harmless}${calling}`))
  const disturbing = [
    "import { startPosthorn } from '../../test/kit/posthorn.ts'",
    "import { startTelegram } from '../../test/simulators/telegram/start-telegram.ts'",
    "import { createServer } from 'node:http'",
    "process.env.TZ = 'UTC'",
    'mock.timers.enable()',
  ]
  for (const line of disturbing) assert.ok(!canShareProcess(`${calling}${line}\n`), line)
})

test('a scenario shares a process with others only if all that it does there is to start servers and stop them', () => {
  const calm = "import { startPosthorn } from '../../kit/posthorn.ts'\n"
  assert.ok(canPlayTogether('test/scenarios/sending/order.test.ts', calm))
  assert.ok(!canPlayTogether('test/scenarios/hostile/strangers.test.ts', calm))
  assert.ok(!canPlayTogether('test/scenarios/sending/order.test.ts', ''))
  const disturbing = [
    'spawnPosthorn(data)',
    'mock.timers.enable()',
    "process.env.TZ = 'UTC'",
    'startBrowser()',
  ]
  for (const line of disturbing)
    assert.ok(!canPlayTogether('test/scenarios/sending/order.test.ts', `${calm}${line}\n`), line)
})
