import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readMetrics } from '../../../kit/http/metrics.ts'
import { becomes, environmentFor, linkByPicture } from '../../../kit/networks/whatsapp/stage.ts'
import { workersOf } from '../../../kit/networks/whatsapp/workers.ts'
import { eventually, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { residentMemory } from '../../../kit/resident-memory.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const neighbour = '4915100000002'
const ana = '4915100000003'

const megabyte = 2 ** 20
const token = 'metrics-token-of-this-very-test-0'

/* The accounts of two organizations share one worker. The phone of one of them, or WhatsApp, sends what is small until it is unpacked. */

describe('what is small until it is unpacked', { timeout: 300_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn
  let log = ''
  let other: Posthorn['admin']

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    const environment = {
      ...environmentFor(whatsapp),
      POSTHORN_WHATSAPP_WORKERS: '1',
      POSTHORN_METRICS_TOKEN: token,
    }
    const write = (line: string) => {
      log += line
    }
    posthorn = await startPosthorn({ environment, log: { write } })
    await posthorn.createOrganization('other')
    other = posthorn.client((await posthorn.createKey('other', 'admin')).key)
    for (const phone of [shop, neighbour, ana]) await whatsapp.control.createPerson({ phone })
    await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
    await linkByPicture({ whatsapp, posthorn: { admin: other } }, { name: 'neighbour', phone: neighbour })
  })
  after(async () => {
    await posthorn?.stop()
    await whatsapp?.stop()
  })

  const dropped = async (what: string) => {
    const metrics = await readMetrics(posthorn.url, token)
    const line = new RegExp(`^posthorn_whatsapp_dropped_total\\{what="${what}"\\} (\\d+)$`, 'm').exec(metrics)
    return Number(line?.[1] ?? 0)
  }
  const says = async (client: Posthorn['admin'], instance: string, words: string) => {
    const { id } = await text(client, { instance, to: `+${ana}`, text: words })
    await reaches(client, id, 'delivered')
  }

  for (const { title, what, count, act } of [
    {
      title: 'a history of 100 KB that unfolds to 100 MB of empty objects',
      what: 'history',
      count: 8,
      act: async () => {
        const id = await whatsapp.control.throwHistory({ person: shop, bytes: 100 * megabyte })
        await whatsapp.control.settled({ id, type: 'ack' })
      },
    },
    {
      title: 'a history with more objects than bytes could tell',
      what: 'history',
      count: 8,
      act: async () => {
        const id = await whatsapp.control.throwHistory({ person: shop, bytes: 2 * megabyte })
        await whatsapp.control.settled({ id, type: 'ack' })
      },
    },
    {
      title: 'a message of the own phone of 3 MB of empty objects',
      what: 'message',
      count: 4,
      act: async () => {
        const id = await whatsapp.control.throwMessage({ person: shop, bytes: 3 * megabyte })
        await whatsapp.control.settled({ id, type: 'ack' })
      },
    },
    {
      title: 'a message of the own phone of half a megabyte of empty objects',
      what: 'message',
      count: 8,
      act: async () => {
        const id = await whatsapp.control.throwMessage({ person: shop, bytes: megabyte / 2 })
        await whatsapp.control.settled({ id, type: 'ack' })
      },
    },
  ]) {
    test(`${title} is dropped, counted and told: both accounts stay connected, and the neighbour’s texts go on`, async (context) => {
      const [worker = 0, ...more] = workersOf(process.pid)
      assert.deepEqual(more, [])
      const { opened } = await whatsapp.control.streams({})
      const before = { memory: residentMemory(worker), dropped: await dropped(what) }
      let memory = before.memory
      let thrown = 0
      const throwing = (async () => {
        for (; thrown < count; thrown++) await act()
      })()
      const watch = setInterval(() => {
        memory = Math.max(memory, residentMemory(worker))
      }, 10)
      try {
        for (let number = 0; number < 10; number++)
          await says(other, 'neighbour', `${title} does not stop ${number}`)
        context.diagnostic(`${thrown} of ${count} were taken before the neighbour had sent 10 texts`)
        await throwing
      } finally {
        clearInterval(watch)
      }
      context.diagnostic(`the worker grew by ${Math.round((memory - before.memory) / megabyte)} MiB`)
      assert.equal((await dropped(what)) - before.dropped, count)
      assert.ok(log.includes(`"what":"${what}"`), 'the log does not say so')
      assert.deepEqual(workersOf(process.pid), [worker])
      assert.equal((await whatsapp.control.streams({})).opened, opened)
      for (const [client, name] of [
        [posthorn.admin, 'shop'],
        [other, 'neighbour'],
      ] as const)
        await becomes({ admin: client }, name, 'connected')
      assert.ok(memory - before.memory < 128 * megabyte, `it grew by ${memory - before.memory} bytes`)
      await says(posthorn.admin, 'shop', `After ${title}`)
    })
  }

  test('a stanza that is compressed and unfolds to 100 MB, or to two million nodes, never came: nobody loses the connection', async () => {
    const [worker = 0] = workersOf(process.pid)
    const { opened } = await whatsapp.control.streams({})
    for (const bytes of [100 * megabyte, 6 * megabyte]) {
      const before = await dropped('stanza')
      await whatsapp.control.throwStanza({ person: shop, bytes })
      await says(other, 'neighbour', `While ${bytes} bytes come`)
      await eventually(
        'the stanza to be dropped',
        () => dropped('stanza'),
        (now) => now === before + 1,
      )
      await says(posthorn.admin, 'shop', `After ${bytes} bytes`)
    }
    assert.match(log, /"what":"stanza"/)
    assert.deepEqual(workersOf(process.pid), [worker])
    assert.equal((await whatsapp.control.streams({})).opened, opened)
  })
})
