import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import {
  getMessageMedia,
  listMessages,
  markMessageRead,
} from '../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { becomes, environmentFor, linkByPicture } from '../../../kit/networks/whatsapp/stage.ts'
import { eventually, everythingReceived, text } from '../../../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const ana = '4915100000002'
const ben = '4915100000003'

const data = freshFolder()
let whatsapp: WhatsAppProcess
let posthorn: Posthorn
/** The digits of the LID of Ana. */
let anaLid: string

before(async () => {
  whatsapp = await startWhatsApp({ after: () => {} })
  posthorn = await start()
  await whatsapp.control.createPerson({ phone: shop, name: 'Shop' })
  anaLid = await whatsapp.control.createPerson({ phone: ana, name: 'Ana' })
  await whatsapp.control.createPerson({ phone: ben, name: 'Ben' })
  await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
})
after(async () => {
  await posthorn?.stop()
  await whatsapp?.stop()
  rmSync(data, { recursive: true, force: true })
})

const start = () => startPosthorn({ data, environment: environmentFor(whatsapp) })

type Writing = Omit<Parameters<WhatsAppProcess['control']['write']>[0], 'from' | 'to'>

const all = () => everythingReceived(posthorn.admin, 'shop')

/** Resolves with the message of this id of its sender, once it is there. */
async function came(id: string, enough: (message: Message) => boolean = () => true): Promise<Message> {
  const find = async () => (await all()).find(({ network_message_id: name }) => name?.startsWith(id))
  const found = await eventually(`the message ${id}`, find, (message) => !!message && enough(message))
  return found ?? assert.fail()
}

/** Has a person write to the shop, which receives it. */
async function receives(writing: Writing, { from = ana, to = shop } = {}): Promise<Message> {
  return await came(await whatsapp.control.write({ from, to, ...writing }))
}

async function outbound(): Promise<Message[]> {
  const query = { instance: 'shop', direction: 'outbound', limit: 200 } as const
  return (await posthorn.admin.call(listMessages, { query })).body.data
}

/** Resolves with the messages that are shown as sent elsewhere, once this one is among them. */
async function elsewhere(words: string): Promise<Message[]> {
  const read = async () => (await outbound()).filter(({ origin }) => origin === 'elsewhere')
  return await eventually('the message of the phone', read, (messages) =>
    messages.some((message) => message.text === words),
  )
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('what Ana writes', () => {
  test('a text, with every character, comes in once and is confirmed to her and to WhatsApp', async () => {
    const said = 'Grüße 👋\n\n*not bold*\thttps://example.org/?a=1&b=2 \u0301\u200d'
    const id = await whatsapp.control.write({ from: ana, to: shop, text: said })
    const message = await came(id)
    assert.deepEqual(
      [message.kind, message.text, message.from, message.conversation, message.aliases],
      ['text', said, `+${ana}`, `+${ana}`, [`${anaLid}@lid`]],
    )
    assert.ok(Math.abs(Date.parse(message.created_at) - Date.now()) < 60_000)
    await whatsapp.control.settled({ id, type: 'ack' })
    await whatsapp.control.settled({ id, type: 'inactive' })
    const settled = await whatsapp.control.settled({ id })
    assert.deepEqual(settled.map(({ type, error }) => [type, error]).toSorted(), [
      ['ack', undefined],
      ['inactive', undefined],
    ])
    const receipts = await whatsapp.control.receipts({ person: ana, id, type: 'delivery' })
    assert.ok(receipts.length > 0)
  })

  test('an answer of the shop goes to where her message came from, and hers to it names it', async () => {
    const { conversation } = await receives({ text: 'Are you there?' })
    const sent = await text(posthorn.admin, { instance: 'shop', to: conversation, text: 'We are.' }, 20)
    assert.ok(sent.sent_at, JSON.stringify(sent.error))
    const seen = await whatsapp.control.received({ person: ana, from: shop, count: 1 })
    const id = seen.at(-1)?.id ?? assert.fail()
    const reply = { to: id, from: `${shop}@s.whatsapp.net`, text: 'We are.' }
    const answer = await receives({ text: 'Good.', reply })
    assert.deepEqual([answer.relation?.type, answer.relation?.message_id], ['reply', sent.id])
    const reaction = await receives({ reaction: { to: id, emoji: '👍' } })
    assert.deepEqual(
      [reaction.kind, reaction.text, reaction.relation?.message_id],
      ['reaction', '👍', sent.id],
    )
  })

  test('an edit and a revocation of what she wrote name it', async () => {
    const first = await receives({ text: 'At six' })
    const edited = await receives({
      edit: { id: first.network_message_id?.split(':')[0] ?? '', text: 'At 7' },
    })
    assert.deepEqual(
      [edited.text, edited.relation?.type, edited.relation?.message_id],
      ['At 7', 'correction', first.id],
    )
    const revoked = await receives({ revoke: first.network_message_id?.split(':')[0] ?? '' })
    assert.deepEqual(
      [revoked.kind, revoked.relation?.type, revoked.relation?.message_id],
      ['retraction', 'retraction', first.id],
    )
  })

  test('nobody edits or takes back what somebody else wrote', async () => {
    const first = await receives({ text: 'Mine' })
    const id = first.network_message_id?.split(':')[0] ?? ''
    for (const writing of [{ edit: { id, text: 'Forged' } }, { revoke: id }]) {
      const forged = await receives(writing, { from: ben })
      assert.equal(forged.relation?.message_id, null)
    }
  })

  const others: [string, Writing, string, string | undefined][] = [
    ['a text to be seen once', { text: 'Psst', viewOnce: true }, 'unsupported', 'view_once'],
    ['a text that disappears', { text: 'Soon gone', expiration: 86_400 }, 'text', undefined],
  ]
  for (const [what, writing, kind, type] of others)
    test(`${what} comes in as ${type ?? kind}`, async () => {
      const message = await receives(writing)
      assert.deepEqual([message.kind, message.unsupported?.type], [kind, type])
      assert.deepEqual(message.sender, { address: `+${ana}`, name: 'Ana', username: null })
    })
})

describe('files that Ana sends', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(100_000)])
  const ogg = Buffer.concat([
    Buffer.from('OggS\0\u0002', 'latin1'),
    Buffer.alloc(22),
    Buffer.from('OpusHead'),
    randomBytes(5_000),
  ])
  const file = (bytes: Buffer, more: object) =>
    ({ file: { bytes: bytes.toString('base64'), ...more } }) as Writing
  const fetched = ({ media, error }: Message) => media?.sha256 != null || error !== null

  const kinds: [string, string, Buffer, string][] = [
    ['image', 'image', png, 'image/png'],
    ['document', 'document', pdf, 'application/pdf'],
    ['audio', 'audio', ogg, 'audio/ogg; codecs=opus'],
  ]
  for (const [kind, as, bytes, mimetype] of kinds)
    test(`of the kind ${kind} are what she sent, byte for byte`, async () => {
      const more = { kind, mimetype, fileName: 'from-ana.pdf', ...(kind !== 'audio' && { caption: 'Look' }) }
      const id = await whatsapp.control.write({ from: ana, to: shop, ...file(bytes, more) })
      const message = await came(id, fetched)
      assert.equal(message.error, null)
      assert.deepEqual([message.kind, message.caption], [as, kind === 'audio' ? null : 'Look'])
      assert.equal(message.media?.sha256, sha256(bytes))
      if (kind === 'document') assert.equal(message.media?.filename, 'from-ana.pdf')
      const got = await posthorn.admin.call(getMessageMedia, { params: { id: message.id } })
      assert.equal(sha256(new Uint8Array(got.bytes ?? [])), sha256(bytes))
    })

  test('that are not what she sent any more are not shown, and the message says so for good', async () => {
    await whatsapp.control.fault({ on: 'download', times: 'always', fault: { kind: 'wrong-bytes' } })
    const id = await whatsapp.control.write({
      from: ana,
      to: shop,
      ...file(pdf, { kind: 'document', mimetype: 'application/pdf', fileName: 'a.pdf' }),
    })
    const message = await came(id, fetched)
    await whatsapp.control.clearFaults({})
    assert.deepEqual([message.media?.sha256, message.error?.permanent], [null, true])
  })

  test('that WhatsApp has no longer are lost, and the message says so for good', async () => {
    await whatsapp.control.expire({ status: 410 })
    const id = await whatsapp.control.write({
      from: ana,
      to: shop,
      ...file(pdf, { kind: 'document', mimetype: 'application/pdf', fileName: 'b.pdf' }),
    })
    await whatsapp.control.expire({ status: 410 })
    const message = await came(id, fetched)
    await whatsapp.control.restore({})
    assert.deepEqual([message.media?.sha256, message.error?.permanent], [null, true])
  })
})

describe('one person with a number and an id', () => {
  test('is one conversation, by whichever of them she writes', async () => {
    const byLid = await receives({ text: 'By LID' })
    const byNumber = await receives({ text: 'By number', addressing: 'pn' })
    assert.equal(byNumber.conversation, byLid.conversation)
    assert.equal(byNumber.from, byLid.from)
    assert.deepEqual(byNumber.aliases, [`${anaLid}@lid`])
  })
})

describe('a group', () => {
  let group: string
  before(async () => {
    group = await whatsapp.control.createGroup({ subject: 'Market', members: [shop, ana, ben] })
  })

  test('is the conversation, and who wrote is the sender; reading reaches her phone', async () => {
    for (const words of ['One', 'Two', 'Three']) {
      const message = await receives({ text: words }, { to: group })
      assert.deepEqual(
        [message.conversation, message.from, message.text],
        [`${group}@g.us`, `+${ana}`, words],
      )
      await posthorn.admin.call(markMessageRead, { params: { id: message.id } })
      const id = message.network_message_id?.split(':')[0] ?? ''
      await whatsapp.control.receipts({ person: ana, id, type: 'read' })
    }
  })

  test('of which a message is overtaken by later ones is read completely', async () => {
    await receives({ text: 'First' }, { to: group })
    await whatsapp.control.fault({
      on: 'delivery',
      account: shop,
      fault: { kind: 'delay', milliseconds: 1_000 },
    })
    const late = await whatsapp.control.write({ from: ana, to: group, text: 'Overtaken' })
    for (const words of ['Earlier', 'And again']) await receives({ text: words }, { to: group })
    assert.equal((await came(late)).text, 'Overtaken')
    const settled = await whatsapp.control.settled({ id: late })
    assert.ok(!settled.some(({ type }) => type === 'retry'), 'it was asked for again')
  })
})

test('what the shop writes on its phone is shown as sent elsewhere, and what it sends itself is not', async () => {
  const id = await whatsapp.control.write({ from: shop, to: ana, text: 'From the phone' })
  const sent = await text(posthorn.admin, { instance: 'shop', to: `+${ana}`, text: 'From the server' }, 20)
  const seen = await elsewhere('From the phone')
  assert.deepEqual(
    seen.map(({ text: words, conversation, network_message_id: name }) => [words, conversation, name]),
    [['From the phone', `+${ana}`, id]],
  )
  assert.ok((await outbound()).some((message) => message.id === sent.id && message.origin === 'posthorn'))
})

test('what cannot be decrypted is asked for again, and comes', async () => {
  await receives({ text: 'Before' })
  await whatsapp.control.renewPhone({ person: ben })
  const message = await receives({ text: 'From a new phone' }, { from: ben })
  assert.equal(message.text, 'From a new phone')
})

test('a status that nobody can decrypt is acknowledged, also in the mail that waited, and stalls nothing', async () => {
  const first = await whatsapp.control.sendUnreadable({ from: ana, to: shop, what: 'status' })
  await whatsapp.control.settled({ id: first, type: 'ack' })
  await posthorn.stop()
  const waiting = await whatsapp.control.sendUnreadable({ from: ana, to: shop, what: 'status' })
  const texts = Array.from({ length: 150 }, (_, index) => `While away ${index}`)
  for (const words of texts) await whatsapp.control.write({ from: ana, to: shop, text: words })
  await whatsapp.control.write({ from: shop, to: ana, text: 'From the phone, meanwhile' })
  posthorn = await start()
  const read = async () => (await all()).filter((message) => message.text?.startsWith('While away '))
  const kept = await eventually('all of them', read, ({ length }) => length >= texts.length)
  assert.deepEqual(
    kept.map((message) => message.text),
    texts,
  )
  await whatsapp.control.settled({ id: waiting, type: 'ack' })
  const isEmpty = (devices: readonly { waiting: number }[]) => devices.every(({ waiting }) => waiting === 0)
  await eventually('an empty mailbox', () => whatsapp.control.devices({ person: shop }), isEmpty)
  await elsewhere('From the phone, meanwhile')
})

test('a text that WhatsApp delivers twice, and one that comes while the connection is cut, are there once', async () => {
  await whatsapp.control.fault({ on: 'delivery', account: shop, fault: { kind: 'twice' } })
  await receives({ text: 'Twice' })
  await whatsapp.control.disturb({ person: shop, fault: { kind: 'cut' } })
  for (const words of ['Cut 1', 'Cut 2']) await receives({ text: words })
  const texts = (await all()).map((message) => message.text)
  for (const words of ['Twice', 'Cut 1', 'Cut 2'])
    assert.equal(texts.filter((each) => each === words).length, 1, words)
})

test('what strangers send that nobody can decrypt is asked for and acknowledged, and stalls nothing', async () => {
  // Were each of them waited for, a neighbour's message behind them would be late, and WhatsApp would end the stream.
  await whatsapp.control.change({ person: shop, ackWithin: 15_000 })
  const before = await whatsapp.control.streams({})
  for (const what of ['message', 'unknown encryption'] as const) {
    const ids = []
    for (let count = 0; count < 20; count += 1)
      ids.push(await whatsapp.control.sendUnreadable({ from: ben, to: shop, what }))
    await receives({ text: `After what nobody can decrypt: ${what}` })
    for (const id of ids) await whatsapp.control.settled({ id, type: 'ack' })
  }
  await whatsapp.control.change({ person: shop, ackWithin: 0 })
  assert.equal((await whatsapp.control.streams({})).opened, before.opened)
})

test('WhatsApp, which ends the stream when acknowledgements stay away, has no reason to', async () => {
  await whatsapp.control.change({ person: shop, ackWithin: 15_000 })
  const before = await whatsapp.control.streams({})
  const ids = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      whatsapp.control.write({ from: ana, to: shop, text: `${index}` }),
    ),
  )
  for (const id of ids) await whatsapp.control.settled({ id, type: 'ack' })
  await whatsapp.control.change({ person: shop, ackWithin: 0 })
  assert.equal((await whatsapp.control.streams({})).opened, before.opened)
})

test('what forges a stranger changes nothing', async () => {
  for (const what of ['history', 'keys'] as const) {
    const id = await whatsapp.control.forge({ from: ben, to: shop, what, text: 'Forged history' })
    await whatsapp.control.settled({ id, type: 'ack' })
  }
  await receives({ text: 'After the forgery' })
  assert.ok(!(await all()).some((message) => message.text === 'Forged history'))
  await becomes(posthorn, 'shop', 'connected')
})
