import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Beats } from './heartbeats.ts'

/** A process of which the system knows nothing, so that it never counts as starved. */
const noClients = 0

test('a worker that is asked every second and does not answer any more is noticed within five', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let seconds = 0
  let noticed: number | undefined
  const beats = new Beats(noClients, 1_000, {
    ask: () => {},
    look: () => {},
    silent: () => {
      noticed ??= seconds
    },
  })
  const pass = (count: number, answers: boolean) => {
    for (const end = seconds + count; seconds < end; ) {
      t.mock.timers.tick(1_000)
      seconds += 1
      if (answers) beats.heard()
    }
  }
  pass(100, true)
  assert.equal(noticed, undefined)
  pass(5, false)
  assert.ok(noticed !== undefined && noticed <= 105, `noticed after ${noticed} seconds`)
  beats.stop()
})

test('a worker that begins may take a minute', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let isSilent = false
  const beats = new Beats(noClients, 1_000, {
    ask: () => {},
    look: () => {},
    silent: () => {
      isSilent = true
    },
  })
  t.mock.timers.tick(59_000)
  assert.equal(isSilent, false)
  t.mock.timers.tick(5_000)
  assert.equal(isSilent, true)
  beats.stop()
})
