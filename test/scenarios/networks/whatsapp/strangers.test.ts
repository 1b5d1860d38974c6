import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { restartInstance, stopInstance } from '../../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { whatsappIdOf } from '../../../../src/networks/whatsapp/message-id.ts'
import { sampleHeads } from '../../../kit/media-samples.ts'
import { becomes, environmentFor, linkByPicture } from '../../../kit/networks/whatsapp/stage.ts'
import { workersOf } from '../../../kit/networks/whatsapp/workers.ts'
import { eventually, everythingReceived, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'
const neighbour = '4915100000002'
const ana = '4915100000003'
const mallory = '4915100000004'

/*
 * Two accounts share a worker. An unknown sender writes to one of them messages that break the rules, or that few people
 * write.
 */

describe('an account that anybody can write to', { timeout: 180_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn
  let anaLid: string

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    posthorn = await startPosthorn({ environment: environmentFor(whatsapp) })
    for (const phone of [shop, neighbour, mallory]) await whatsapp.control.createPerson({ phone })
    anaLid = await whatsapp.control.createPerson({ phone: ana, name: 'Ana' })
    await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
    await linkByPicture({ whatsapp, posthorn }, { name: 'neighbour', phone: neighbour })
  })
  after(async () => {
    await posthorn?.stop()
    await whatsapp?.stop()
  })

  type Writing = Omit<Parameters<WhatsAppProcess['control']['write']>[0], 'from' | 'to'>

  const all = (instance = 'shop') => everythingReceived(posthorn.admin, instance)
  const came = async (id: string, enough: (message: Message) => boolean = () => true) => {
    const find = async () => (await all()).find(({ network_message_id: name }) => name?.startsWith(id))
    const found = await eventually(`the message ${id}`, find, (message) => !!message && enough(message))
    return found ?? assert.fail()
  }
  const receives = async (writing: Writing) =>
    await came(await whatsapp.control.write({ from: ana, to: shop, ...writing }))
  const emptyMailbox = () =>
    eventually(
      'an empty mailbox',
      () => whatsapp.control.devices({ person: shop, connected: 1 }),
      (devices) => devices.every(({ waiting }) => waiting === 0),
    )
  /** Returns the client's words about a message to WhatsApp and to its sender, errors included, each once. */
  const said = async (id: string) => {
    await whatsapp.control.settled({ id, type: 'ack' })
    const settled = await whatsapp.control.settled({ id })
    return [...new Set(settled.map(({ type, error }) => (error === undefined ? type : `${type} ${error}`)))]
  }

  test('what comes again though it is stored is confirmed again, not refused, and there once', async () => {
    const group = await whatsapp.control.createGroup({ subject: 'Market', members: [shop, ana] })
    await whatsapp.control.change({ person: shop, losesAcks: true })
    const written: string[] = []
    for (const to of [shop, shop, group, group])
      written.push(await whatsapp.control.write({ from: ana, to, text: `Again ${written.length}` }))
    const own = await whatsapp.control.write({ from: shop, to: ana, text: 'From the phone' })
    for (const id of [...written, own]) await whatsapp.control.settled({ id, type: 'ack' })
    await whatsapp.control.change({ person: shop, losesAcks: false })
    await whatsapp.control.disturb({ person: shop, fault: { kind: 'cut' } })
    await emptyMailbox()
    for (const id of written) assert.deepEqual((await said(id)).toSorted(), ['ack', 'inactive'])
    assert.deepEqual((await said(own)).toSorted(), ['ack', 'sender'])
    const texts = (await all()).map((message) => message.text)
    assert.deepEqual(
      texts.filter((words) => words?.startsWith('Again')).toSorted(),
      written.map((_, each) => `Again ${each}`),
    )
  })

  describe('to whom somebody writes what is no message, or hardly one,', () => {
    const small = Buffer.from('Hello')
    let deep = field(1, small)
    for (let depth = 0; depth < 5_000; depth++) deep = field(40, field(1, deep))
    let nested = field(1, small)
    for (let depth = 0; depth < 500; depth++) nested = field(40, field(1, nested))
    const contacts = (size: number) => field(13, Buffer.alloc(size, Buffer.from([0x12, 0])))

    const writings: [
      what: string,
      bytes: Buffer,
      type: string | null,
      attributes?: Record<string, string>,
    ][] = [
      ['random bytes', Buffer.concat([Buffer.from([0xff]), randomBytes(500)]), 'unknown'],
      ['nothing', Buffer.alloc(0), null],
      ['a text that is a number', Buffer.from([8, 5]), 'unknown'],
      ['a message in a message, five thousand times', deep, 'unknown'],
      ['a message in a message, five hundred times', nested, 'unknown'],
      ['ten thousand contacts', contacts(20_000), 'contact'],
      ['a hundred thousand contacts', contacts(200_000), 'unknown'],
      ['millions of contacts', contacts(8_000_000), 'unknown'],
      ['fields that nobody knows', Buffer.concat([field(500, small), field(9_999, small)]), 'unknown'],
      [
        'an attribute that only its own phone uses',
        field(1, small),
        null,
        { recipient: `${ana}@s.whatsapp.net` },
      ],
    ]
    for (const [what, bytes, type, attributes] of writings)
      test(`${what}, goes on`, async () => {
        const { opened } = await whatsapp.control.streams({})
        const workers = workersOf(process.pid)
        const encoded = { bytes: bytes.toString('base64'), ...(attributes && { attributes }) }
        const id = await whatsapp.control.writeBytes({ from: mallory, to: shop, ...encoded })
        await whatsapp.control.settled({ id, type: 'ack' })
        await receives({ text: `After ${what}` })
        const shown = (await all()).find(({ network_message_id: name }) => name?.startsWith(id))
        assert.equal(shown?.unsupported?.type ?? null, type)
        assert.equal((await whatsapp.control.streams({})).opened, opened)
        assert.deepEqual(workersOf(process.pid), workers)
      })
  })

  test('gets no message with an id that makes no sense, and one with the id of its own beside its own', async () => {
    const sent = await text(posthorn.admin, { instance: 'shop', to: `+${mallory}`, text: 'Ours' }, 20)
    const own = whatsappIdOf(sent.id.replace(/^msg_/, ''))
    for (const id of ['x'.repeat(1_000), 'with a space', 'with\u0000control\ncharacters']) {
      await whatsapp.control.write({ from: mallory, to: shop, id, text: 'No id' })
      await whatsapp.control.settled({ id, type: 'ack' })
    }
    const forged = await came(
      await whatsapp.control.write({ from: mallory, to: shop, id: own, text: 'Mine' }),
    )
    assert.equal(forged.direction, 'inbound')
    const { body: now } = await posthorn.admin.call(getMessage, { params: { id: sent.id } })
    assert.deepEqual([now.text, now.direction, now.to], ['Ours', 'outbound', sent.to])
    assert.ok(!(await all()).some((message) => message.text === 'No id'))
  })

  test('sends nobody again what was meant for somebody else', async () => {
    const send = async (to: string, words: string) => {
      const { id } = await text(posthorn.admin, { instance: 'shop', to: `+${to}`, text: words }, 20)
      return whatsappIdOf(id.replace(/^msg_/, ''))
    }
    const secret = await send(ana, 'For Ana alone')
    const own = await send(mallory, 'For Mallory')
    await whatsapp.control.received({ person: mallory, from: shop, count: 1 })
    for (const addressing of ['lid', 'pn'] as const) {
      await whatsapp.control.askAgain({ person: mallory, of: shop, id: secret, addressing })
      const copies = () => whatsapp.control.copies({ person: mallory, id: own })
      const before = await copies()
      await whatsapp.control.askAgain({ person: mallory, of: shop, id: own, addressing })
      await eventually('another copy of the own one', copies, (now) => now > before)
    }
    const shown = await whatsapp.control.received({ person: mallory })
    assert.ok(!shown.some((message) => message.text === 'For Ana alone'))
  })

  test('asks WhatsApp for nothing when somebody asks for messages that there never were', async () => {
    const { id } = await text(
      posthorn.admin,
      { instance: 'shop', to: `+${mallory}`, text: 'The only one' },
      20,
    )
    const own = whatsappIdOf(id.replace(/^msg_/, ''))
    await whatsapp.control.messages({ id: own, count: 1 })
    const questions = async () => (await whatsapp.control.questions({})).asked['encrypt/key'] ?? 0
    const before = await questions()
    for (let number = 0; number < 50; number++)
      await whatsapp.control.askAgain({ person: mallory, of: shop, id: `3EB0${number}` })
    await whatsapp.control.askAgain({ person: mallory, of: shop, id: own })
    const copies = () => whatsapp.control.copies({ person: mallory, id: own })
    await eventually('a copy of the one that there was', copies, (now) => now > 1)
    assert.ok((await questions()) <= before + 1)
  })

  test('shows names of files without what could fool who reads them', async () => {
    const file = {
      kind: 'document',
      bytes: Buffer.from('x').toString('base64'),
      mimetype: 'text/plain',
    } as const
    const fileName = '../../etc/in\u0000voice\u001b[31m\n.txt'
    const message = await receives({ file: { ...file, fileName } })
    assert.equal(message.media?.filename, 'invoice[31m.txt')
  })

  const kinds: [what: string, writing: Writing, kind: string, type: string | undefined][] = [
    ['a video', { file: sample('video', 'video/mp4') }, 'document', undefined],
    [
      'a sticker',
      { file: { ...sample('sticker', 'image/webp'), bytes: base64Of(sampleHeads['sticker.webp']) } },
      'sticker',
      undefined,
    ],
    ['a poll', { poll: { question: 'When?', options: ['Now', 'Later'] } }, 'poll', undefined],
  ]
  for (const [what, writing, kind, type] of kinds)
    test(`gets ${what} as ${type ?? kind}`, async () => {
      const message = await receives(writing)
      assert.deepEqual([message.kind, message.unsupported?.type], [kind, type])
    })

  describe('gets no file', () => {
    const fetched = ({ media, error }: Message) => media?.sha256 != null || error !== null
    const lies: [what: string, lie: NonNullable<Writing['file']>['lie'], code: string | null][] = [
      ['whose MAC is wrong', { about: 'mac' }, 'media_unreachable'],
      ['that is not the one that was sent', { about: 'digest' }, 'media_unreachable'],
      ['that is encrypted otherwise', { about: 'encrypted digest' }, 'media_unreachable'],
      ['that is said to be larger than any', { size: 10 ** 12 }, 'media_too_large'],
      ['but the right one, whatever is said of its size', { size: 3 }, null],
    ]
    for (const [what, lie, code] of lies)
      test(what, async () => {
        const file = { ...sample('document', 'application/pdf'), ...(lie && { lie }) }
        const id = await whatsapp.control.write({ from: ana, to: shop, file })
        const { media, error } = await came(id, fetched)
        const expected = createHash('sha256').update(Buffer.from(file.bytes, 'base64')).digest('hex')
        assert.deepEqual(
          [error?.code ?? null, media?.sha256 ?? null],
          [code, code === null ? expected : null],
        )
        if (error) assert.equal(error.permanent, true)
      })
  })

  test('gets the first messages of somebody new in their order', async () => {
    const phone = '4915100000005'
    await whatsapp.control.createPerson({ phone })
    const texts = Array.from({ length: 8 }, (_, each) => `From somebody new ${each}`)
    for (const words of texts) await whatsapp.control.write({ from: phone, to: shop, text: words })
    const read = async () => (await all()).filter((message) => message.text?.startsWith('From somebody new'))
    const messages = await eventually('all of them', read, ({ length }) => length === texts.length)
    assert.deepEqual(
      messages.map((message) => message.text),
      texts,
    )
  })

  test('answers somebody who wrote to a list of people as if they had written to it alone', async () => {
    const direct = await receives({ text: 'To you' })
    const id = await whatsapp.control.writeToList({ from: ana, to: shop, list: '1458213141', text: 'To all' })
    const message = await came(id)
    assert.deepEqual(
      [message.text, message.from, message.conversation, message.aliases],
      ['To all', direct.from, direct.conversation, direct.aliases],
    )
    await whatsapp.control.settled({ id, type: 'ack' })
    await whatsapp.control.receipts({ person: ana, id, type: 'delivery' })
  })

  test('loses nobody to a stranger who floods another: every message arrives, and does not wait for the flood', async (context) => {
    await posthorn.admin.call(stopInstance, { params: { name: 'shop' }, waitSeconds: 20 })
    const flood = Array.from({ length: 60 }, (_, each) => `Flood ${each}`)
    // Together, they are more than the client of the shop holds: a business card of 900 KB each.
    const bytes = field(4, field(16, Buffer.alloc(900_000, 'x'))).toString('base64')
    const written: string[] = []
    for (const words of flood) {
      written.push(await whatsapp.control.write({ from: mallory, to: shop, text: words }))
      written.push(await whatsapp.control.writeBytes({ from: mallory, to: shop, bytes }))
    }
    const { opened } = await whatsapp.control.streams({})
    await posthorn.admin.call(restartInstance, { params: { name: 'shop' } })
    const texts = Array.from({ length: 10 }, (_, each) => `For the neighbour ${each}`)
    for (const words of texts) {
      const id = await whatsapp.control.write({ from: ana, to: neighbour, text: words })
      await whatsapp.control.settled({ id, type: 'ack' })
    }
    const [early] = await whatsapp.control.devices({ person: shop })
    context.diagnostic(`${early?.waiting} of the flood still waited then`)
    assert.ok((early?.waiting ?? 0) > 0)
    assert.deepEqual(
      (await all('neighbour')).map((message) => message.text),
      texts,
    )
    for (const id of written) await whatsapp.control.settled({ id, type: 'ack' })
    const late = (await all()).flatMap((message) => (message.text?.startsWith('Flood ') ? message.text : []))
    assert.deepEqual(late, flood)
    assert.equal((await whatsapp.control.streams({})).opened, opened + 1)
    await becomes(posthorn, 'neighbour', 'connected')
  })

  test('knows somebody with a new number by the id that stays', async () => {
    const before = await receives({ text: 'With my old number' })
    const renewed = '4915100000099'
    await whatsapp.control.changeNumber({ person: ana, phone: renewed })
    const id = await whatsapp.control.write({ from: renewed, to: shop, text: 'With my new number' })
    const message = await came(id)
    assert.deepEqual([before.aliases, message.from], [[`${anaLid}@lid`], `+${renewed}`])
    assert.ok(message.aliases.includes(`${anaLid}@lid`))
    const answer = await text(
      posthorn.admin,
      { instance: 'shop', to: message.conversation, text: 'Noted' },
      20,
    )
    assert.ok(answer.sent_at, JSON.stringify(answer.error))
    const shown = async () => await whatsapp.control.received({ person: renewed, from: shop })
    await eventually('the answer', shown, (messages) => messages.some(({ text: words }) => words === 'Noted'))
  })
})

/** A file of this kind. */
function sample<Kind extends string>(kind: Kind, mimetype: string) {
  return { kind, mimetype, bytes: base64Of(randomBytes(5_000)) }
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** A field of a protobuf message, of the type that has a length. */
function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}
