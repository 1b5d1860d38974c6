import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startInstance, stopInstance } from '../../../../src/contract/operations/instance-operations.ts'
import type { ConnectContext } from '../../../../src/networks/driver/connection.ts'
import type { Driver } from '../../../../src/networks/driver/driver.ts'
import { becomes, hastyDriver, linkByPicture, onlyWhatsApp } from '../../../kit/networks/whatsapp/stage.ts'
import { workersOf } from '../../../kit/networks/whatsapp/workers.ts'
import { eventually, everythingReceived } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

/*
 * The incoming stream is cut at the worst moment: between the parts of a message, and while the mail that waited is still
 * being read.
 */

const shop = '4915100000001'
const ana = '4915100000002'
const ben = '4915100000003'
const killPatiently = { timeout: 120_000 }

let whatsapp: WhatsAppProcess
let posthorn: Posthorn
/** Called when keys of these types have just been stored. */
let stored: (types: ReadonlySet<string>) => Promise<void> | void = () => {}

/** The driver, which tells when keys were stored. */
function directed(driver: Driver): Driver {
  const connect = (context: ConnectContext) => {
    const { keys } = context
    const watched = {
      get: keys.get.bind(keys),
      set: async (changes: Parameters<typeof keys.set>[0]) => {
        await keys.set(changes)
        await stored(new Set(changes.map(({ type }) => type)))
      },
      clear: keys.clear.bind(keys),
    }
    return driver.connect({ ...context, keys: watched as typeof keys })
  }
  return { ...driver, connect }
}

before(async () => {
  whatsapp = await startWhatsApp({ after: () => {} })
  posthorn = await startPosthorn({
    drivers: [directed(hastyDriver(whatsapp, {}))],
    environment: onlyWhatsApp,
  })
  for (const phone of [shop, ana, ben]) await whatsapp.control.createPerson({ phone })
  await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
})
after(async () => {
  await posthorn?.stop()
  await whatsapp?.stop()
})

const textsOf = async () => (await everythingReceived(posthorn.admin, 'shop')).map(({ text }) => text ?? '')
const holds = (texts: readonly string[]) =>
  eventually('all texts', textsOf, (kept) => texts.every((text) => kept.includes(text)))

/** The worker is killed as soon as a message has changed its session, and nothing more of it is stored. */
function killAfterSession(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  stored = async (types) => {
    if (!types.has('session')) return
    stored = () => {}
    for (const worker of workersOf(process.pid)) process.kill(worker, 'SIGKILL')
    resolve()
    await new Promise(() => {})
  }
  return promise
}

test(
  'killed between the parts of somebody’s first message to a group, it reads that one and all others',
  killPatiently,
  async () => {
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [shop, ana, ben] })
    const killed = killAfterSession()
    const first = await whatsapp.control.write({ from: ana, to: group, text: 'First in the group' })
    await killed
    await becomes(posthorn, 'shop', 'connected')
    const ids = [first]
    const texts = ['First in the group']
    for (let each = 0; each < 5; each++) {
      texts.push(`Then ${each}`)
      ids.push(await whatsapp.control.write({ from: ana, to: group, text: `Then ${each}` }))
    }
    await holds(texts)
    for (const id of ids) {
      const settled = await whatsapp.control.settled({ id, type: 'ack' })
      const refused = settled.filter(({ type, error }) => type === 'retry' || error !== undefined)
      assert.deepEqual(refused, [], `${id} was asked for again`)
    }
  },
)

test('what people write while the mail that waited is being read comes after it', killPatiently, async () => {
  const wordsOf = (person: string, when: string) =>
    Array.from({ length: 15 }, (_, each) => `${person}, ${when}, ${each}`)
  await posthorn.admin.call(stopInstance, { params: { name: 'shop' }, waitSeconds: 20 })
  const people = [ana, ben]
  for (const from of people)
    for (const text of wordsOf(from, 'waiting')) await whatsapp.control.write({ from, to: shop, text })
  const live = people.flatMap((from) => wordsOf(from, 'live').map((text) => ({ from, to: shop, text })))
  await whatsapp.control.writeDuringDrain({ person: shop, writings: live })
  await posthorn.admin.call(startInstance, { params: { name: 'shop' }, waitSeconds: 20 })
  await holds(live.map(({ text }) => text))
  const kept = await textsOf()
  for (const person of people)
    assert.deepEqual(
      kept.filter((text) => text.startsWith(person)),
      [...wordsOf(person, 'waiting'), ...wordsOf(person, 'live')],
    )
})
