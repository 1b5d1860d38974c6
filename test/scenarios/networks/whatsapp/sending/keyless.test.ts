import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { getMessage } from '../../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../../src/contract/resources/message.ts'
import { whatsappIdOf } from '../../../../../src/networks/whatsapp/message-id.ts'
import { environmentFor, linkByPicture } from '../../../../kit/networks/whatsapp/stage.ts'
import { eventually, text } from '../../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
/** Members of a large group, and texts to it: more by `POSTHORN_TEST_GROUP`, as `200x1000`. */
const [size = 40, texts = 20] = (process.env.POSTHORN_TEST_GROUP ?? '40x20').split('x').map(Number)

let whatsapp: WhatsAppProcess
let posthorn: Posthorn
let people = 0

before(async () => {
  whatsapp = await startWhatsApp({ after: () => {} })
  posthorn = await startPosthorn({ environment: environmentFor(whatsapp) })
  await whatsapp.control.createPerson({ phone: shop, name: 'Shop' })
  await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
})
after(async () => {
  await posthorn?.stop()
  await whatsapp?.stop()
})

const newPerson = async () => {
  const phone = `4915100${String(1000 + people++).padStart(6, '0')}`
  await whatsapp.control.createPerson({ phone })
  return phone
}
const say = (to: string, words: string) => text(posthorn.admin, { instance: 'shop', to, text: words })
const now = async (id: string) => (await posthorn.admin.call(getMessage, { params: { id } })).body
const isSent = ({ status }: Message) => ['sent', 'delivered', 'read'].includes(status)
const becomesSent = ({ id }: Message) => eventually(`${id} to be sent`, () => now(id), isSent)
const fails = (message: Message) =>
  eventually(
    'a failed attempt',
    () => now(message.id),
    ({ error }) => error !== null,
  )
const keysAsked = async () => (await whatsapp.control.questions({})).asked['encrypt/key'] ?? 0
/** Checks that a phone shows these words, each message once and without trouble. */
const shows = async (person: string, words: readonly string[], from: { chat?: string } = {}) => {
  const shown = await whatsapp.control.received({ person, ...from, count: words.length })
  assert.deepEqual(
    shown.map(({ text: said, copies }) => [said, copies]),
    words.map((said) => [said, 1]),
  )
  const { undecryptable, reusedKeys } = await whatsapp.control.trouble({ person })
  assert.deepEqual({ undecryptable, reusedKeys }, { undecryptable: 0, reusedKeys: 0 })
}

describe('who has a device without keys', { timeout: 180_000 }, () => {
  for (const answer of ['404', '406', 'left out'] as const)
    test(`gets messages on all others, and the keys are not asked for with each message: ${answer}`, async () => {
      const ana = await newPerson()
      await whatsapp.control.loseKeys({ person: ana, answer })
      await becomesSent(await say(`+${ana}`, 'One'))
      const asked = await keysAsked()
      for (const words of ['Two', 'Three']) await becomesSent(await say(`+${ana}`, words))
      await shows(ana, ['One', 'Two', 'Three'])
      assert.equal(await keysAsked(), asked)
    })

  test('and no other device cannot be reached, and nothing is sent', async () => {
    const ana = await newPerson()
    await whatsapp.control.loseKeys({ person: ana, device: 0, answer: '404' })
    const message = await fails(await say(`+${ana}`, 'Hello?'))
    assert.equal(message.error?.code, 'recipient_unreachable')
    const id = whatsappIdOf(message.id.replace(/^msg_/, ''))
    assert.equal(await whatsapp.control.messages({ id }), 0)
  })
})

describe('a group with devices without keys', { timeout: 180_000 }, () => {
  for (const addressing of ['lid', 'pn'] as const)
    test(`by ${addressing}: all others get every message`, async () => {
      const [ana, ben, cleo, dora] = [
        await newPerson(),
        await newPerson(),
        await newPerson(),
        await newPerson(),
      ]
      await whatsapp.control.loseKeys({ person: ana, answer: '404' })
      await whatsapp.control.loseKeys({ person: ben, answer: 'left out' })
      await whatsapp.control.loseKeys({ person: cleo, device: 0, answer: '406' })
      const members = [ana, ben, cleo, dora, shop]
      const group = await whatsapp.control.createGroup({ subject: 'Market', members, addressing })
      const words = ['Good morning', 'Until six', 'Good night']
      for (const each of words) await becomesSent(await say(`${group}@g.us`, each))
      for (const person of [ana, ben, dora]) await shows(person, words, { chat: group })
      assert.equal((await whatsapp.control.received({ person: cleo })).length, 0)
    })

  test('a retry is answered nevertheless', async () => {
    const [ana, ben] = [await newPerson(), await newPerson()]
    await whatsapp.control.loseKeys({ person: ana, answer: '404' })
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [ana, ben, shop] })
    await becomesSent(await say(`${group}@g.us`, 'Before'))
    await whatsapp.control.loseKeys({ person: ana, answer: '406' })
    const [{ device } = { device: 0 }] = await whatsapp.control.devices({ person: shop })
    await whatsapp.control.loseGroupKey({ group, person: ben, of: shop, device })
    await becomesSent(await say(`${group}@g.us`, 'After'))
    const shown = await whatsapp.control.received({ person: ben, chat: group, count: 2 })
    assert.deepEqual(
      shown.map(({ text: said }) => said),
      ['Before', 'After'],
    )
  })

  test('a device of the account itself is no obstacle either, not even the one that sends', async () => {
    const [ana, ben] = [await newPerson(), await newPerson()]
    const [{ device } = { device: 0 }] = await whatsapp.control.devices({ person: shop })
    await whatsapp.control.loseKeys({ person: shop, device, answer: '404' })
    await whatsapp.control.loseKeys({ person: shop, answer: '404' })
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [ana, ben, shop] })
    await becomesSent(await say(`${group}@g.us`, 'To all'))
    await becomesSent(await say(`+${ana}`, 'To one'))
    await shows(ben, ['To all'], { chat: group })
    await shows(ana, ['To all', 'To one'])
  })
})

describe('a large group with three devices without keys', { timeout: 1_800_000 }, () => {
  test(`each of ${size} members but those reads every one of ${texts} texts once, in order`, async () => {
    const members: string[] = []
    while (members.length < size) members.push(await newPerson())
    const answers = ['404', '406', 'left out'] as const
    for (const [place, answer] of answers.entries()) {
      const person = members[place * 2 + 1] ?? ''
      // A phone, and two clients beside phones that have keys.
      await whatsapp.control.loseKeys({ person, answer, ...(place === 0 && { device: 0 }) })
    }
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [...members, shop] })
    const words = Array.from({ length: texts }, (_, number) => `Number ${number}`)
    for (const each of words) await say(`${group}@g.us`, each)
    const [first = '', without = ''] = members
    for (let count = 0; count < texts; count += 20)
      await whatsapp.control.received({ person: first, chat: group, count })
    for (const person of members.filter((each) => each !== without))
      await shows(person, words, { chat: group })
    assert.equal((await whatsapp.control.received({ person: without })).length, 0)
  })
})

describe('keys that their owner did not sign', { timeout: 180_000 }, () => {
  test('begin no session: nothing is encrypted for them', async () => {
    const [ana, ben] = [await newPerson(), await newPerson()]
    await whatsapp.control.loseKeys({ person: ana, device: 0, answer: 'badly signed' })
    const message = await fails(await say(`+${ana}`, 'For Ana alone'))
    assert.equal(message.error?.code, 'recipient_unreachable')
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [ana, ben, shop] })
    await becomesSent(await say(`${group}@g.us`, 'To all'))
    await shows(ben, ['To all'], { chat: group })
    assert.equal((await whatsapp.control.received({ person: ana })).length, 0)
  })
})
