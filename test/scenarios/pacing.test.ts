import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TranscriptLine } from '../../src/networks/sandbox/far-end.ts'
import { create, reaches, startObserved, text } from '../kit/play.ts'
import type { Posthorn } from '../kit/posthorn.ts'

let posthorn: Posthorn
let transcript: () => TranscriptLine[]

before(async () => {
  const observed = await startObserved()
  posthorn = observed.posthorn
  transcript = observed.transcript
})

after(() => posthorn.stop())

/** Two clocks are read in between, each in whole milliseconds. */
const rounding = 2

test('in any second no more messages arrive than the pacing of the instance allows', async () => {
  const { admin } = posthorn
  const pacing = { messages: 4, seconds: 1 }
  const { settings } = await create(admin, 'calm', { account: 'calm', pacing })
  assert.deepEqual(settings, { account: 'calm', pacing })
  const sends = Array.from({ length: 13 }, (_, index) =>
    text(admin, { instance: 'calm', to: `person-${index}@delivers.sandbox` }),
  )
  for (const { id } of await Promise.all(sends)) await reaches(admin, id, 'delivered')
  const arrived = transcript().flatMap((line) => (line.instance === 'calm' ? [line.at] : []))
  assert.equal(arrived.length, 13)
  for (const [index, at] of arrived.entries()) {
    const next = arrived[index + pacing.messages]
    assert.ok(next === undefined || next - at >= 1_000 - rounding, `${arrived.map((each) => each - at)}`)
  }
})

test('one instance at its pace does not slow another', async () => {
  const { admin } = posthorn
  await create(admin, 'slow', { account: 'slow', pacing: { messages: 1, seconds: 3600 } })
  await create(admin, 'fast', { account: 'fast' })
  const slow = [1, 2].map((index) => text(admin, { instance: 'slow', to: `a-${index}@delivers.sandbox` }))
  await Promise.all(slow)
  const fast = Array.from({ length: 50 }, (_, index) =>
    text(admin, { instance: 'fast', to: `b-${index}@delivers.sandbox` }, 20),
  )
  for (const { id } of await Promise.all(fast)) await reaches(admin, id, 'delivered')
  assert.equal(transcript().filter((line) => line.instance === 'slow').length, 1)
})
