import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  sendContactsMessage,
  sendLocationMessage,
  sendPollMessage,
} from '../../../../../src/contract/operations/content-operations.ts'
import {
  editMessage,
  reactToMessage,
  retractMessage,
} from '../../../../../src/contract/operations/following-operations.ts'
import { sendMediaMessage } from '../../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../../src/contract/resources/message.ts'
import { whatsappIdOf } from '../../../../../src/networks/whatsapp/message-id.ts'
import { environmentFor, linkByPicture } from '../../../../kit/networks/whatsapp/stage.ts'
import { eventually, everythingReceived, reaches, text } from '../../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../../simulators/whatsapp/start-whatsapp.ts'

const shop = '4915100000001'

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

async function newPerson(): Promise<{ phone: string; lid: string }> {
  const phone = `4915100${String(1000 + people++).padStart(6, '0')}`
  return { phone, lid: await whatsapp.control.createPerson({ phone }) }
}

/** The message as the phone of a person shows it, once it is there. */
async function shown(person: string, { id }: Message) {
  const name = whatsappIdOf(id.replace(/^msg_/, ''))
  const all = () => whatsapp.control.received({ person })
  const seen = await eventually(`${id} on the phone`, all, (messages) =>
    messages.some((message) => message.id === name),
  )
  await reaches(posthorn.admin, id, 'delivered')
  return seen.find((message) => message.id === name) ?? assert.fail()
}

const say = (to: string, words: string, more: object = {}) =>
  text(posthorn.admin, { instance: 'shop', to, text: words, ...more })

/** The message as the server has it, once it came in. */
async function came(id: string): Promise<Message> {
  const find = async () =>
    (await everythingReceived(posthorn.admin, 'shop')).find((message) =>
      message.network_message_id?.startsWith(id),
    )
  return (await eventually(`the message ${id}`, find, (message) => message !== undefined)) ?? assert.fail()
}

async function follow(
  message: Message,
  change: { emoji: string | null } | { text: string } | { caption: string } | 'retract',
): Promise<Message> {
  const params = { id: message.id }
  if (change === 'retract') return (await posthorn.admin.call(retractMessage, { params, body: {} })).body
  if ('emoji' in change) return (await posthorn.admin.call(reactToMessage, { params, body: change })).body
  return (await posthorn.admin.call(editMessage, { params, body: change })).body
}

describe('whole conversations with people on WhatsApp', { timeout: 180_000 }, () => {
  test('what changes a message finds it on the phone, by the name that the chat has for it', async () => {
    const { phone, lid } = await newPerson()
    for (const to of [`+${phone}`, `${lid}@lid`]) {
      const first = await say(to, 'Until six')
      const { id } = await shown(phone, first)
      const target = { author: shop, isKnown: true, isWellNamed: true }
      const reply = await shown(phone, await say(to, 'And tomorrow', { reply_to: first.id }))
      assert.deepEqual(
        [reply.kind, reply.text, reply.about, reply.target],
        ['text', 'And tomorrow', id, target],
      )
      const thumb = await shown(phone, await follow(first, { emoji: '👍' }))
      assert.deepEqual([thumb.kind, thumb.text, thumb.about, thumb.target], ['reaction', '👍', id, target])
      const edit = await shown(phone, await follow(first, { text: 'Until 7' }))
      assert.deepEqual([edit.kind, edit.text, edit.about, edit.edit], ['edit', 'Until 7', id, '1'])
      assert.deepEqual(edit.target, target)
      assert.equal((await shown(phone, await follow(first, { emoji: null }))).text, '')
      const gone = await shown(phone, await follow(first, 'retract'))
      assert.deepEqual([gone.kind, gone.about, gone.edit, gone.target], ['revoke', id, '7', target])
    }
  })

  test('the shop replies and reacts to what a person wrote', async () => {
    const { phone } = await newPerson()
    const id = await whatsapp.control.write({ from: phone, to: shop, text: 'Open?' })
    const question = await came(id)
    const target = { author: phone, isKnown: true, isWellNamed: true }
    const reply = await shown(phone, await say(`+${phone}`, 'Yes', { reply_to: question.id }))
    assert.deepEqual([reply.about, reply.target], [id, target])
    const thumb = await shown(phone, await follow(question, { emoji: '🎉' }))
    assert.deepEqual([thumb.about, thumb.target], [id, target])
    const own = (await whatsapp.control.received({ person: shop })).find((message) => message.id === thumb.id)
    assert.deepEqual([own?.isOwn, own?.kind, own?.about], [true, 'reaction', id])
  })

  for (const addressing of ['lid', 'pn'] as const)
    test(`in a group by ${addressing}, the author of a message and the people mentioned have its names`, async () => {
      const [ana, ben] = [await newPerson(), await newPerson()]
      const members = [ana.phone, ben.phone, shop]
      const group = await whatsapp.control.createGroup({ subject: 'Market', members, addressing })
      const jid = ({ phone, lid }: { phone: string; lid: string }) =>
        addressing === 'lid' ? `${lid}@lid` : `${phone}@s.whatsapp.net`
      const id = await whatsapp.control.write({ from: ana.phone, to: group, text: 'Who comes?' })
      const question = await came(id)
      const words = `@${ben.phone} and @${ana.lid}, not @${ben.phone}0`
      const reply = await shown(
        ben.phone,
        await say(`${group}@g.us`, words, {
          reply_to: question.id,
          mentions: [`+${ben.phone}`, `${ana.lid}@lid`],
        }),
      )
      assert.deepEqual(reply.target, { author: ana.phone, isKnown: true, isWellNamed: true })
      assert.deepEqual(reply.mentions, [jid(ben), jid(ana)])
      const digits = (name: string) => name.replace(/@.*/, '')
      assert.equal(reply.text, `@${digits(jid(ben))} and @${digits(jid(ana))}, not @${ben.phone}0`)
      const thumb = await shown(ana.phone, await follow(question, { emoji: '👍' }))
      assert.deepEqual(thumb.target, { author: ana.phone, isKnown: true, isWellNamed: true })
      const own = await say(`${group}@g.us`, 'At six')
      const edit = await shown(ben.phone, await follow(own, { text: 'At 7' }))
      assert.deepEqual([edit.text, edit.target], ['At 7', { author: shop, isKnown: true, isWellNamed: true }])
    })

  test('a place and people arrive as such', async () => {
    const { phone } = await newPerson()
    const to = { instance: 'shop', to: `+${phone}` }
    const location = { latitude: -23.5614, longitude: -46.6559, name: 'MASP', address: 'Av. Paulista 1578' }
    const { body: place } = await posthorn.admin.call(sendLocationMessage, { body: { ...to, ...location } })
    assert.deepEqual((await shown(phone, place)).shown, { location })
    const person = (name: string) => ({ name, phones: ['+55 11 98765-4321'], company: 'A; B' })
    for (const names of [['Ana, the first'], ['Ana', 'Ben']]) {
      const body = { ...to, contacts: names.map(person) }
      const { body: sent } = await posthorn.admin.call(sendContactsMessage, { body })
      const contacts = names.map((name) => ({
        name,
        phones: ['+55 11 98765-4321'],
        accounts: ['5511987654321'],
      }))
      assert.deepEqual((await shown(phone, sent)).shown, { contacts })
    }
  })

  test('a video plays, a sticker sticks, and the caption of a file is edited with its file', async () => {
    const { phone } = await newPerson()
    const mp4 = Buffer.concat([
      Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'),
      Buffer.alloc(2000, 7),
    ])
    const vp8x = Buffer.from('RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\xff\x01\0\xff\x01\0', 'latin1')
    const send = async (kind: 'video' | 'sticker' | 'document', bytes: Buffer, caption?: string) => {
      const body = new FormData()
      const fields = { instance: 'shop', to: `+${phone}`, kind, ...(caption && { caption }) }
      for (const [name, value] of Object.entries(fields)) body.set(name, value)
      body.set('file', new Blob([new Uint8Array(bytes)]), kind === 'sticker' ? 'a.webp' : 'a.mp4')
      return (await posthorn.admin.call(sendMediaMessage, { body })).body
    }
    for (const kind of ['video', 'document'] as const) {
      const sent = await send(kind, mp4, 'Red')
      const video = await shown(phone, sent)
      assert.deepEqual([video.kind, video.media?.caption, video.media?.failure], [kind, 'Red', undefined])
      const edit = await shown(phone, await follow(sent, { caption: 'Blue' }))
      assert.deepEqual([edit.kind, edit.text, edit.media?.sha256], ['edit', 'Blue', video.media?.sha256])
    }
    const sticker = await shown(phone, await send('sticker', vp8x))
    const { mimetype, width, height, isAnimated, failure } = sticker.media ?? {}
    assert.deepEqual(
      [sticker.kind, mimetype, width, height, isAnimated, failure],
      ['sticker', 'image/webp', 512, 512, true, undefined],
    )
  })
})

describe('polls of the shop', { timeout: 120_000 }, () => {
  const options = ['Monday', 'Tuesday', 'Never']
  const ask = async (to: string, multiple_answers = false) => {
    const body = { instance: 'shop', to, question: 'When?', options, multiple_answers }
    return (await posthorn.admin.call(sendPollMessage, { body })).body
  }
  const votes = async (from: string, to: string, poll: string, chosen: readonly string[], more = {}) =>
    came(await whatsapp.control.write({ from, to, vote: { poll, options: chosen, ...more } }))

  test('votes come with their answers, and each of them names its poll', async () => {
    const { phone } = await newPerson()
    const poll = await ask(`+${phone}`, true)
    const seen = await shown(phone, poll)
    assert.deepEqual(seen.shown, { poll: { question: 'When?', options, selectable: 0 } })
    for (const chosen of [['Monday', 'Never'], ['Tuesday'], []]) {
      const vote = await votes(phone, shop, seen.id, chosen)
      assert.deepEqual([vote.kind, vote.poll_vote], ['poll_vote', { options: chosen }])
      assert.equal(vote.relation?.message_id, poll.id)
    }
  })

  for (const addressing of ['lid', 'pn'] as const)
    test(`members of a group by ${addressing} vote`, async () => {
      const [ana, ben] = [await newPerson(), await newPerson()]
      const members = [ana.phone, ben.phone, shop]
      const group = await whatsapp.control.createGroup({ subject: 'Team', members, addressing })
      const poll = await ask(`${group}@g.us`)
      for (const { phone } of [ana, ben]) {
        const seen = await shown(phone, poll)
        assert.equal(seen.shown?.poll?.selectable, 1)
        const vote = await votes(phone, group, seen.id, ['Tuesday'])
        assert.deepEqual(
          [vote.poll_vote, vote.from, vote.relation?.message_id],
          [{ options: ['Tuesday'] }, `+${phone}`, poll.id],
        )
      }
    })

  test('a vote is read after a restart, and one that pretends to be of another person is not', async () => {
    const [ana, ben] = [await newPerson(), await newPerson()]
    const group = await whatsapp.control.createGroup({
      subject: 'Team',
      members: [ana.phone, ben.phone, shop],
    })
    const poll = await ask(`${group}@g.us`)
    const seen = await shown(ana.phone, poll)
    posthorn = await posthorn.restart()
    const forged = await votes(ana.phone, group, seen.id, ['Never'], { pretends: `${ben.lid}@lid` })
    assert.deepEqual([forged.kind, forged.unsupported?.type], ['unsupported', 'poll_vote'])
    const vote = await votes(ana.phone, group, seen.id, ['Monday'])
    assert.deepEqual(vote.poll_vote, { options: ['Monday'] })
  })

  test('votes in a poll that the shop asked on its phone are read, and in those of others they are not', async () => {
    const { phone } = await newPerson()
    const poll = { question: 'When?', options }
    const own = await whatsapp.control.write({ from: shop, to: phone, poll })
    assert.deepEqual((await votes(phone, shop, own, ['Monday'])).poll_vote, { options: ['Monday'] })
    const theirs = await whatsapp.control.write({ from: phone, to: shop, poll })
    assert.deepEqual((await came(theirs)).poll, { ...poll, multiple_answers: false })
    const vote = await votes(phone, shop, theirs, ['Monday'])
    assert.deepEqual([vote.kind, vote.unsupported?.type], ['unsupported', 'poll_vote'])
    assert.equal(vote.relation?.message_id, (await came(theirs)).id)
  })
})
