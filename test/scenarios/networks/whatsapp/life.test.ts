import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import {
  deleteInstance,
  restartInstance,
  startInstance,
} from '../../../../src/contract/operations/instance-operations.ts'
import { logOutInstance } from '../../../../src/contract/operations/link-operations.ts'
import { problemOf } from '../../../kit/http/problem-of.ts'
import {
  becomes,
  hastyDriver,
  linkByPicture,
  onlyWhatsApp,
  relink,
} from '../../../kit/networks/whatsapp/stage.ts'
import { workersOf } from '../../../kit/networks/whatsapp/workers.ts'
import { eventually, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const desk = '4915100000002'
const ana = '4915100000003'

describe('the life of a link', { timeout: 300_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    const driver = hastyDriver(whatsapp, { beat: 700 })
    posthorn = await startPosthorn({ drivers: [driver], environment: onlyWhatsApp })
    for (const phone of [shop, desk, ana]) await whatsapp.control.createPerson({ phone })
    await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
    await linkByPicture({ whatsapp, posthorn }, { name: 'desk', phone: desk })
  })
  after(async () => {
    await posthorn?.stop()
    await whatsapp?.stop()
  })

  const begun = (name: string) => posthorn.admin.call(startInstance, { params: { name }, waitSeconds: 20 })
  const arrives = async (words: string, instance = 'shop') => {
    const { id } = await text(posthorn.admin, { instance, to: `+${ana}`, text: words })
    await reaches(posthorn.admin, id, 'delivered')
    const seen = await whatsapp.control.received({ person: ana })
    assert.equal(seen.filter((each) => each.text === words).length, 1)
  }
  /** Waits until the instance has lost its connection, and has another. */
  const recovers = async (name: string, happen: () => Promise<unknown>) => {
    // Earlier events must not make it wait.
    await begun(name)
    const { opened } = await whatsapp.control.streams({})
    await happen()
    const streams = () => whatsapp.control.streams({})
    await eventually('another stream', streams, (now) => now.opened > opened)
    await becomes(posthorn, name, 'connected')
  }

  for (const [what, fault] of [
    ['WhatsApp cuts the line', { kind: 'cut' }],
    ['WhatsApp closes it', { kind: 'close' }],
    ['WhatsApp ends the stream', { kind: 'stream-error', name: 'xmlstreamend' }],
    ['WhatsApp restarts', { kind: 'stream-error', name: '515' }],
    ['WhatsApp fails', { kind: 'stream-error', name: '500' }],
    ['WhatsApp has no capacity', { kind: 'stream-error', name: '503' }],
    ['WhatsApp misses an ack', { kind: 'stream-error', name: 'ack' }],
    ['something comes that nobody can decrypt', { kind: 'garbage' }],
  ] as const) {
    test(`${what}: it connects again by itself, with its keys, and the neighbour does not notice`, async () => {
      const [before] = await whatsapp.control.devices({ person: desk, connected: 1 })
      await recovers('shop', () => whatsapp.control.disturb({ person: shop, fault }))
      await arrives(`After this: ${what}`)
      const [now] = await whatsapp.control.devices({ person: desk, connected: 1 })
      assert.equal(now?.logins, before?.logins)
    })
  }

  for (const [code, status, reason] of [
    [403, 'failed', 'account_locked'],
    [406, 'failed', 'account_banned'],
    [405, 'failed', 'client_outdated'],
    [409, 'failed', 'client_outdated'],
    [402, 'failed', 'temporarily_banned'],
    [418, 'failed', 'refused_by_whatsapp'],
    [500, 'reconnecting', 'server_error'],
    [503, 'reconnecting', 'service_unavailable'],
  ] as const) {
    test(`a login that is refused with ${code} makes it ${status}, and its keys are kept`, async () => {
      const refuse = { kind: 'refuse', code, attributes: { expire: '3600' } } as const
      await whatsapp.control.fault({ on: 'login', account: shop, fault: refuse })
      await posthorn.admin.call(restartInstance, { params: { name: 'shop' } })
      const found = await becomes(posthorn, 'shop', status)
      assert.equal(found.reason?.code, reason)
      if (code === 402) assert.equal(found.restriction?.code, 'temporarily_banned')
      await begun('shop')
      const { restriction } = await becomes(posthorn, 'shop', 'connected')
      assert.equal(restriction, null)
    })
  }

  test('somebody else uses the link: it does not fight', async () => {
    await whatsapp.control.replace({ person: shop })
    const { reason, next_attempt_at } = await becomes(posthorn, 'shop', 'reconnecting')
    assert.equal(reason?.code, 'replaced')
    assert.ok(Date.parse(next_attempt_at ?? '') - Date.now() > 25_000, String(next_attempt_at))
    await posthorn.admin.call(restartInstance, { params: { name: 'shop' }, waitSeconds: 20 })
    await arrives('We have it back.')
  })

  test('its worker is killed: both instances come back by themselves, and say why they were gone', async () => {
    const [worker] = workersOf(process.pid)
    assert.ok(worker)
    process.kill(worker, 'SIGKILL')
    const lost = await becomes(posthorn, 'shop', 'reconnecting')
    assert.equal(lost.reason?.code, 'worker_crashed')
    for (const name of ['shop', 'desk']) await becomes(posthorn, name, 'connected')
    await arrives('From another process.')
  })

  test('its worker does not answer any more: it is ended, and another takes over', async () => {
    const [worker] = workersOf(process.pid)
    assert.ok(worker)
    process.kill(worker, 'SIGSTOP')
    const lost = await becomes(posthorn, 'shop', 'reconnecting')
    assert.equal(lost.reason?.code, 'worker_silent')
    for (const name of ['shop', 'desk']) await becomes(posthorn, name, 'connected')
    assert.equal(workersOf(process.pid).includes(worker), false)
    await arrives('The stopped one is gone.')
  })

  test('a worker knows no secret of the environment, and no setting that weakens TLS', () => {
    const [worker] = workersOf(process.pid)
    const names = readFileSync(`/proc/${worker}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0])
    const known = ['PATH', 'TZ', 'NODE_EXTRA_CA_CERTS', 'NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', '']
    const ipc = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE']
    assert.deepEqual(
      names.filter((name) => ![...known, ...ipc].includes(name ?? '')),
      [],
    )
  })

  test('logged out: the phone no longer lists it; the queue waits, and goes on when it is linked again', async () => {
    const out = await posthorn.admin.call(logOutInstance, { params: { name: 'shop' } })
    assert.deepEqual([out.body.status, out.body.reason?.code], ['logged_out', 'logged_out_by_request'])
    assert.equal((await whatsapp.control.devices({ person: shop })).length, 0)
    const queued = await text(posthorn.admin, { instance: 'shop', to: `+${ana}`, text: 'Later.' })
    await relink({ whatsapp, posthorn }, { name: 'shop', phone: shop })
    await reaches(posthorn.admin, queued.id, 'delivered')
  })

  test('a person removes it on the phone: it is logged out, and can be linked again', async () => {
    const [device] = await whatsapp.control.devices({ person: shop, connected: 1 })
    await whatsapp.control.unlink({ person: shop, device: device?.device ?? 0 })
    const { reason } = await becomes(posthorn, 'shop', 'logged_out')
    assert.equal(reason?.code, 'logged_out')
    await relink({ whatsapp, posthorn }, { name: 'shop', phone: shop })
    await arrives('Linked for the third time.')
  })

  test('WhatsApp does not answer: a logout says so, and changes nothing', async () => {
    await whatsapp.control.fault({ on: 'iq', xmlns: 'md', fault: { kind: 'drop' } })
    const refused = await problemOf(posthorn.admin.call(logOutInstance, { params: { name: 'shop' } }))
    assert.equal(refused.code, 'instance_not_connected')
    assert.match(refused.problem.detail, /did not confirm/)
    assert.equal((await whatsapp.control.devices({ person: shop })).length, 1)
  })

  test('removed while WhatsApp cannot be reached: it is unlinked as soon as it can', async () => {
    await whatsapp.control.fault({
      on: 'login',
      account: desk,
      times: 2,
      fault: { kind: 'refuse', code: 503 },
    })
    await posthorn.admin.call(restartInstance, { params: { name: 'desk' } })
    await becomes(posthorn, 'desk', 'reconnecting')
    await posthorn.admin.call(deleteInstance, { params: { name: 'desk' } })
    const devices = () => whatsapp.control.devices({ person: desk })
    await eventually('no device', devices, (found) => found.length === 0)
  })

  test('removed while it is connected: the phone no longer lists it', async () => {
    await posthorn.admin.call(deleteInstance, { params: { name: 'shop' } })
    const devices = () => whatsapp.control.devices({ person: shop })
    await eventually('no device', devices, (found) => found.length === 0)
  })
})
