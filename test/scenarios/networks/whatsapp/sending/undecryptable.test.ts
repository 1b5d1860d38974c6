import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { MessageEventData } from '../../../../../src/contract/resources/event.ts'
import type { Message } from '../../../../../src/contract/resources/message.ts'
import { allEvents } from '../../../../kit/http/feed.ts'
import { environmentFor, linkByPicture } from '../../../../kit/networks/whatsapp/stage.ts'
import { eventually, everythingReceived } from '../../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

/* A message that cannot be decrypted is seen as what it is, its sender is asked for it, and its content takes its place. */

const shop = '4915100000001'
const ana = '4915100000002'
const ben = '4915100000003'

let whatsapp: WhatsAppProcess
let posthorn: Posthorn

before(async () => {
  whatsapp = await startWhatsApp({ after: () => {} })
  posthorn = await startPosthorn({ environment: environmentFor(whatsapp) })
  for (const phone of [shop, ana, ben]) await whatsapp.control.createPerson({ phone })
  await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
})
after(async () => {
  await posthorn?.stop()
  await whatsapp?.stop()
})

type Writing = Parameters<WhatsAppProcess['control']['write']>[0]

const find = async (id: string) => {
  const received = await everythingReceived(posthorn.admin, 'shop')
  return received.filter(({ network_message_id: name }) => name?.startsWith(id))
}

/** The only message with this id of its sender, once it is as it must be. */
async function becomes(id: string, is: (message: Message) => boolean): Promise<Message> {
  const all = await eventually(
    `the message ${id}`,
    () => find(id),
    (found) => found.some(is),
  )
  assert.equal(all.length, 1)
  return all[0] ?? assert.fail()
}

const isUndecryptable = ({ kind, unsupported }: Message) =>
  kind === 'unsupported' && unsupported?.type === 'undecryptable'

/** Has a person write from a phone that is switched off at once: the message is spoiled, and cannot be sent again yet. */
async function writeSpoiled(writing: Writing): Promise<string> {
  await whatsapp.control.fault({ on: 'delivery', account: shop, fault: { kind: 'wrong-bytes' } })
  await whatsapp.control.change({ person: writing.from, isAway: true })
  return await whatsapp.control.write(writing)
}

/** The messages in all events of a type. */
async function announced(type: string): Promise<Message[]> {
  const events = (await allEvents(posthorn.admin)).filter((event) => event.type === type)
  return events.map(({ data }) => (data as MessageEventData).message)
}

/** Returns the confirmations of a message to WhatsApp. */
const settled = async (id: string) =>
  (await whatsapp.control.settled({ id })).map(({ type, error }) => (error ? `${type} ${error}` : type))

for (const [where, to] of [
  ['to the shop', async () => shop],
  ['in a group', () => whatsapp.control.createGroup({ subject: 'Market', members: [shop, ana, ben] })],
] as const)
  test(`what Ana writes ${where} and nobody can decrypt is told, asked for again, and replaced`, async () => {
    const place = await to()
    const before = await whatsapp.control.write({ from: ana, to: place, text: 'Before' })
    await becomes(before, ({ text }) => text === 'Before')
    const id = await writeSpoiled({ from: ana, to: place, text: 'Spoiled' })
    const told = await becomes(id, isUndecryptable)
    assert.deepEqual([told.from, told.text, told.caption], [`+${ana}`, undefined, undefined])
    await whatsapp.control.settled({ id, type: 'ack' })
    assert.deepEqual((await settled(id)).toSorted(), ['ack', 'retry'])
    await whatsapp.control.change({ person: ana, isAway: false })
    const whole = await becomes(id, ({ text }) => text === 'Spoiled')
    assert.deepEqual([whole.id, whole.kind, whole.unsupported], [told.id, 'text', null])
    await whatsapp.control.settled({ id, type: 'inactive' })
    const events = (await announced('message.received')).filter((message) => message.id === told.id)
    assert.deepEqual(
      events.map((message) => message.text ?? message.unsupported?.type),
      ['undecryptable', 'Spoiled'],
    )
  })

test('what the shop writes on its phone and nobody can decrypt is told as sent elsewhere, and replaced', async () => {
  const id = await writeSpoiled({ from: shop, to: ana, text: 'From the phone' })
  const sent = () => announced('message.sent_elsewhere')
  const isTold = (messages: Message[]) => messages.some(isUndecryptable)
  const [told] = await eventually('the message', sent, isTold)
  assert.equal(told?.network_message_id, id)
  await whatsapp.control.change({ person: shop, isAway: false })
  const all = await eventually('its text', sent, ({ length }) => length > 1)
  assert.deepEqual(
    all.map((message) => [message.id, message.text]),
    [
      [told.id, undefined],
      [told.id, 'From the phone'],
    ],
  )
})

test('what comes in an encryption that nobody knows is told, and acknowledged without an error', async () => {
  const id = await whatsapp.control.sendUnreadable({ from: ben, to: shop, what: 'unknown encryption' })
  await becomes(id, isUndecryptable)
  await whatsapp.control.settled({ id, type: 'ack' })
  assert.deepEqual((await settled(id)).toSorted(), ['ack', 'retry'])
})
