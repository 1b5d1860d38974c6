import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { becomes, environmentFor, linkByPicture } from '../../../kit/networks/whatsapp/stage.ts'
import { eventually, everythingReceived, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

/*
 * A message is stored before its arrival is confirmed: neither to its sender nor to WhatsApp, as long as it cannot be
 * stored.
 */

const shop = '4915100000001'
const ana = '4915100000002'
const ben = '4915100000003'
const limit = 20

let whatsapp: WhatsAppProcess
let posthorn: Posthorn

before(async () => {
  whatsapp = await startWhatsApp({ after: () => {} })
  const environment = { ...environmentFor(whatsapp), POSTHORN_INCOMING_LIMIT: String(limit) }
  posthorn = await startPosthorn({ environment })
  for (const phone of [shop, ana, ben]) await whatsapp.control.createPerson({ phone })
  await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
})
after(async () => {
  await posthorn?.stop()
  await whatsapp?.stop()
})

const write = (words: string) => whatsapp.control.write({ from: ana, to: shop, text: words })
const kept = async () => (await everythingReceived(posthorn.admin, 'shop')).map(({ text: words }) => words)
const holds = (texts: readonly string[]) =>
  eventually(`${texts.length} texts`, kept, ({ length }) => length >= texts.length)

/**
 * Returns the confirmations of these messages to WhatsApp and to the phone of Ana: receipts of delivery, and
 * acknowledgements.
 */
async function confirmed(ids: readonly string[]): Promise<string[]> {
  const settled = await Promise.all(ids.map((id) => whatsapp.control.settled({ id })))
  return settled.flat().map(({ type, error }) => (error === undefined ? type : `${type} ${error}`))
}

const texts = ['First']

test('while the store is away, nothing is confirmed; when it is back, everything is there, once', async () => {
  await whatsapp.control.settled({ id: await write('First'), type: 'ack' })
  const other = new DatabaseSync(join(posthorn.data, 'posthorn.db'))
  other.exec('BEGIN IMMEDIATE')
  const ids: string[] = []
  for (const words of ['Second', 'Third', 'Fourth']) ids.push(await write(words))
  await assert.rejects(text(posthorn.admin, { instance: 'shop', to: `+${ben}` }), { status: 503 })
  assert.deepEqual(await confirmed(ids), [])
  other.exec('ROLLBACK')
  other.close()
  texts.push('Second', 'Third', 'Fourth')
  for (const id of ids) await whatsapp.control.settled({ id, type: 'ack' })
  assert.deepEqual((await holds(texts)).toSorted(), texts.toSorted())
})

test('while the store is away, receipts are not acknowledged; when it is back, they are stored', async () => {
  const messages: Message[] = []
  for (let each = 0; each < 3; each++) {
    const sent = await text(posthorn.admin, { instance: 'shop', to: `+${ben}` })
    messages.push(await reaches(posthorn.admin, sent.id, 'delivered'))
  }
  const mailbox = async () => (await whatsapp.control.devices({ person: shop }))[0]?.waiting
  await eventually('an empty mailbox', mailbox, (waiting) => waiting === 0)
  const other = new DatabaseSync(join(posthorn.data, 'posthorn.db'))
  other.exec('BEGIN IMMEDIATE')
  const seen = await whatsapp.control.received({ person: ben, count: 3 })
  await whatsapp.control.read({ person: ben, ids: seen.slice(-3).map(({ id }) => id) })
  await assert.rejects(text(posthorn.admin, { instance: 'shop', to: `+${ana}` }), { status: 503 })
  assert.equal(await mailbox(), 3)
  other.exec('ROLLBACK')
  other.close()
  for (const { id } of messages) await reaches(posthorn.admin, id, 'read')
  await eventually('an empty mailbox', mailbox, (waiting) => waiting === 0)
})

test('when the organization has no room, nothing is confirmed, sending goes on, and it comes when there is room', async () => {
  const ids: string[] = []
  for (let each = 0; each < 30; each++) {
    texts.push(`Text ${each}`)
    ids.push(await write(`Text ${each}`))
  }
  await eventually('the room to be used up', kept, ({ length }) => length >= limit)
  const logins = async () => (await whatsapp.control.devices({ person: shop }))[0]?.logins ?? 0
  const had = await logins()
  // The last decrypted message cannot be stored. With the next connection, nothing more is taken before there is room.
  await eventually('another login', logins, (count) => count > had)
  await becomes(posthorn, 'shop', 'connected')
  const sent = await text(posthorn.admin, { instance: 'shop', to: `+${ben}` })
  await reaches(posthorn.admin, sent.id, 'delivered')
  const there = await kept()
  assert.equal(there.length, limit)
  const missing = ids.filter((_, each) => !there.includes(`Text ${each}`))
  assert.ok(missing.length >= 10)
  assert.deepEqual(await confirmed(missing), [])
  posthorn = await posthorn.restart({ POSTHORN_INCOMING_LIMIT: '10000' })
  assert.deepEqual((await holds(texts)).toSorted(), texts.toSorted())
  for (const id of ids) await whatsapp.control.settled({ id, type: 'ack' })
  // No sender was asked to encrypt it again: no message had lost its key.
  const told = await confirmed(ids)
  assert.equal(told.includes('retry'), false)
})
