import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Observation } from '../../networks/driver/observation.ts'
import { timestamp } from '../../runtime/clock.ts'
import { withSoundTimes } from './sound-times.ts'

const now = 1_700_000_000_000
const sound = [1, now, Date.UTC(9999, 11, 31)]
const odd = [2 ** 53 - 1, 1_700_000_000_000_000, 8.64e15, -1, 0, Number.NaN, Number.POSITIVE_INFINITY]
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('what a driver reports with a time that is none can be stored and shown, and sound times stay', () => {
  for (const at of [...sound, ...odd]) {
    const isSound = sound.includes(at)
    const restriction = { code: 'x', detail: 'X.', scope: 'all_messages', since: at, ends_at: at } as const
    const restricted = withSoundTimes({ kind: 'restriction', restriction }, now)
    assert.ok(restricted.kind === 'restriction' && restricted.restriction)
    assert.equal(restricted.restriction.since, isSound ? at : now)
    assert.equal(restricted.restriction.ends_at, isSound ? at : null)
    const received = withSoundTimes({ kind: 'message-received', at } as Observation, now)
    assert.equal('at' in received && received.at, isSound ? at : now)
    const step = { kind: 'url', value: 'https://example.org', expires_at: at } as const
    const link = withSoundTimes({ kind: 'link-step', step }, now)
    assert.equal(link.kind === 'link-step' && link.step.expires_at, isSound ? at : now)
    assert.match(timestamp(at), rfc3339)
  }
  const lifted = { kind: 'restriction', restriction: null } as const
  assert.equal(withSoundTimes(lifted, now), lifted)
})
