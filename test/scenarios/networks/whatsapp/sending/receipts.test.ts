import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { getMessage, markMessageRead } from '../../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../../src/contract/resources/message.ts'
import { whatsappIdOf } from '../../../../../src/networks/whatsapp/message-id.ts'
import { becomes, environmentFor, linkByPicture } from '../../../../kit/networks/whatsapp/stage.ts'
import { eventually, everythingReceived, reaches, text } from '../../../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn, startPosthorn } from '../../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'

/* The phones are off, so that the only receipts are those of the play. */

describe('receipts for what the shop has sent', { timeout: 180_000 }, () => {
  const data = freshFolder()
  let whatsapp: WhatsAppProcess
  let posthorn: PosthornProcess
  let people = 0

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    posthorn = await spawnPosthorn(data, environmentFor(whatsapp))
    await whatsapp.control.createPerson({ phone: shop })
    await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
  })
  after(async () => {
    await posthorn?.end('SIGKILL')
    await whatsapp?.stop()
    rmSync(data, { recursive: true, force: true })
  })

  type Confirming = Omit<Parameters<WhatsAppProcess['control']['confirm']>[0], 'person' | 'of' | 'ids'>

  const newPerson = async () => {
    people += 1
    const phone = `49151000004${String(people).padStart(2, '0')}`
    const lid = await whatsapp.control.createPerson({ phone })
    await whatsapp.control.change({ person: phone, isAway: true })
    return { phone, lid }
  }
  const start = async () => {
    posthorn = await spawnPosthorn(data, environmentFor(whatsapp))
    await becomes(posthorn, 'shop', 'connected')
  }
  const idAtWhatsApp = ({ id }: Message) => whatsappIdOf(id.replace(/^msg_/, ''))
  const sends = async (to: string) => {
    const message = await text(posthorn.admin, { instance: 'shop', to }, 20)
    assert.equal(message.status, 'sent', JSON.stringify(message.error))
    return message
  }
  const confirms = (person: string, messages: readonly Message[], how: Confirming = {}) =>
    whatsapp.control.confirm({ person, of: shop, ids: messages.map(idAtWhatsApp), ...how })
  const nothingWaits = () =>
    eventually(
      'every receipt to be acknowledged',
      () => whatsapp.control.devices({ person: shop }),
      (devices) => devices.every(({ waiting }) => waiting === 0),
    )

  test('of every type say how far it got, from the id for a message to the number and the reverse', async () => {
    const types = [
      [undefined, 'delivered'],
      ['inactive', 'delivered'],
      ['read', 'read'],
      ['played', 'read'],
    ] as const
    for (const addressing of ['lid', 'pn'] as const) {
      const { phone, lid } = await newPerson()
      const to = addressing === 'lid' ? `+${phone}` : `${lid}@lid`
      // So it is known that both are one person.
      await sends(`+${phone}`)
      for (const [type, status] of types) {
        const message = await sends(to)
        await confirms(phone, [message], { addressing, ...(type !== undefined && { type }) })
        await reaches(posthorn.admin, message.id, status)
      }
    }
    await nothingWaits()
  })

  test('that name many messages at once confirm each of them, and no other', async () => {
    const { phone } = await newPerson()
    const messages: Message[] = []
    for (let each = 0; each < 5; each++) messages.push(await sends(`+${phone}`))
    const [left = assert.fail(), ...read] = messages
    const foreign = Array.from({ length: 300 }, (_, each) => `3A${each}`)
    const ids = [...foreign, ...read.map(idAtWhatsApp)]
    await whatsapp.control.confirm({ person: phone, of: shop, ids, type: 'read' })
    for (const { id } of read) await reaches(posthorn.admin, id, 'read')
    await confirms(phone, [left])
    await reaches(posthorn.admin, left.id, 'delivered')
  })

  test('in a group come from each member, and the first of each kind counts', async () => {
    const members = [await newPerson(), await newPerson()].map(({ phone }) => phone)
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [shop, ...members] })
    const message = await sends(`${group}@g.us`)
    const [first = '', second = ''] = members
    await confirms(first, [message], { group })
    await reaches(posthorn.admin, message.id, 'delivered')
    await confirms(second, [message], { group, addressing: 'pn', type: 'read' })
    await reaches(posthorn.admin, message.id, 'read')
    await confirms(first, [message], { group, type: 'read' })
    await nothingWaits()
  })

  test('of somebody who did not get the message, or of the account itself, say nothing', async () => {
    const [{ phone }, mallory] = [await newPerson(), await newPerson()]
    const message = await sends(`+${phone}`)
    await confirms(mallory.phone, [message], { type: 'read' })
    await confirms(shop, [message], { type: 'read' })
    await confirms(phone, [message])
    await reaches(posthorn.admin, message.id, 'delivered')
  })

  test('that come before WhatsApp says that it has the message count, and the message stays read', async () => {
    const { phone } = await newPerson()
    await sends(`+${phone}`)
    const late = { kind: 'delay', milliseconds: 2_000 } as const
    await whatsapp.control.fault({ on: 'message', account: shop, fault: late })
    const message = await text(posthorn.admin, { instance: 'shop', to: `+${phone}` })
    await whatsapp.control.messages({ id: idAtWhatsApp(message), count: 1 })
    await confirms(phone, [message], { type: 'read' })
    const read = await reaches(posthorn.admin, message.id, 'read')
    // The next one to the same person goes once the first is acknowledged.
    await sends(`+${phone}`)
    const { body: now } = await posthorn.admin.call(getMessage, { params: { id: message.id } })
    assert.deepEqual([now.status, now.attempts, now.read_at], ['read', 1, read.read_at])
  })

  test('that come while the server is away are there when it is back', async () => {
    const { phone } = await newPerson()
    const messages = [await sends(`+${phone}`), await sends(`+${phone}`)]
    await posthorn.end('SIGKILL')
    await confirms(phone, messages, { type: 'read' })
    await start()
    for (const { id } of messages) await reaches(posthorn.admin, id, 'read')
    await nothingWaits()
  })

  test('are not acknowledged before they are stored: one that a server dies with comes again', async () => {
    const { phone } = await newPerson()
    const message = await sends(`+${phone}`)
    await nothingWaits()
    process.kill(posthorn.pid, 'SIGSTOP')
    await confirms(phone, [message], { type: 'read' })
    // Its worker goes on: it acknowledges a status, which came later, by itself.
    const status = await whatsapp.control.sendUnreadable({ from: phone, to: shop, what: 'status' })
    await whatsapp.control.settled({ id: status, type: 'ack' })
    await posthorn.end('SIGKILL')
    await start()
    await reaches(posthorn.admin, message.id, 'read')
    await nothingWaits()
  })

  test('that the shop sends and nobody answers keep neither sending nor receiving', async () => {
    const { phone } = await newPerson()
    const id = await whatsapp.control.write({ from: phone, to: shop, text: 'Did you read this?' })
    const came = async () =>
      (await everythingReceived(posthorn.admin, 'shop')).find(({ network_message_id: name }) =>
        name?.startsWith(id),
      )
    const message = (await eventually('her message', came, Boolean)) ?? assert.fail()
    // The one by which the library says that the message came, which is not meant.
    await whatsapp.control.settled({ id, type: 'inactive' })
    await whatsapp.control.fault({ on: 'receipt', account: shop, fault: { kind: 'drop' } })
    const mark = () => posthorn.admin.call(markMessageRead, { params: { id: message.id } })
    const unanswered = assert.rejects(mark(), { status: 503 })
    await sends(`+${phone}`)
    const next = await whatsapp.control.write({ from: phone, to: shop, text: 'And this?' })
    await whatsapp.control.settled({ id: next, type: 'ack' })
    await unanswered
    const receipts = await whatsapp.control.settled({ id })
    assert.ok(!receipts.some(({ type }) => type === 'read'))
    await mark()
    // Her phone hears of it when it is switched on.
    await whatsapp.control.change({ person: phone, isAway: false })
    await whatsapp.control.receipts({ person: phone, id, type: 'read' })
    await becomes(posthorn, 'shop', 'connected')
  })
})

test('whoever writes to a shop that is shown as online has two ticks though its phone is off', {
  timeout: 120_000,
}, async (t) => {
  const whatsapp = await startWhatsApp(t)
  const posthorn = await startPosthorn({ environment: environmentFor(whatsapp) })
  t.after(() => posthorn.stop())
  const [ana, quiet] = ['4915100000002', '4915100000003']
  for (const phone of [shop, ana, quiet]) await whatsapp.control.createPerson({ phone })
  for (const [name, phone, shown_online] of [
    ['shop', shop, true],
    ['quiet', quiet, false],
  ] as const) {
    await linkByPicture({ whatsapp, posthorn }, { name, phone, settings: { shown_online } })
    // With it comes the name of the account.
    const id = await whatsapp.control.write({ from: phone, to: ana, text: 'From the phone' })
    await whatsapp.control.settled({ id, type: 'sender' })
  }
  for (const [to, type] of [
    [shop, 'delivery'],
    [quiet, 'inactive'],
  ] as const) {
    const id = await whatsapp.control.write({ from: ana, to, text: 'Are you there?' })
    await whatsapp.control.settled({ id, type: 'ack' })
    await whatsapp.control.settled({ id, type })
    const types = (await whatsapp.control.settled({ id })).map((each) => each.type)
    assert.deepEqual(types.toSorted(), ['ack', type].toSorted())
  }
})
