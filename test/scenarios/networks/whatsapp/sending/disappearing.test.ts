import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { getMessage } from '../../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../../src/contract/resources/message.ts'
import { environmentFor, linkByPicture } from '../../../../kit/networks/whatsapp/stage.ts'
import { eventually, everythingReceived, text } from '../../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const day = 24 * 60 * 60

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
const isSent = ({ status }: Message) => ['sent', 'delivered', 'read'].includes(status)
const says = async (to: string, words: string) => {
  const { id } = await text(posthorn.admin, { instance: 'shop', to, text: words })
  const now = async () => (await posthorn.admin.call(getMessage, { params: { id } })).body
  await eventually(`${id} to be sent`, now, isSent)
}
/** Waits until the shop has taken everything that came. */
const isTold = async () => {
  const waiting = async () => (await whatsapp.control.devices({ person: shop }))[0]?.waiting
  await eventually('everything to be taken', waiting, (count) => count === 0)
}
/** Returns the texts of a phone, each with the seconds after which it disappears. */
const shown = async (person: string, count: number, chat?: string) => {
  const seen = await whatsapp.control.received({ person, count, ...(chat !== undefined && { chat }) })
  return seen.map(({ text: words, expiration = 0 }) => [words, expiration])
}

describe('in a chat whose messages disappear', { timeout: 180_000 }, () => {
  test('those of the shop do, as the contact or the own phone set it, and after a restart', async () => {
    const ana = await newPerson()
    await says(`+${ana}`, 'Stays')
    await whatsapp.control.write({ from: ana, to: shop, text: 'Hush', expiration: 7 * day })
    await eventually(
      'it',
      () => everythingReceived(posthorn.admin, 'shop'),
      (all) => all.length > 0,
    )
    await isTold()
    await says(`+${ana}`, 'Goes after a week')
    posthorn = await posthorn.restart()
    await says(`+${ana}`, 'Goes after a week, too')
    await whatsapp.control.write({ from: shop, to: ana, disappearing: day })
    await isTold()
    await says(`+${ana}`, 'Goes after a day')
    await whatsapp.control.write({ from: ana, to: shop, disappearing: 0 })
    await isTold()
    await says(`+${ana}`, 'Stays again')
    const own = (await shown(ana, 6)).filter(([words]) => words !== undefined)
    assert.deepEqual(own, [
      ['Stays', 0],
      ['Goes after a week', 7 * day],
      ['Goes after a week, too', 7 * day],
      ['Goes after a day', day],
      ['Stays again', 0],
    ])
  })

  test('that are so no longer, those of the shop stay', async () => {
    const ana = await newPerson()
    await whatsapp.control.write({ from: ana, to: shop, text: 'Hush', expiration: day })
    await isTold()
    await says(`+${ana}`, 'Goes')
    await whatsapp.control.write({ from: ana, to: shop, text: 'Everybody may know' })
    await isTold()
    await says(`+${ana}`, 'Stays')
    assert.deepEqual(await shown(ana, 2), [
      ['Goes', day],
      ['Stays', 0],
    ])
  })
})

describe('in a group whose messages disappear', { timeout: 180_000 }, () => {
  test('those of the shop do, until it is set otherwise', async () => {
    const ana = await newPerson()
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [ana, shop] })
    await says(`${group}@g.us`, 'Stays')
    for (const [seconds, words] of [
      [day, 'Goes after a day'],
      [90 * day, 'Goes after three months'],
      [0, 'Stays again'],
    ] as const) {
      await whatsapp.control.setExpiration({ group, seconds })
      await isTold()
      await says(`${group}@g.us`, words)
    }
    assert.deepEqual(await shown(ana, 4, group), [
      ['Stays', 0],
      ['Goes after a day', day],
      ['Goes after three months', 90 * day],
      ['Stays again', 0],
    ])
  })
})

describe('what the shop writes', { timeout: 180_000 }, () => {
  test('has a secret, as what the apps of WhatsApp write', async () => {
    const ana = await newPerson()
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [ana, shop] })
    await says(`+${ana}`, 'To one')
    await says(`${group}@g.us`, 'To all')
    const seen = await whatsapp.control.received({ person: ana, count: 2 })
    assert.deepEqual(
      seen.map(({ text: words, hasSecret }) => [words, hasSecret]),
      [
        ['To one', true],
        ['To all', true],
      ],
    )
  })
})
