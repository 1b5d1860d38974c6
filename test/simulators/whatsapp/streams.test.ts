import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Client, startClient } from './foreign/start-client.ts'
import { startWhatsApp, type WhatsAppProcess } from './start-whatsapp.ts'

const anna = '4915100000001'
const ben = '4915100000002'

const attrsOf = ({ attrs }: Record<string, unknown>) => attrs as Record<string, string>
const idOf = ({ key }: Record<string, unknown>) => (key as { id: string }).id

describe('a stream of a client by Baileys', { timeout: 120_000 }, () => {
  const ends: (() => Promise<void>)[] = []
  const t = { after: (end: () => Promise<void>) => void ends.push(end) }
  let whatsapp: WhatsAppProcess
  let client: Client
  let benLid: string

  before(async () => {
    whatsapp = await startWhatsApp(t)
    const { control, url, caFile } = whatsapp
    await control.createPerson({ phone: anna })
    benLid = `${await control.createPerson({ phone: ben })}@lid`
    client = startClient(t, 'baileys-client.ts', { args: [url, caFile], caFile })
    const { qr } = await client.until('qr')
    await control.scan({ person: anna, qr: String(qr) })
    await client.until('open')
    await control.devices({ person: anna, connected: 1 })
  })
  after(async () => {
    for (const end of ends.reverse()) await end()
  })

  const reconnect = async () => {
    const from = client.events.length
    await client.call('reconnect')
    await client.until('open', undefined, from)
    await whatsapp.control.devices({ person: anna, connected: 1 })
  }
  const say = async (text: string) =>
    String((await client.call('send', { to: benLid, content: { text } })).id)
  const acked = (id: string) => client.until('ack', (ack) => attrsOf(ack).id === id)
  const hears = (id: string) => client.until('message', (message) => idOf(message) === id)

  test('brings a message twice, and one late', async () => {
    const { control } = whatsapp
    await control.fault({ on: 'delivery', account: anna, fault: { kind: 'twice' } })
    const twice = await control.write({ from: ben, to: anna, text: 'Twice' })
    await control.fault({ on: 'delivery', account: anna, fault: { kind: 'delay', milliseconds: 300 } })
    const late = await control.write({ from: ben, to: anna, text: 'Late' })
    const early = await control.write({ from: ben, to: anna, text: 'Early' })
    for (const id of [twice, early, late]) await hears(id)
    const order = client.events.filter(({ event }) => event === 'message').map(idOf)
    assert.ok(order.indexOf(early) < order.indexOf(late))
  })

  test('routes a message of the client twice, which its receiver shows once', async () => {
    const { control } = whatsapp
    await control.fault({ on: 'message', account: anna, fault: { kind: 'twice' } })
    const id = await say('Once')
    await control.arrived({ person: ben, times: 2 })
    const [seen] = await control.received({ person: ben, from: anna, count: 1 })
    assert.deepEqual([seen?.id, seen?.copies], [id, 2])
  })

  test('takes time for everything that it says', async () => {
    await whatsapp.control.disturb({ person: anna, fault: { kind: 'slow', milliseconds: 300 } })
    const begun = performance.now()
    await acked(await say('Slowly'))
    assert.ok(performance.now() - begun >= 300)
    await whatsapp.control.disturb({ person: anna, fault: { kind: 'slow', milliseconds: 0 } })
  })

  test('brings a large node that no client asked for, and goes on', async () => {
    await whatsapp.control.disturb({ person: anna, fault: { kind: 'huge', bytes: 4_000_000 } })
    await acked(await say('After a large node'))
  })

  test('says nothing any more, and a new one does', async () => {
    await whatsapp.control.disturb({ person: anna, fault: { kind: 'stall' } })
    const id = await say('Into the void')
    await client.call('close')
    await whatsapp.control.streams({ most: 0 })
    assert.equal(await whatsapp.control.messages({ id }), 0)
    await reconnect()
    await acked(await say('Heard again'))
  })

  test('carries contents that clients do not know', async () => {
    const { control } = whatsapp
    const poll = { question: 'When?', options: ['Now', 'Later'] }
    const asked = await hears(await control.write({ from: ben, to: anna, poll }))
    assert.equal(
      (asked.message as { pollCreationMessageV3: { name: string } }).pollCreationMessageV3.name,
      'When?',
    )
    const future = await control.write({ from: ben, to: anna, future: 'A hologram' })
    await control.settled({ id: future, type: 'inactive' })
  })

  for (const sealed of [true, false]) {
    test(`brings a frame that is no node, ${sealed ? 'encrypted' : 'not even encrypted'}`, async () => {
      await whatsapp.control.disturb({ person: anna, fault: { kind: 'garbage', sealed } })
      await reconnect()
      await acked(await say('After garbage'))
    })
  }

  test('gives a client that is too old no answer but 405', async () => {
    const from = client.events.length
    await client.call('close')
    await whatsapp.control.set({ oldestVersion: '9.0.0' })
    await client.call('reconnect')
    await client.until('close', ({ code }) => code === 405, from)
    await whatsapp.control.set({ oldestVersion: '0' })
    await reconnect()
  })
})
