import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import {
  createInstance,
  getInstanceStatus,
  restartInstance,
} from '../../../../src/contract/operations/instance-operations.ts'
import { getLink } from '../../../../src/contract/operations/link-operations.ts'
import { getMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import {
  becomes,
  environmentFor,
  linkByPicture,
  relink,
  scanPicture,
  unpaced,
} from '../../../kit/networks/whatsapp/stage.ts'
import { isWorker, workersOf } from '../../../kit/networks/whatsapp/workers.ts'
import { eventually, reaches, text } from '../../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../../kit/posthorn.ts'
import { residentMemory } from '../../../kit/resident-memory.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const people = ['4915100000011', '4915100000012', '4915100000013']

describe('processes that end without a word', { timeout: 300_000 }, () => {
  const data = freshFolder()
  let whatsapp: WhatsAppProcess
  let posthorn: PosthornProcess
  let unknownSenders = 0

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    for (const phone of [shop, ...people]) await whatsapp.control.createPerson({ phone })
    posthorn = await spawnPosthorn(data, environmentFor(whatsapp))
    await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
  })
  after(async () => {
    await posthorn?.end('SIGKILL')
    await whatsapp?.stop()
    rmSync(data, { recursive: true, force: true })
  })

  const start = async () => {
    posthorn = await spawnPosthorn(data, environmentFor(whatsapp))
  }
  const newPeople = async (count: number) => {
    const phones = Array.from(
      { length: count },
      () => `49151000001${String(unknownSenders++).padStart(2, '0')}`,
    )
    for (const phone of phones) await whatsapp.control.createPerson({ phone })
    return phones as [string, string]
  }
  const messageOf = async (id: string) => (await posthorn.admin.call(getMessage, { params: { id } })).body
  const isSent = ({ status }: Message) => ['sent', 'delivered', 'read'].includes(status)
  const gone = (workers: readonly number[]) =>
    eventually(
      'the end of its workers',
      async () => workers.filter(isWorker),
      (left) => left.length === 0,
    )

  test('a worker is killed while it sends: every message arrives once and in order, and is delivered', async () => {
    const sent: { id: string; to: string; words: string }[] = []
    for (let number = 0; number < 60; number++) {
      const to = people[number % people.length] ?? ''
      const words = `In flight ${number}`
      sent.push({
        id: (await text(posthorn.admin, { instance: 'shop', to: `+${to}`, text: words })).id,
        to,
        words,
      })
      if (number % 20 !== 10) continue
      const [worker] = workersOf(posthorn.pid)
      if (worker !== undefined) process.kill(worker, 'SIGKILL')
    }
    for (const { id } of sent) await reaches(posthorn.admin, id, 'delivered')
    for (const person of people) {
      const seen = await whatsapp.control.received({ person })
      const wanted = sent.filter(({ to }) => to === person)
      assert.deepEqual(
        seen.map((each) => each.text),
        wanted.map(({ words }) => words),
      )
      const { reusedKeys, undecryptable } = await whatsapp.control.trouble({ person })
      assert.deepEqual({ reusedKeys, undecryptable }, { reusedKeys: 0, undecryptable: 0 })
    }
  })

  test('the server is killed: its workers end, and with the next one the account is there again', async () => {
    const workers = workersOf(posthorn.pid)
    assert.equal(workers.length, 1)
    await posthorn.end('SIGKILL')
    await gone(workers)
    await start()
    await becomes(posthorn, 'shop', 'connected')
  })

  test('the server is killed while its worker stands still: the worker ends nevertheless', async () => {
    const workers = workersOf(posthorn.pid)
    for (const worker of workers) process.kill(worker, 'SIGSTOP')
    await posthorn.end('SIGKILL')
    await gone(workers)
    await start()
    await becomes(posthorn, 'shop', 'connected')
  })

  test('all processes are told to end: the worker goes on until the server no longer needs it', async () => {
    const [worker = 0] = workersOf(posthorn.pid)
    const [before] = await whatsapp.control.devices({ person: shop })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(worker, signal)
    const [to = ''] = people
    const { id } = await text(posthorn.admin, { instance: 'shop', to: `+${to}` })
    await reaches(posthorn.admin, id, 'delivered')
    const [now] = await whatsapp.control.devices({ person: shop })
    assert.deepEqual([workersOf(posthorn.pid), now?.logins], [[worker], before?.logins])
  })

  test('the server is killed: devices that could not decrypt get from the next one what they ask for, each once', async () => {
    const [ana, ben] = await newPeople(2)
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [ana, ben, shop] })
    const say = async (to: string, words: string) => {
      const { id } = await text(posthorn.admin, { instance: 'shop', to, text: words })
      await eventually(`“${words}” to be sent`, () => messageOf(id), isSent)
      return id
    }
    await say(`+${ana}`, 'Before')
    await say(`${group}@g.us`, 'Before, to all')
    const away = [ana, ben, shop]
    for (const person of away) await whatsapp.control.change({ person, isAway: true })
    const [{ device } = { device: 0 }] = await whatsapp.control.devices({ person: shop })
    for (const person of [ana, shop]) await whatsapp.control.loseSession({ person, with: shop, device })
    await whatsapp.control.loseGroupKey({ group, person: ben, of: shop, device })
    const inGroup = await say(`${group}@g.us`, 'To all')
    const texts = [await say(`+${ana}`, 'The first'), await say(`+${ana}`, 'The second')]
    await posthorn.end('SIGKILL')
    for (const person of away) await whatsapp.control.change({ person, isAway: false })
    const asked = async () => (await whatsapp.control.devices({ person: shop }))[0]?.waiting ?? 0
    await eventually('what they ask for', asked, (count) => count >= 6)
    await start()
    const shown = (person: string, from: object) => whatsapp.control.received({ person, ...from })
    const wordsOf = (seen: readonly { text?: string }[]) => seen.map(({ text: words }) => words).toSorted()
    const all = ['Before', 'The first', 'The second']
    assert.deepEqual(wordsOf(await shown(ana, { chat: shop, count: 3 })), all)
    assert.deepEqual(wordsOf(await shown(shop, { chat: ana, count: 3 })), all)
    assert.deepEqual(wordsOf(await shown(ben, { chat: group, count: 2 })), ['Before, to all', 'To all'])
    for (const id of [...texts, inGroup]) await reaches(posthorn.admin, id, 'delivered')
    const { reusedKeys } = await whatsapp.control.trouble({ person: ana })
    assert.equal(reusedKeys, 0)
  })

  test('the server is killed as soon as a privacy token is taken: the next one sends it', async () => {
    const [ana] = await newPeople(1)
    await whatsapp.control.change({ person: ana, demandsToken: true })
    await whatsapp.control.trust({ person: ana, other: shop })
    const waiting = async () => (await whatsapp.control.devices({ person: shop }))[0]?.waiting
    await eventually('the token to be taken', waiting, (count) => count === 0)
    await posthorn.end('SIGKILL')
    await start()
    const { id } = await text(posthorn.admin, { instance: 'shop', to: `+${ana}`, text: 'With your token' })
    await reaches(posthorn.admin, id, 'delivered')
  })

  test('a server that stops leaves no worker', async () => {
    const workers = workersOf(posthorn.pid)
    assert.equal(workers.length, 1)
    assert.equal(await posthorn.end('SIGTERM'), 0)
    await gone(workers)
    await start()
    await becomes(posthorn, 'shop', 'connected')
  })

  test('an instance that is restarted again and again has one worker, which does not grow', async (context) => {
    const restart = async () => {
      await posthorn.admin.call(restartInstance, { params: { name: 'shop' }, waitSeconds: 20 })
      await becomes(posthorn, 'shop', 'connected')
    }
    for (let time = 0; time < 5; time++) await restart()
    const [worker = 0] = workersOf(posthorn.pid)
    const early = residentMemory(worker)
    for (let time = 0; time < 30; time++) await restart()
    assert.deepEqual(workersOf(posthorn.pid), [worker])
    const late = residentMemory(worker)
    context.diagnostic(
      `the worker has ${Math.round(early / 2 ** 20)} MiB after 5 restarts, and ${Math.round(late / 2 ** 20)} after 35`,
    )
    assert.ok(late - early < 40 * 2 ** 20, `it grew by ${late - early} bytes`)
    assert.doesNotMatch(posthorn.output(), /MaxListenersExceeded/)
  })

  for (const [index, [moment, reach]] of (
    [
      ['before the code is scanned', async () => {}],
      [
        'right after the code is scanned',
        async (name, phone) => {
          const link = await posthorn.admin.call(getLink, { params: { name } })
          // The phone waits for what the client signs, which may not come.
          whatsapp.control.scan({ person: phone, qr: link.body.link?.value ?? '' }).catch(() => undefined)
        },
      ],
      [
        'after the phone has linked it, before it logs in',
        async (name, phone) => {
          const { opened } = await whatsapp.control.streams({})
          await whatsapp.control.fault({ on: 'login', account: phone, fault: { kind: 'stall' } })
          await scanPicture({ whatsapp, posthorn }, { name, phone })
          const streams = () => whatsapp.control.streams({})
          await eventually('the login', streams, (now) => now.opened > opened)
        },
      ],
      [
        'as soon as it is connected',
        async (name, phone) => {
          await scanPicture({ whatsapp, posthorn }, { name, phone })
          await becomes(posthorn, name, 'connected')
        },
      ],
    ] as [string, (name: string, phone: string) => Promise<void>][]
  ).entries()) {
    test(`the server is killed ${moment}: it is linked afterwards, or one order links it`, async (context) => {
      const [name, phone] = [`pairing-${index}`, `491510000002${index}`]
      await whatsapp.control.createPerson({ phone })
      const body = { name, network: 'whatsapp', settings: unpaced }
      await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
      await becomes(posthorn, name, 'awaiting_link')
      await reach(name, phone)
      await posthorn.end('SIGKILL')
      await start()
      const found = await eventually(
        'an end of its first attempt',
        async () => (await posthorn.admin.call(getInstanceStatus, { params: { name } })).body,
        ({ status }) => !['connecting', 'reconnecting'].includes(status),
      )
      context.diagnostic(`afterwards it is ${found.status} (${found.reason?.code ?? 'no reason'})`)
      if (found.status !== 'connected') await relink({ whatsapp, posthorn }, { name, phone })
      const [to = ''] = people
      const { id } = await text(posthorn.admin, { instance: name, to: `+${to}`, text: moment })
      await reaches(posthorn.admin, id, 'delivered')
    })
  }
})
