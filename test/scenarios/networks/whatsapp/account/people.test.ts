import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listConversations } from '../../../../../src/contract/operations/conversation-operations.ts'
import { checkAddresses, showTyping } from '../../../../../src/contract/operations/instance-operations.ts'
import type { Driver } from '../../../../../src/networks/driver/driver.ts'
import { problemOf } from '../../../../kit/http/problem-of.ts'
import { linkedConnection } from '../../../../kit/networks/whatsapp/linked.ts'
import { environmentFor, hastyDriver, linkByPicture } from '../../../../kit/networks/whatsapp/stage.ts'
import { eventually, text } from '../../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../../kit/posthorn.ts'
import type { Fault } from '../../../../simulators/whatsapp/faults.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const never = new AbortController().signal
/** The smallest JPEG. */
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffdb0043000101ffd9', 'hex')

let whatsapp: WhatsAppProcess
let posthorn: Posthorn
let driver: Driver
let people = 0

const newPerson = async () => {
  const phone = `4915100${String(1000 + people++).padStart(6, '0')}`
  await whatsapp.control.createPerson({ phone })
  return phone
}
/** Links an account without a server around it. */
const link = async (settings: Readonly<Record<string, unknown>> = {}) => {
  const phone = await newPerson()
  const linked = await linkedConnection(whatsapp, driver, { phone, settings })
  await sayName(phone)
  return { phone, session: linked.session, connection: linked.session.connection }
}
/** The client learns the name of its account, without which WhatsApp lets it be neither there nor away. */
const sayName = async (phone: string) => {
  await whatsapp.control.write({ from: phone, to: await newPerson(), text: 'From the phone' })
  await shown(phone, 'available', 1)
}
const shown = (person: string, what: string, count: number) => whatsapp.control.shown({ person, what, count })

before(async () => {
  whatsapp = await startWhatsApp({ after: () => {} })
  driver = hastyDriver(whatsapp, {})
  posthorn = await startPosthorn({ environment: environmentFor(whatsapp) })
  await whatsapp.control.createPerson({ phone: shop, name: 'Shop' })
  await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
  await sayName(shop)
  await shown(shop, 'unavailable', 1)
})
after(async () => {
  await posthorn?.stop()
  await whatsapp?.stop()
})

describe('which numbers have an account', { timeout: 120_000 }, () => {
  const params = { name: 'shop' }
  const check = async (...addresses: string[]) =>
    (await posthorn.admin.call(checkAddresses, { params, body: { addresses } })).body.data
  const questions = async () => (await whatsapp.control.questions({})).asked['usync/usync'] ?? 0

  test('one question tells it of all, with the number by which WhatsApp knows a person', async () => {
    const [ana, brazilian] = [await newPerson(), '5511912345678']
    await whatsapp.control.createPerson({ phone: brazilian })
    await whatsapp.control.answersTo({ person: brazilian, number: '551112345678' })
    const before = await questions()
    const found = await check(`+${ana}`, '+4915100000000', '+551112345678', '123456789012345@lid')
    assert.deepEqual(
      found.map(({ address, exists }) => [address, exists]),
      [
        [`+${ana}`, 'yes'],
        ['+4915100000000', 'no'],
        [`+${brazilian}`, 'yes'],
        ['123456789012345@lid', 'unknown'],
      ],
    )
    assert.equal(await questions(), before + 1)
  })

  test('what WhatsApp does not answer, or refuses, is said as such, and fifty in an hour are all', async () => {
    const { connection, session: own, phone } = await link()
    const fail = (fault: Fault) => whatsapp.control.fault({ on: 'iq', account: phone, xmlns: 'usync', fault })
    const asked = [`+${await newPerson()}`]
    await fail({ kind: 'refuse', code: 429 })
    const refused = await connection.checkAddresses?.(asked, never)
    assert.ok(refused?.kind === 'rejected' && refused.error.code === 'rate_limited')
    await fail({ kind: 'refuse', code: 500 })
    assert.equal((await connection.checkAddresses?.(asked, never))?.kind, 'rejected')
    await fail({ kind: 'drop' })
    const end = new AbortController()
    const answer = connection.checkAddresses?.(asked, end.signal)
    end.abort()
    assert.equal((await answer)?.kind, 'unanswered')
    await own.close()
    assert.equal((await connection.checkAddresses?.(asked, never))?.kind, 'unanswered')
    const many = Array.from({ length: 50 }, (_, at) => `+49151${String(30_000_000 + at)}`)
    const { code, headers } = await problemOf(
      posthorn.admin.call(checkAddresses, { params, body: { addresses: many } }),
    )
    assert.equal(code, 'too_many_checks')
    assert.ok(Number(headers['retry-after']) > 60)
  })
})

describe('who writes', { timeout: 120_000 }, () => {
  test('a person sees that the account writes, which is there only as long, until the message comes', async () => {
    const ana = await newPerson()
    const type = (seconds: number) =>
      posthorn.admin.call(showTyping, { params: { name: 'shop' }, body: { to: `+${ana}`, seconds } })
    const absent = (await whatsapp.control.shown({ person: shop, what: 'unavailable' })).length
    assert.equal((await type(30)).status, 202)
    await shown(shop, 'composing', 1)
    await shown(shop, 'subscribe', 1)
    await text(posthorn.admin, { instance: 'shop', to: `+${ana}`, text: 'Here it is' })
    await whatsapp.control.received({ person: ana, count: 1 })
    await shown(shop, 'unavailable', absent + 1)
    assert.deepEqual(await whatsapp.control.shown({ person: shop, what: 'paused' }), [])
    await type(1)
    await shown(shop, 'paused', 1)
    await shown(shop, 'unavailable', absent + 2)
    // Once when its name was learned, and once for each of the two.
    assert.equal((await whatsapp.control.shown({ person: shop, what: 'available' })).length, 3)
    assert.deepEqual(await whatsapp.control.shown({ person: shop, what: 'unseen composing' }), [])
  })

  test('in several chats at once, twenty at most, and it is shown again before phones forget it', async () => {
    const { connection, phone, session: own } = await link()
    const chats = await Promise.all(Array.from({ length: 21 }, newPerson))
    await Promise.all(chats.map((chat) => connection.showTyping?.(`+${chat}`, 30)))
    const first = await whatsapp.control.shown({ person: phone, what: 'composing' })
    assert.equal(new Set(first.map(({ to }) => to)).size, 20)
    const again = await shown(phone, 'composing', 40)
    assert.equal(new Set(again.map(({ to }) => to)).size, 20)
    assert.equal((await whatsapp.control.shown({ person: phone, what: 'available' })).length, 2)
    await own.close()
  })

  test('an account that is shown online hears from those who wrote lately, and from groups', async () => {
    const { phone, session: own } = await link({ shown_online: true })
    await shown(phone, 'available', 1)
    const [ana, ben] = [await newPerson(), await newPerson()]
    assert.equal(await whatsapp.control.showWriting({ person: ana, to: phone, state: 'composing' }), 0)
    await whatsapp.control.write({ from: ana, to: phone, text: 'Hello' })
    await shown(phone, 'subscribe', 1)
    const writes = (person: string, to: string, media?: 'audio') =>
      whatsapp.control.showWriting({ person, to, state: 'composing', ...(media && { media }) })
    assert.equal(await writes(ana, phone), 1)
    const seen = await own.sees('typing-seen')
    assert.deepEqual(seen, {
      kind: 'typing-seen',
      conversation: `+${ana}`,
      from: `+${ana}`,
      state: 'typing',
    })
    await whatsapp.control.showWriting({ person: ana, to: phone, state: 'paused' })
    await own.sees('typing-seen', ({ state }) => state === 'paused')
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [ben, phone] })
    await writes(ben, group, 'audio')
    const inGroup = await own.sees('typing-seen', ({ state }) => state === 'recording')
    assert.deepEqual([inGroup.conversation, inGroup.from], [`${group}@g.us`, `9${ben}7@lid`])
    await own.close()
  })

  test('of what people show without end, little is passed on, and messages come', async () => {
    const { phone, session: own } = await link({ shown_online: true })
    const [ana, ben] = [await newPerson(), await newPerson()]
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [ana, phone] })
    await shown(phone, 'available', 1)
    await whatsapp.control.showWriting({ person: ana, to: group, state: 'composing', times: 10_000 })
    await whatsapp.control.write({ from: ben, to: phone, text: 'Still here?' })
    await own.sees('message-received')
    const count = own.kinds().filter((kind) => kind === 'typing-seen').length
    assert.ok(count > 0 && count < 1_000, `${count} of 10,000`)
    await own.close()
  })
})

describe('pictures', { timeout: 120_000 }, () => {
  test('of people and groups are fetched, and some are none', async () => {
    const { connection, phone, session: own } = await link()
    const [ana, ben, cleo] = [await newPerson(), await newPerson(), await newPerson()]
    const bytes = jpeg.toString('base64')
    const find = (address: string) => connection.findPicture?.(address, never)
    await whatsapp.control.setPicture({ of: ana, bytes })
    assert.deepEqual(await find(`+${ana}`), { kind: 'found', bytes: jpeg })
    assert.deepEqual(await find(`9${ana}7@lid`), { kind: 'found', bytes: jpeg })
    assert.deepEqual(await find(`+${ben}`), { kind: 'none' })
    await whatsapp.control.setPicture({ of: cleo, bytes })
    await whatsapp.control.change({ person: cleo, hidesPicture: true })
    assert.deepEqual(await find(`+${cleo}`), { kind: 'none' })
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [phone, ana] })
    assert.deepEqual(await find(`${group}@g.us`), { kind: 'none' })
    await whatsapp.control.setPicture({ of: group, bytes })
    assert.deepEqual(await find(`${group}@g.us`), { kind: 'found', bytes: jpeg })
    const large = Buffer.alloc(1024 * 1024 + 1, jpeg).toString('base64')
    await whatsapp.control.setPicture({ of: ben, bytes: large })
    assert.equal((await find(`+${ben}`))?.kind, 'unanswered')
    const questions = { on: 'iq', account: phone, xmlns: 'w:profile:picture' } as const
    await whatsapp.control.fault({ ...questions, fault: { kind: 'refuse', code: 429 } })
    assert.equal((await find(`+${ana}`))?.kind, 'rejected')
    await whatsapp.control.fault({ on: 'download', fault: { kind: 'refuse', code: 404 } })
    assert.deepEqual(await find(`+${ana}`), { kind: 'none' })
    await own.close()
  })
})

describe('what is read on the phone', { timeout: 120_000 }, () => {
  test('is unread no longer here, whether its author is told or not', async () => {
    const unreadOf = async (phone: string) =>
      (
        await posthorn.admin.call(listConversations, { query: { instance: 'shop', limit: 100 } })
      ).body.data.find(({ conversation }) => conversation === `+${phone}`)?.unread
    for (const hidesReading of [false, true]) {
      await whatsapp.control.change({ person: shop, hidesReading })
      const ana = await newPerson()
      const ids: string[] = []
      for (const words of ['One', 'Two', 'Three'])
        ids.push(await whatsapp.control.write({ from: ana, to: shop, text: words }))
      await eventually(
        'three to be unread',
        () => unreadOf(ana),
        (unread) => unread === 3,
      )
      await whatsapp.control.received({ person: shop, from: ana, count: 3 })
      await whatsapp.control.read({ person: shop, ids: ids.slice(0, 2) })
      await eventually(
        'one to be left',
        () => unreadOf(ana),
        (unread) => unread === 1,
      )
      await whatsapp.control.read({ person: shop, ids: ids.slice(2) })
      await eventually(
        'none to be left',
        () => unreadOf(ana),
        (unread) => unread === 0,
      )
    }
  })
})
