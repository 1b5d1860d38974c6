import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import { getInstanceStatus } from '../../../src/contract/operations/instance-operations.ts'
import { listNetworks } from '../../../src/contract/operations/network-operations.ts'
import type { TranscriptLine } from '../../../src/networks/sandbox/people/far-end.ts'
import { create, eventually, reaches, startObserved, text } from '../../kit/play.ts'
import type { Posthorn } from '../../kit/posthorn.ts'

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

/** Returns the milliseconds between the arrivals of an instance's messages. */
function gapsOf(instance: string): number[] {
  const arrived = transcript().flatMap((line) => (line.instance === instance ? [line.at] : []))
  return arrived.slice(1).map((at, index) => at - (arrived[index] ?? 0))
}

/** Sends to so many different people at once, and waits until all have it. */
async function sendToMany(instance: string, count: number): Promise<void> {
  const sends = Array.from({ length: count }, (_, index) =>
    text(posthorn.admin, { instance, to: `person-${index}@delivers.sandbox` }),
  )
  for (const { id } of await Promise.all(sends)) await reaches(posthorn.admin, id, 'delivered')
}

test('with pauses, one message leaves at a time, and then none for a while', async () => {
  const pacing = { pause: { min_seconds: 0.1, max_seconds: 0.4 }, warm_up: false }
  const { settings, linked_at } = await create(posthorn.admin, 'person', { account: 'person', pacing })
  assert.deepEqual(settings, { account: 'person', pacing })
  assert.notEqual(linked_at, null)
  await sendToMany('person', 8)
  const gaps = gapsOf('person')
  assert.equal(gaps.length, 7)
  assert.ok(
    gaps.every((gap) => gap >= 100 - rounding),
    `${gaps}`,
  )
  assert.ok(Math.max(...gaps) - Math.min(...gaps) > 10, `they are not of one length: ${gaps}`)
})

test('after an account was linked, its pauses are longer, as its network says; a caller can turn that off', async () => {
  const { admin } = posthorn
  const pause = { min_seconds: 0.2, max_seconds: 0.2 }
  const linking = { link: 'qr', links_after_seconds: 0.2 }
  const link = async (name: string, warm_up?: boolean) => {
    const settings = {
      account: name,
      ...linking,
      pacing: { pause, ...(warm_up === undefined ? {} : { warm_up }) },
    }
    await create(admin, name, settings)
    const read = async () => (await admin.call(getInstanceStatus, { params: { name } })).body
    const before = await read()
    if (before.status === 'awaiting_link') assert.equal(before.linked_at, null)
    const { linked_at, connected_at } = await eventually(
      `${name} linked`,
      read,
      ({ status }) => status === 'connected',
    )
    assert.ok(Math.abs(Date.parse(linked_at ?? '') - Date.parse(connected_at ?? '')) < 100)
  }
  await link('young')
  await link('bold', false)
  await Promise.all([sendToMany('young', 4), sendToMany('bold', 4)])
  const { body } = await admin.call(listNetworks, {})
  const [first] = body.data.find(({ network }) => network === 'sandbox')?.limits.warm_up ?? []
  assert.equal(first?.factor, 2)
  const young = gapsOf('young')
  assert.ok(
    young.every((gap) => gap >= 400 - rounding),
    `${young}`,
  )
  assert.ok(Math.min(...gapsOf('bold')) < 400, `${gapsOf('bold')}`)
})

test('a pace that contradicts itself is refused with what to do', async () => {
  const pacing = { messages: 5, pause: { min_seconds: 1, max_seconds: 3 } }
  const creating = create(posthorn.admin, 'odd', { account: 'odd', pacing })
  await assert.rejects(creating, (error) => {
    assert.ok(error instanceof ProblemError && error.code === 'invalid_request')
    assert.match(JSON.stringify(error.problem), /"\/settings\/pacing","code":"pacing_form"/)
    return true
  })
})
