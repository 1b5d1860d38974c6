import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import {
  createInstance,
  getInstanceStatus,
  restartInstance,
} from '../../src/contract/operations/instance-operations.ts'
import { getLink } from '../../src/contract/operations/link-operations.ts'
import {
  becomes,
  environmentFor,
  linkByPicture,
  relink,
  scanPicture,
  unpaced,
} from '../kit/networks/whatsapp-stage.ts'
import { isWorker, workersOf } from '../kit/networks/whatsapp-workers.ts'
import { eventually, reaches, text } from '../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../kit/posthorn.ts'
import { residentMemory } from '../kit/resident-memory.ts'
import { startWhatsApp, type WhatsAppProcess } from '../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const people = ['4915100000011', '4915100000012', '4915100000013']

describe('processes that end without a word', { timeout: 300_000 }, () => {
  const data = freshFolder()
  let whatsapp: WhatsAppProcess
  let posthorn: PosthornProcess

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
          whatsapp.control.scan({ person: phone, qr: link.body.value }).catch(() => undefined)
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
