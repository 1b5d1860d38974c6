import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listAudit } from '../../../src/contract/operations/audit-operations.ts'
import {
  createInstance,
  deleteInstance,
  getInstance,
  getInstanceStatus,
  stopInstance,
  updateInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import type { InstanceEventData, MessageEventData } from '../../../src/contract/resources/event.ts'
import type { UpdateInstance } from '../../../src/contract/resources/instance.ts'
import type { TranscriptLine } from '../../../src/networks/sandbox/people/far-end.ts'
import { allEvents } from '../../kit/http/feed.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { create, eventually, Follower, reaches, startObserved, text } from '../../kit/play.ts'
import type { Posthorn } from '../../kit/posthorn.ts'

let posthorn: Posthorn
let transcript: () => TranscriptLine[]

before(async () => {
  const observed = await startObserved()
  posthorn = observed.posthorn
  transcript = observed.transcript
})

after(() => posthorn.stop())

const at = (name: string) => ({ params: { name } })

const read = async (name: string) => (await posthorn.admin.call(getInstance, at(name))).body

async function update(name: string, body: UpdateInstance, client = posthorn.admin) {
  return (await client.call(updateInstance, { ...at(name), body, waitSeconds: 20 })).body
}

async function refusal(name: string, body: object, client = posthorn.admin) {
  const { status, code, problem } = await problemOf(update(name, body as UpdateInstance, client))
  return [`${status} ${code}`, ...(problem.errors ?? []).map((fault) => `${fault.pointer} ${fault.code}`)]
}

const typesOf = async (name: string) =>
  (await allEvents(posthorn.admin, { instances: [name] })).map(({ type }) => type)

const numbered = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Everything that reached an account's recipients: who, and what. */
function arrivedFrom(account: string) {
  return transcript().flatMap(({ instance, to, text, repeat }) =>
    instance === account ? [{ to, text, repeat }] : [],
  )
}

describe('settings that are changed while 50 texts wait', () => {
  test('the pace, to any: all leave on the connection that is there, once each and in order', async () => {
    const { admin } = posthorn
    const pacing = { messages: 1, seconds: 3600 }
    const { connected_at } = await create(admin, 'paced', { account: 'paced', pacing })
    const sent = []
    for (const index of numbered(50))
      sent.push(await text(admin, { instance: 'paced', to: 'ana@delivers.sandbox', text: `${index}` }))
    await reaches(admin, sent[0]?.id ?? '', 'delivered')
    assert.equal((await read('paced')).queue.depth, 49)
    const changed = await update('paced', { settings: { pacing: { off: true } } })
    assert.deepEqual(changed.settings, { account: 'paced', pacing: { off: true } })
    for (const { id } of sent) await reaches(admin, id, 'delivered')
    const expected = numbered(50).map((text) => ({
      to: 'ana@delivers.sandbox',
      text: `${text}`,
      repeat: false,
    }))
    assert.deepEqual(arrivedFrom('paced'), expected)
    assert.equal((await read('paced')).connected_at, connected_at)
  })

  test('a setting of the connection: what is being sent is finished, and nothing is sent again', async () => {
    const { admin } = posthorn
    const { connected_at } = await create(admin, 'moved', { account: 'moved' })
    const people = numbered(10).map((index) => `person-${index}@slow-500ms.sandbox`)
    const sent = []
    for (const round of numbered(5))
      for (const to of people) sent.push(await text(admin, { instance: 'moved', to, text: `${round}` }))
    await eventually(
      'some to be sent',
      async () => arrivedFrom('moved').length,
      (count) => count > 5,
    )
    const changed = await update('moved', { settings: { after_seconds: 0.1 } })
    assert.equal(changed.status, 'connected')
    assert.ok(changed.connected_at !== null && changed.connected_at !== connected_at, 'it connected anew')
    for (const { id } of sent) {
      const { attempts } = await reaches(admin, id, 'delivered')
      assert.equal(attempts, 1)
    }
    const arrived = arrivedFrom('moved')
    assert.ok(arrived.every(({ repeat }) => !repeat))
    for (const to of people)
      assert.deepEqual(
        arrived.filter((line) => line.to === to).map((line) => line.text),
        ['0', '1', '2', '3', '4'],
      )
  })
})

test('labels are merged, null removes one, and events have them from then on', async () => {
  const { admin } = posthorn
  const metadata = { department: 'support', ticket: '4711' }
  await admin.call(createInstance, {
    body: { name: 'labelled', network: 'sandbox', metadata },
    waitSeconds: 20,
  })
  const { connected_at } = await read('labelled')
  const before = await text(admin, { instance: 'labelled', to: 'ana@delivers.sandbox' }, 20)
  await reaches(admin, before.id, 'delivered')
  const changed = await update('labelled', { metadata: { ticket: null, city: 'Ulm' } })
  assert.deepEqual(changed.metadata, { department: 'support', city: 'Ulm' })
  assert.equal(changed.connected_at, connected_at)
  const later = await text(admin, { instance: 'labelled', to: 'ana@delivers.sandbox' }, 20)
  await reaches(admin, later.id, 'delivered')
  const events = await allEvents(admin, { instances: ['labelled'] })
  const told = events.flatMap(({ type, data }) => {
    if (!type.startsWith('message.')) return []
    const { instance, message } = data as MessageEventData
    return [`${message.id === before.id} ${JSON.stringify(instance.metadata)}`]
  })
  assert.deepEqual(
    [...new Set(told)],
    [`true ${JSON.stringify(metadata)}`, `false ${JSON.stringify(changed.metadata)}`],
  )
  const updated = events.flatMap(({ type, data }) =>
    type === 'instance.updated' ? [(data as InstanceEventData).instance.metadata] : [],
  )
  assert.deepEqual(updated, [changed.metadata])
})

test('the same change again changes nothing more, and is in the audit log', async () => {
  await create(posthorn.admin, 'again')
  const body = { settings: { after_seconds: 0.1 }, metadata: { city: 'Ulm' } }
  const { connected_at } = await update('again', body)
  // The account that the new connection shows may be stored after the first answer, but not after the second.
  const second = await update('again', body)
  const third = await update('again', body)
  assert.deepEqual(
    [third.updated_at, second.connected_at, third.connected_at, third.metadata],
    [second.updated_at, connected_at, connected_at, { city: 'Ulm' }],
  )
  assert.equal((await typesOf('again')).filter((type) => type === 'instance.updated').length, 1)
  const { data } = (await posthorn.admin.call(listAudit, { query: { action: 'updateInstance' } })).body
  assert.deepEqual(
    data.flatMap(({ instance, result }) => (instance === 'again' ? [result] : [])),
    ['done', 'done', 'done'],
  )
})

test('ten changes at once are all there in the end', async () => {
  await create(posthorn.admin, 'busy')
  const seconds = [0.1, 0.2]
  await Promise.all([
    ...numbered(8).map((index) => update('busy', { metadata: { [`label_${index}`]: 'x' } })),
    ...seconds.map((after_seconds) => update('busy', { settings: { after_seconds } })),
  ])
  const { metadata, settings, status } = await read('busy')
  assert.deepEqual(
    Object.keys(metadata).toSorted(),
    numbered(8).map((index) => `label_${index}`),
  )
  assert.ok(seconds.some((each) => each === settings.after_seconds))
  assert.equal(status, 'connected')
  const sent = await text(posthorn.admin, { instance: 'busy', to: 'ana@delivers.sandbox' })
  await reaches(posthorn.admin, sent.id, 'delivered')
})

describe('while an account is being linked', () => {
  const linking = { link: 'qr', links_after_seconds: 3600 }

  test('a label changes nothing about the link; another setting makes a new code', async () => {
    const { admin } = posthorn
    await create(admin, 'linking', { account: 'linking', ...linking })
    const linkNow = async () => (await admin.call(getInstanceStatus, at('linking'))).body.link?.value
    const first = await linkNow()
    assert.ok(first)
    assert.equal((await update('linking', { metadata: { city: 'Ulm' } })).status, 'awaiting_link')
    assert.equal(await linkNow(), first)
    const waiting = await text(admin, { instance: 'linking', to: 'ana@delivers.sandbox' })
    assert.equal((await update('linking', { settings: { links_after_seconds: 1 } })).status, 'awaiting_link')
    assert.notEqual(await linkNow(), first)
    await reaches(admin, waiting.id, 'delivered')
  })
})

describe('an instance without a connection', () => {
  test('that has failed connects with other settings, and sends what waited', async () => {
    const { admin } = posthorn
    const { status } = await create(admin, 'failed', { account: 'failed', behaviour: 'refuses_client' })
    assert.equal(status, 'failed')
    const waiting = await text(admin, { instance: 'failed', to: 'ana@delivers.sandbox' })
    const labelled = await update('failed', { metadata: { city: 'Ulm' } })
    assert.equal(labelled.status, 'failed', 'a label is no reason to try again')
    const changed = await update('failed', { settings: { behaviour: null } })
    assert.deepEqual([changed.status, changed.settings], ['connected', { account: 'failed' }])
    await reaches(admin, waiting.id, 'delivered')
  })

  test('that was stopped stays stopped', async () => {
    await create(posthorn.admin, 'stopped')
    await posthorn.admin.call(stopInstance, at('stopped'))
    assert.equal((await update('stopped', { settings: { after_seconds: 0.1 } })).status, 'stopped')
  })

  test('that waits for its next attempt does not wait any longer', async () => {
    const settings = { account: 'waiting', behaviour: 'unreachable' }
    await posthorn.admin.call(createInstance, { body: { name: 'waiting', settings } })
    const follower = new Follower(posthorn.admin, 'waiting')
    await follower.status('reconnecting')
    const { status } = await update('waiting', { settings: { behaviour: null } })
    assert.equal(status, 'connected')
    follower.leave()
  })
})

describe('what cannot be changed', () => {
  before(() => create(posthorn.admin, 'strict', { account: 'strict' }))

  test('says so, and nothing changes', async () => {
    const { updated_at } = await read('strict')
    assert.deepEqual(await refusal('strict', { settings: { account: 'other' } }), [
      '400 invalid_request',
      '/settings/account not_changeable',
    ])
    const body = { name: 'a', network: 'xmpp', credentials: { token: 'x' } }
    assert.deepEqual(await refusal('strict', body), [
      '400 invalid_request',
      '/name not_changeable',
      '/network not_changeable',
      '/credentials not_changeable',
    ])
    assert.deepEqual(await refusal('strict', { settings: { after_second: 1 } }), [
      '400 invalid_request',
      '/settings/after_second unknown_field',
    ])
    assert.deepEqual(await refusal('strict', { settings: { links_after_seconds: 1 } }), [
      '400 invalid_request',
      '/settings/links_after_seconds requires_link',
    ])
    const many = Object.fromEntries(numbered(21).map((index) => [`label_${index}`, 'x']))
    assert.deepEqual(await refusal('strict', { metadata: many }), [
      '400 invalid_request',
      '/metadata too_many',
    ])
    assert.equal((await read('strict')).updated_at, updated_at)
  })

  test('is not there for a key of other instances, nor for one that only sends', async () => {
    const { key: limited } = await posthorn.createKey('default', 'admin', { instances: ['paced'] })
    const { key: sending } = await posthorn.createKey('default', 'send')
    const body = { metadata: { city: 'Ulm' } }
    assert.deepEqual(await refusal('strict', body, posthorn.client(limited)), ['404 instance_not_found'])
    assert.deepEqual(await refusal('strict', body, posthorn.client(sending)), ['403 forbidden'])
    assert.deepEqual(await refusal('nobodys', body), ['404 instance_not_found'])
    const own = await posthorn.createKey('default', 'admin', { instances: ['strict'] })
    assert.deepEqual((await update('strict', body, posthorn.client(own.key))).metadata, body.metadata)
  })

  test('is an instance that is being removed', async () => {
    await create(posthorn.admin, 'leaving', { account: 'leaving' })
    await posthorn.admin.call(deleteInstance, at('leaving'))
    const [first] = await refusal('leaving', { metadata: { city: 'Ulm' } })
    assert.match(first ?? '', /^(404 instance_not_found|409 instance_deleting)$/)
  })
})
