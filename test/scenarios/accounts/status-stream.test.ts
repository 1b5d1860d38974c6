import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  createInstance,
  deleteInstance,
  getInstanceStatus,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { revokeKey } from '../../../src/contract/operations/key-operations.ts'
import { getInstanceStatus as statusHandler } from '../../../src/instances/operations/get-instance-status.ts'
import { CountedChanges } from '../../kit/counted-changes.ts'
import { create, Follower, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

let posthorn: Posthorn
/** Follows with a key that another process revoked; it may take until the next sign of life, 15 seconds, to be noticed. */
let revoked: Follower

before(async () => {
  posthorn = await startPosthorn()
  await create(posthorn.admin, 'guarded')
  const { id, key } = await posthorn.createKey('default', 'read')
  revoked = new Follower(posthorn.client(key), 'guarded')
  await revoked.status('connected')
  await posthorn.revokeKey(id)
})

after(() => posthorn.stop())

const at = (name: string) => ({ params: { name } })

/** The statuses that were shown, without repetitions: a status may be shown again with a newer verification. */
function course(follower: Follower): string[] {
  return follower.statuses.filter((status, index, all) => status !== all[index - 1])
}

test('the present state comes first, then every change, and a last word when the instance is gone', async () => {
  const { admin } = posthorn
  await create(admin, 'watched')
  const follower = new Follower(admin, 'watched')
  await follower.status('connected')
  const { body: now } = await admin.call(getInstanceStatus, at('watched'))
  assert.deepEqual(follower.seen[0], now)
  await admin.call(stopInstance, at('watched'))
  const { reason } = await follower.status('stopped')
  assert.equal(reason?.code, 'stop_ordered')
  await admin.call(startInstance, at('watched'))
  await follower.until(
    'connected again',
    ({ status_since }) => status_since > (follower.seen[0]?.status_since ?? ''),
  )
  await admin.call(startInstance, { ...at('watched'), waitSeconds: 10 })
  await admin.call(deleteInstance, at('watched'))
  await follower.ended
  assert.ok(follower.deleted)
  const shown = course(follower)
  assert.deepEqual(shown.slice(0, 2), ['connected', 'stopped'])
  assert.ok(shown.slice(2).includes('connected') || shown.slice(2).includes('connecting'))
})

test('a link, and every link that replaces it, is shown as it comes', async () => {
  const settings = { link: 'qr', links_after_seconds: 600, link_step_seconds: 2 }
  await posthorn.admin.call(createInstance, { body: { name: 'linking', settings } })
  const follower = new Follower(posthorn.admin, 'linking')
  await follower.status('stopped')
  follower.leave()
  const links = new Set(follower.seen.flatMap(({ link }) => (link ? [link.value] : [])))
  assert.equal(links.size, 3)
  assert.equal(follower.seen.at(-1)?.link, null)
})

test('several listeners are told the same, and one that leaves takes nobody along', async () => {
  const { admin } = posthorn
  await create(admin, 'popular')
  const followers = Array.from({ length: 5 }, () => new Follower(admin, 'popular'))
  for (const follower of followers) await follower.status('connected')
  followers[0]?.leave()
  await followers[0]?.ended
  await admin.call(stopInstance, at('popular'))
  for (const follower of followers.slice(1)) await follower.status('stopped')
  assert.ok(!followers[0]?.statuses.includes('stopped'))
  await admin.call(deleteInstance, at('popular'))
  await Promise.all(followers.map(({ ended }) => ended))
  assert.deepEqual(
    followers.map(({ deleted }) => deleted),
    [false, true, true, true, true],
  )
})

test('a stream is not taken for the stream of another instance that takes the name', async () => {
  const { admin } = posthorn
  await create(admin, 'passing')
  const follower = new Follower(admin, 'passing')
  await follower.status('connected')
  await admin.call(deleteInstance, at('passing'))
  await create(admin, 'passing')
  await follower.ended
  assert.ok(follower.deleted)
})

test('the depth of the queue is part of what is shown', async () => {
  const { admin } = posthorn
  await create(admin, 'queueing')
  await text(admin, { instance: 'queueing', to: 'a@busy.sandbox' })
  const follower = new Follower(admin, 'queueing')
  await follower.until('a queue of one', ({ queue }) => queue.depth === 1)
  follower.leave()
  await follower.ended
})

test('a stream of nothing is refused like a reading of nothing', async () => {
  const follower = posthorn.admin.stream(getInstanceStatus, at('nobody'))
  await assert.rejects(follower.next(), { name: 'ProblemError' })
})

/** A handler over one instance that follows what the test says, and those who follow it. */
function handlerOver(reading: () => unknown) {
  const changes = new CountedChanges()
  const context = { reader: { find: async () => reading() }, instanceChanges: changes }
  const status = statusHandler(context as unknown as Parameters<typeof statusHandler>[0])
  const follow = async (signal: AbortSignal) => {
    const call = { caller: { organizationId: 'org_1' }, params: { name: 'trial' }, wantsStream: true, signal }
    const answer = await status.handle(call as never)
    assert.ok('stream' in answer)
    return answer.stream[Symbol.asyncIterator]()
  }
  return { changes, follow }
}

const trial = {
  row: {
    id: 'inst_1',
    name: 'trial',
    status: 'connected' as const,
    status_since: 0,
    reason: null,
    restriction: null,
    account: null,
    next_attempt_at: null,
    linked_at: null,
    connected_at: 0,
    last_verified_at: 0,
    queue_depth: 0,
  },
  oldest: null,
  link: null,
}

test('a listener that has gone is forgotten at once, and whoever waits for it waits no longer', async () => {
  const { changes, follow } = handlerOver(() => trial)
  const gone = new AbortController()
  const events = await follow(gone.signal)
  assert.equal((await events.next()).done, false)
  const next = events.next()
  await new Promise(setImmediate)
  assert.equal(changes.waiting, 1)
  gone.abort()
  assert.equal((await next).done, true)
  assert.equal(changes.waiting, 0)
})

test('however many follow an instance, a change of it is read once', async () => {
  let readings = 0
  let depth = 0
  const { changes, follow } = handlerOver(() => {
    readings++
    return { ...trial, row: { ...trial.row, queue_depth: depth } }
  })
  const all = new AbortController()
  const listeners = await Promise.all(Array.from({ length: 200 }, () => follow(all.signal)))
  await Promise.all(listeners.map((events) => events.next()))
  const next = Promise.all(listeners.map((events) => events.next()))
  await new Promise(setImmediate)
  assert.equal(changes.waiting, 200)
  readings = 0
  depth = 7
  changes.notify('inst_1')
  for (const { value } of await next) assert.equal(value.data.queue.depth, 7)
  assert.equal(readings, 1)
  all.abort()
})

test('a stream ends, without a last word, once its key is revoked', async () => {
  await revoked.ended
  assert.deepEqual([revoked.statuses[0], revoked.deleted], ['connected', false])
})

// Without being told, the stream would notice at its next sign of life, after 15 seconds.
test('a stream ends at once if its key is revoked through this server', { timeout: 10_000 }, async () => {
  const { id, key } = await posthorn.createKey('default', 'read')
  const follower = new Follower(posthorn.client(key), 'guarded')
  await follower.status('connected')
  await posthorn.admin.call(revokeKey, { params: { id } })
  await follower.ended
})
