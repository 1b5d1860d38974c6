import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import {
  createInstance,
  deleteInstance,
  getInstance,
  getInstanceStatus,
  listInstances,
  restartInstance,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../src/contract/operations/message-operations.ts'
import type { InstanceEventData } from '../../../src/contract/resources/event.ts'
import type { InstanceStatus } from '../../../src/contract/resources/instance.ts'
import { create, eventually, Follower, inMs, reaches, text } from '../../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { clingySandbox, noticedWithinMs, quickSandbox } from '../../kit/quick-sandbox.ts'

let posthorn: Posthorn
let networkSays: boolean | 'refused' = true

const environment = { POSTHORN_STOP_SECONDS: '1' }

before(async () => {
  const drivers = [quickSandbox(), clingySandbox(() => networkSays)]
  posthorn = await startPosthorn({ drivers, environment })
})

after(() => posthorn.stop())

const at = (name: string) => ({ params: { name } })
const status = async (name: string) => (await posthorn.admin.call(getInstanceStatus, at(name))).body

async function refusedWith(call: Promise<unknown>, code: string, pointer?: string): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof ProblemError, String(error))
    assert.equal(error.code, code)
    if (pointer)
      assert.deepEqual(
        error.problem.errors?.map((each) => each.pointer),
        [pointer],
      )
    return true
  })
}

/** Settings that bring an instance into a status and keep it there. */
const ways = {
  connecting: { after_seconds: 600 },
  awaiting_link: { link: 'qr', links_after_seconds: 600, link_step_seconds: 600 },
  connected: {},
  reconnecting: { behaviour: 'unreachable' },
  logged_out: { behaviour: 'refuses_credentials' },
  failed: { behaviour: 'refuses_client' },
} as const
type Way = keyof typeof ways

/** Brings an instance into a status. */
async function bring(name: string, way: Way): Promise<void> {
  await posthorn.admin.call(createInstance, { body: { name, settings: ways[way] } })
  await eventually(
    `${name} to be ${way}`,
    () => status(name),
    (now) => now.status === way,
  )
}

describe('a new instance', { concurrency: true }, () => {
  test('is connected and verified, and knows its account', async () => {
    const instance = await create(posthorn.admin, 'fresh')
    assert.deepEqual([instance.status, instance.action, instance.sendable], ['connected', 'none', true])
    assert.ok(instance.connected_at && instance.last_verified_at)
    const now = await eventually(
      'the account',
      () => status('fresh'),
      ({ account }) => account !== null,
    )
    assert.equal(now.account?.address, 'sandbox@delivers.sandbox')
    assert.equal(now.link, null)
  })

  test('of the default network is the same as one that names it', async () => {
    const instance = await create(posthorn.admin, 'unnamed')
    assert.equal(instance.network, 'sandbox')
  })

  test('of an unknown network is refused, with the known ones named', async () => {
    const body = { name: 'strange', network: 'pigeon' }
    await refusedWith(posthorn.admin.call(createInstance, { body }), 'invalid_request', '/network')
    await refusedWith(posthorn.admin.call(getInstance, at('strange')), 'instance_not_found')
  })

  test('of a name that is taken is refused', async () => {
    await create(posthorn.admin, 'taken')
    await refusedWith(posthorn.admin.call(createInstance, { body: { name: 'taken' } }), 'instance_name_taken')
  })

  const expected: readonly [Way, string, boolean][] = [
    ['connecting', 'wait', false],
    ['awaiting_link', 'link', false],
    ['reconnecting', 'wait', false],
    ['logged_out', 'relink', false],
    ['failed', 'contact_operator', false],
  ]
  for (const [way, action, sendable] of expected) {
    test(`may be ${way}, and says who acts next`, async () => {
      await bring(`new-${way}`, way)
      const now = await status(`new-${way}`)
      assert.deepEqual([now.action, now.sendable, now.connected_at], [action, sendable, null])
      assert.equal(now.next_attempt_at === null, way !== 'reconnecting')
      assert.equal(now.reason === null, way === 'connecting' || way === 'awaiting_link')
      if (now.next_attempt_at) assert.ok(Date.parse(now.next_attempt_at) > Date.parse(now.status_since))
    })
  }
})

describe('linking', { concurrency: true }, () => {
  test('shows what a person must do in the status, and nowhere else', async () => {
    await bring('linking', 'awaiting_link')
    const { link } = await status('linking')
    assert.equal(link?.kind, 'qr')
    assert.ok(Date.parse(link.expires_at) > Date.now())
    const record = await posthorn.admin.call(getInstance, at('linking'))
    const list = await posthorn.admin.call(listInstances, { query: { status: 'awaiting_link' } })
    assert.ok(list.body.data.some(({ name }) => name === 'linking'))
    assert.ok(!JSON.stringify([record.body, list.body]).includes(link.value))
    await posthorn.admin.call(stopInstance, at('linking'))
    assert.equal((await status('linking')).link, null, 'nobody needs to act any more')
  })

  test('ends connected when a person acts, and the next connection needs nobody', async () => {
    const settings = { link: 'code', links_after_seconds: 0.2 }
    const created = await create(posthorn.admin, 'linked', settings)
    assert.equal(created.status, 'awaiting_link')
    await eventually(
      'linked',
      () => status('linked'),
      (now) => now.status === 'connected',
    )
    const { body } = await posthorn.admin.call(restartInstance, { ...at('linked'), waitSeconds: 10 })
    assert.equal(body.status, 'connected')
  })

  test('ends stopped when nobody acts, after every code was shown', async () => {
    const settings = { link: 'code', links_after_seconds: 600, link_step_seconds: 0.3 }
    await posthorn.admin.call(createInstance, { body: { name: 'ignored', settings } })
    const follower = new Follower(posthorn.admin, 'ignored')
    const { reason, action } = await follower.status('stopped')
    follower.leave()
    assert.deepEqual([reason?.code, action], ['link_expired', 'none'])
    const shown = new Set(follower.seen.flatMap(({ link }) => (link ? [link.value] : [])))
    assert.equal(shown.size, 3)
  })
})

describe('a connection that ends', { concurrency: true }, () => {
  test('comes back by itself when it was lost', async () => {
    await create(posthorn.admin, 'dropping', { behaviour: 'drops', after_seconds: 0.5 })
    const follower = new Follower(posthorn.admin, 'dropping')
    const lost = await follower.status('reconnecting')
    assert.equal(lost.reason?.code, 'connection_dropped')
    await follower.until('connected again', (now) => {
      return now.status === 'connected' && Date.parse(now.status_since) > Date.parse(lost.status_since)
    })
    follower.leave()
  })

  test('is not believed when it falls silent', async () => {
    await create(posthorn.admin, 'silent', { behaviour: 'goes_silent', after_seconds: 0.1 })
    const follower = new Follower(posthorn.admin, 'silent')
    const { reason, status_since } = await follower.status('reconnecting')
    follower.leave()
    assert.equal(reason?.code, 'probe_timeout')
    const connected = follower.seen.filter((now) => now.status === 'connected')
    const verified = Math.max(...connected.map((now) => Date.parse(now.last_verified_at ?? '')))
    assert.ok(Date.parse(status_since) - verified <= noticedWithinMs + 1_000)
  })

  test('is not tried again when the account was logged out', async () => {
    await create(posthorn.admin, 'revoked', { behaviour: 'logs_out', after_seconds: 0.1 })
    const now = await eventually(
      'logged out',
      () => status('revoked'),
      (each) => each.status === 'logged_out',
    )
    assert.deepEqual([now.action, now.next_attempt_at], ['relink', null])
  })

  test('stays, if the network only restricts the account; messages wait', async () => {
    await create(posthorn.admin, 'restricted', { behaviour: 'restricts', after_seconds: 0.1 })
    const read = () => status('restricted')
    const now = await eventually('the restriction', read, ({ restriction }) => restriction !== null)
    assert.deepEqual([now.status, now.sendable], ['connected', false])
    assert.ok(Date.parse(now.restriction?.ends_at ?? '') > Date.now())
    assert.match(now.restriction?.detail ?? '', /^The sandbox restricts the account/)
    const waiting = await text(posthorn.admin, { instance: 'restricted', to: 'a@delivers.sandbox' }, 1)
    assert.deepEqual([waiting.status, waiting.attempts], ['queued', 0])
    const { data } = (await posthorn.admin.call(listEvents, { query: { instances: ['restricted'] } })).body
    const told = data.filter(({ type }) => type === 'instance.restriction_changed')
    assert.deepEqual(
      told.map((event) => (event.data as InstanceEventData).instance.restriction),
      [now.restriction],
    )
  })
})

describe('orders in every status', { concurrency: true }, () => {
  for (const way of Object.keys(ways) as Way[]) {
    test(`${way}: stop, stop again, start`, async () => {
      const name = `stop-${way}`
      await bring(name, way)
      const { body: first } = await posthorn.admin.call(stopInstance, at(name))
      assert.deepEqual([first.status, first.action, first.next_attempt_at], ['stopped', 'none', null])
      const { body: second } = await posthorn.admin.call(stopInstance, at(name))
      assert.equal(second.status_since, first.status_since)
      await posthorn.admin.call(startInstance, at(name))
      await eventually(
        `${name} again`,
        () => status(name),
        (now) => now.status === way,
      )
    })

    test(`${way}: start changes nothing that runs, and begins anew what rests`, async () => {
      const name = `start-${way}`
      await bring(name, way)
      const earlier = await status(name)
      const { body } = await posthorn.admin.call(startInstance, at(name))
      const rests = way === 'logged_out' || way === 'failed'
      // The next attempt may come by itself in between.
      const isDue = Date.parse(earlier.next_attempt_at ?? body.updated_at) <= Date.now()
      if (way !== 'reconnecting' || !isDue) assert.equal(body.status_since === earlier.status_since, !rests)
      await eventually(
        `${name} again`,
        () => status(name),
        (now) => now.status === way,
      )
    })

    test(`${way}: restart begins anew`, async () => {
      const name = `restart-${way}`
      await bring(name, way)
      const earlier = await status(name)
      await posthorn.admin.call(restartInstance, at(name))
      await eventually(
        `${name} anew`,
        () => status(name),
        (now) => now.status === way && (way === 'connecting' || now.status_since > earlier.status_since),
      )
    })

    test(`${way}: removal frees the name at once`, async () => {
      const name = `remove-${way}`
      await bring(name, way)
      assert.equal((await posthorn.admin.call(deleteInstance, at(name))).status, 204)
      await refusedWith(posthorn.admin.call(deleteInstance, at(name)), 'instance_not_found')
      assert.equal((await create(posthorn.admin, name)).status, 'connected')
    })
  }
})

describe('the removal of an instance', { concurrency: true }, () => {
  test('cancels what waits; what was sent and what was canceled can still be read', async () => {
    const { admin } = posthorn
    await create(admin, 'leaving')
    const sent = await text(admin, { instance: 'leaving', to: 'a@accepts.sandbox' }, 10)
    const refused = await text(admin, { instance: 'leaving', to: 'a@busy.sandbox' })
    const behind = await text(admin, { instance: 'leaving', to: 'a@busy.sandbox' })
    const later = await text(admin, { instance: 'leaving', to: 'b@accepts.sandbox', send_at: inMs(60_000) })
    const underway = await text(admin, { instance: 'leaving', to: 'a@stuck.sandbox' })
    const perhaps = await text(admin, { instance: 'leaving', to: 'a@never-certain.sandbox' })
    for (const { id } of [refused, underway, perhaps]) await reaches(admin, id, 'sending')
    assert.equal((await admin.call(deleteInstance, at('leaving'))).status, 204)
    const fates: Record<string, string> = {}
    const all = { sent, refused, behind, later, underway, perhaps }
    for (const [name, { id }] of Object.entries(all))
      fates[name] = (await admin.call(getMessage, { params: { id } })).body.status
    assert.deepEqual(fates, {
      sent: 'sent',
      refused: 'canceled',
      behind: 'canceled',
      later: 'canceled',
      underway: 'unknown',
      perhaps: 'unknown',
    })
  })

  test('lets another take the name, which gets the messages from then on', async () => {
    const { admin } = posthorn
    const old = await create(admin, 'reborn')
    await text(admin, { instance: 'reborn', to: 'a@accepts.sandbox' }, 10)
    await admin.call(deleteInstance, at('reborn'))
    await refusedWith(text(admin, { instance: 'reborn', to: 'a@accepts.sandbox' }), 'instance_not_found')
    const { body: next } = await admin.call(createInstance, { body: { name: 'reborn' } })
    assert.notEqual(next.id, old.id)
    const message = await text(admin, { instance: 'reborn', to: 'a@accepts.sandbox' }, 10)
    assert.equal(message.status, 'sent')
  })

  test('goes on until the network confirms; until then the name is taken and nothing is accepted', async () => {
    const { admin } = posthorn
    const body = { name: 'clinging', network: 'clingy' }
    await admin.call(createInstance, { body, waitSeconds: 10 })
    networkSays = false
    const follower = new Follower(admin, 'clinging')
    const removed = await admin.call(deleteInstance, at('clinging'))
    assert.equal(removed.status, 202)
    const { status, action, reason, next_attempt_at } = removed.body
    assert.deepEqual([status, action, reason?.code], ['deleting', 'wait', 'removal_unconfirmed'])
    assert.ok(next_attempt_at !== null)
    await refusedWith(admin.call(createInstance, { body }), 'instance_name_taken')
    await refusedWith(admin.call(startInstance, at('clinging')), 'instance_deleting')
    await refusedWith(text(admin, { instance: 'clinging', to: 'a@accepts.sandbox' }), 'instance_deleting')
    networkSays = true
    await follower.ended
    assert.ok(follower.deleted)
    await refusedWith(admin.call(getInstance, at('clinging')), 'instance_not_found')

    await admin.call(createInstance, { body: { ...body, name: 'disowned' }, waitSeconds: 10 })
    networkSays = 'refused'
    const disowned = await admin.call(deleteInstance, at('disowned'))
    assert.equal(disowned.status, 204, 'who is refused for good has nothing left to undo')
    networkSays = true
  })
})

describe('over a restart of the server', () => {
  test('what was stopped stays so, what rests does, and a restriction lasts', async () => {
    const data = freshFolder()
    const old = await startPosthorn({ data, drivers: [quickSandbox()], environment })
    for (const way of Object.keys(ways) as Way[])
      await old.admin.call(createInstance, { body: { name: way, settings: ways[way] }, waitSeconds: 1 })
    await create(old.admin, 'halted')
    await old.admin.call(stopInstance, at('halted'))
    await create(old.admin, 'restricted', { behaviour: 'restricts', after_seconds: 1 })
    const read = async () => (await old.admin.call(getInstance, at('restricted'))).body
    const { restriction } = await eventually('a restriction', read, (now) => now.restriction !== null)

    const next = await old.restart()
    try {
      const connected = async () => (await next.admin.call(getInstance, at('restricted'))).body
      const again = await eventually('connected again', connected, (now) => now.status === 'connected')
      assert.deepEqual([again.sendable, again.restriction], [false, restriction])
      const waiting = await text(next.admin, { instance: 'restricted', to: 'a@delivers.sandbox' }, 1)
      assert.deepEqual([waiting.status, waiting.attempts], ['queued', 0])
      const expected: Record<string, InstanceStatus> = { halted: 'stopped' }
      for (const way of Object.keys(ways)) expected[way] = way as InstanceStatus
      for (const [name, wanted] of Object.entries(expected)) {
        const now = async () => (await next.admin.call(getInstance, at(name))).body
        await eventually(`${name} to be ${wanted}`, now, (each) => each.status === wanted)
      }
      const { body: started } = await next.admin.call(startInstance, { ...at('halted'), waitSeconds: 10 })
      assert.equal(started.status, 'connected')
    } finally {
      await next.stop()
      rmSync(data, { recursive: true, force: true })
    }
  })
})
