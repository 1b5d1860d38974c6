import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { countsOf, KilledServer } from '../../kit/crash/killed-server.ts'
import { becomes, environmentFor, linkByPicture } from '../../kit/networks/whatsapp/stage.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../simulators/whatsapp/start-whatsapp.ts'

/*
 * A network whose sessions break if one key is used twice: the server is killed at random moments while it sends, and every phone
 * must be able to read every message that was accepted, once and in order. What comes in is there once, too: a message is
 * stored before its key is used up.
 */

const shop = '4915100000001'

let whatsapp: WhatsAppProcess
let server: KilledServer

before(async () => {
  whatsapp = await startWhatsApp({ after: () => {} })
  // Its worker, and the mail that waited, are much to begin with beside others.
  server = new KilledServer(environmentFor(whatsapp), (running) =>
    becomes({ admin: running.admin }, 'shop', 'connected', 120_000),
  )
  await server.start()
  await whatsapp.control.createPerson({ phone: shop })
  await linkByPicture({ whatsapp, posthorn: server.running }, { name: 'shop', phone: shop })
})

after(async () => {
  await server?.remove()
  await whatsapp?.stop()
})

test('killed at random moments, the server lets every phone read every message once, in order', async (context) => {
  const phones = Array.from({ length: 20 }, (_, index) => `4915100001${String(index).padStart(3, '0')}`)
  await Promise.all(phones.map((phone) => whatsapp.control.createPerson({ phone })))
  // Some are in no group, some in one, some in several.
  const groups = await Promise.all(
    [phones.slice(0, 4), phones.slice(2, 10), phones.slice(8, 16)].map(async (members) => ({
      id: await newGroup([shop, ...members]),
      members,
    })),
  )
  const accepted = await server.sendWhileKilled('shop', [
    ...phones.map((phone) => `+${phone}`),
    ...groups.map(({ id }) => `${id}@g.us`),
  ])
  let copies = 0
  for (const phone of phones) {
    const chats = [
      { chat: shop, to: `+${phone}` },
      ...groups
        .filter(({ members }) => members.includes(phone))
        .map(({ id }) => ({ chat: id, to: `${id}@g.us` })),
    ]
    for (const { chat, to } of chats) {
      const sent = accepted.filter((each) => each.to === to).map(({ text }) => text)
      const seen = await whatsapp.control.received({ person: phone, chat, count: sent.length })
      assert.deepEqual(
        seen.map(({ text }) => text),
        sent,
        `what ${phone} shows in ${chat}`,
      )
      copies += seen.reduce((sum, each) => sum + each.copies, 0)
    }
    const { reusedKeys, undecryptable } = await whatsapp.control.trouble({ person: phone })
    assert.deepEqual({ reusedKeys, undecryptable }, { reusedKeys: 0, undecryptable: 0 })
  }
  for (const { text, message } of await server.fatesOf(accepted))
    assert.ok(['sent', 'delivered', 'read'].includes(message.status), `${text} is ${message.status}`)
  context.diagnostic(
    `seed ${server.seed}: ${server.kills} kills, ${accepted.length} accepted, ${copies} copies reached a phone`,
  )
})

for (const [where, phoneOf, people] of [
  ['to it', (index: number) => `4915100002${String(index).padStart(3, '0')}`, 5],
  // Each begins with a message of two parts: the key for the group, and the text.
  [
    'in groups, many for the first time',
    (index: number) => `4915100003${String(index).padStart(3, '0')}`,
    60,
  ],
] as const)
  test(`killed at random moments, the server has every text that people wrote ${where}, once`, async (context) => {
    const phones = Array.from({ length: people }, (_, index) => phoneOf(index))
    await Promise.all(phones.map((phone) => whatsapp.control.createPerson({ phone })))
    const to = where === 'to it' ? shop : await newGroup([shop, ...phones])
    const known = (await received()).length
    const ids: string[] = []
    const written = await server.writeWhileKilled(async (words) => {
      const from = phones[ids.length % phones.length] ?? shop
      ids.push(await whatsapp.control.write({ from, to, text: words }))
    })
    let kept: string[] = []
    while (kept.length < written.length) {
      const before = kept.length
      const textsOf = async () => (await received()).slice(known).map(({ text }) => text ?? '')
      kept = await eventually('more texts', textsOf, ({ length }) => length > before)
    }
    assert.deepEqual(countsOf(kept), countsOf(written))
    for (let person = 0; person < people; person++) {
      const own = new Set(written.filter((_, index) => index % people === person))
      assert.deepEqual(
        kept.filter((words) => own.has(words)),
        [...own],
      )
    }
    const settled = await Promise.all(ids.map((id) => whatsapp.control.settled({ id })))
    const asked = settled.filter((each) =>
      each.some(({ type, error }) => type === 'retry' || error !== undefined),
    )
    assert.equal(asked.length, 0, 'whose keys were used up, though they were not stored')
    context.diagnostic(`seed ${server.seed}: ${server.kills} kills, ${written.length} texts`)
  })

const received = () => everythingReceived(server.running.admin, 'shop')

const newGroup = (members: readonly string[]) =>
  whatsapp.control.createGroup({ subject: 'Market', members: [...members] })
