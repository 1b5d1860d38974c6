import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  sendContactsMessage,
  sendInteractiveMessage,
  sendLocationMessage,
  sendPollMessage,
} from '../../../../src/contract/operations/content-operations.ts'
import { getContactPicture } from '../../../../src/contract/operations/conversation-operations.ts'
import {
  editMessage,
  reactToMessage,
  retractMessage,
} from '../../../../src/contract/operations/following-operations.ts'
import { createInstance, showTyping } from '../../../../src/contract/operations/instance-operations.ts'
import { sendMediaMessage, sendTextMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { problemOf } from '../../../kit/http/problem-of.ts'
import { sampleHeads } from '../../../kit/media-samples.ts'
import { eventually, everythingReceived, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startTelegram, type TelegramProcess } from '../../../simulators/telegram/start-telegram.ts'

describe('a whole conversation at Telegram', { timeout: 120_000 }, () => {
  let telegram: TelegramProcess
  let posthorn: Posthorn
  let token: string
  let ana: number
  let to: { instance: string; to: string }

  before(async () => {
    telegram = await startTelegram({ after: () => {} })
    await telegram.control.limit({ bot: null, chat: null, group: null })
    posthorn = await startPosthorn({ environment: { POSTHORN_TELEGRAM_API: telegram.url } })
    token = (await telegram.control.createBot({ username: 'Clinic_bot' })).token
    ana = await telegram.control.createPerson({ first_name: 'Ana', last_name: 'Souza', username: 'ana' })
    const settings = { pacing: { messages: 1_000, seconds: 1 } }
    const body = { name: 'clinic', network: 'telegram', settings, credentials: { token } }
    const created = await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    assert.equal(created.body.status, 'connected', JSON.stringify(created.body.reason))
    await telegram.control.write({ token, chat: ana, text: 'Hello' })
    to = { instance: 'clinic', to: String(ana) }
  })
  after(async () => {
    await posthorn?.stop()
    await telegram?.stop()
  })

  /** The number of a message in its chat, which Telegram has. */
  const numberOf = ({ status, error, network_message_id }: Message) => {
    assert.equal(status, 'sent', JSON.stringify(error))
    return Number(network_message_id?.split(':')[1])
  }
  const received = (fits: (message: Message) => boolean) =>
    eventually(
      'what Ana did',
      async () => (await everythingReceived(posthorn.admin, 'clinic')).find(fits),
      (found) => found !== undefined,
    ) as Promise<Message>
  const about = ({ id }: Message, kind: Message['kind']) =>
    received((message) => message.relation?.message_id === id && message.kind === kind)
  const faults = async (call: Promise<unknown>) =>
    (await problemOf(call)).problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)
  const ask = async (body: object) =>
    (
      await posthorn.admin.call(sendInteractiveMessage, {
        body: { ...to, body: 'Tomorrow at ten?', ...body },
        waitSeconds: 20,
      })
    ).body
  const buttons = [
    { id: 'yes', title: 'Yes', payload: 'slot-7' },
    { id: 'no', title: 'No' },
  ]

  test('a person who writes has names', async () => {
    const { sender } = await received((message) => message.text === 'Hello')
    assert.deepEqual(sender, { address: String(ana), name: 'Ana Souza', username: 'ana' })
  })

  test('a person shows a picture or none, and the bytes come from Posthorn alone', async () => {
    const big = Buffer.from(sampleHeads['photo.jpg'])
    await telegram.control.setPicture({
      chat: ana,
      ...{ small: Buffer.from('small').toString('base64'), big: big.toString('base64') },
    })
    const params = { name: 'clinic', address: String(ana) }
    const found = await posthorn.admin.call(getContactPicture, { params })
    assert.deepEqual(Buffer.from(found.bytes ?? []), big)
    assert.equal(found.headers.location, undefined)
    const bob = await telegram.control.createPerson({ first_name: 'Bob' })
    await telegram.control.write({ token, chat: bob, text: 'Hi' })
    for (const address of [String(bob), '6000000001']) {
      const none = problemOf(posthorn.admin.call(getContactPicture, { params: { name: 'clinic', address } }))
      assert.match((await none).code, /^(picture_not_found|network_refused)$/)
    }
  })

  test('the button that was tapped comes with the payload that it was sent with, and the tap is answered once', async () => {
    const asked = await ask({ buttons })
    const id = await telegram.control.tap({ token, chat: ana, message_id: numberOf(asked), data: 'yes' })
    const reply = await about(asked, 'button_reply')
    assert.deepEqual(reply.button_reply, { id: 'yes', title: 'Yes', payload: 'slot-7' })
    assert.equal(reply.text, 'Yes')
    assert.equal(await telegram.control.tapAnswers({ id, count: 1 }), 1)
    const page = await ask({ url_button: { title: 'Directions', url: 'https://example.org/map' } })
    numberOf(page)
    const shown = (await telegram.control.received({ token, chat: ana })).at(-1)
    assert.deepEqual(shown?.keyboard, [[{ text: 'Directions', url: 'https://example.org/map' }]])
  })

  test('votes come with their words, also after a restart, and when they are taken back', async () => {
    const body = { ...to, question: 'Which day?', options: ['Monday', 'Friday'], multiple_answers: true }
    const { body: poll } = await posthorn.admin.call(sendPollMessage, { body, waitSeconds: 20 })
    const vote = (...options: number[]) =>
      telegram.control.vote({ token, chat: ana, message_id: numberOf(poll), options })
    await vote(0, 1)
    assert.deepEqual((await about(poll, 'poll_vote')).poll_vote, { options: ['Monday', 'Friday'] })
    posthorn = await posthorn.restart()
    await vote(1)
    await vote()
    for (const options of [['Friday'], []])
      await received((message) => JSON.stringify(message.poll_vote) === JSON.stringify({ options }))
  })

  test('a place, a person, a video and a sticker arrive as such', async () => {
    const at = { latitude: -23.561414, longitude: -46.655881 }
    const place = { ...to, ...at, name: 'MASP', address: 'Av. Paulista 1578' }
    numberOf((await posthorn.admin.call(sendLocationMessage, { body: place, waitSeconds: 20 })).body)
    const contacts = [{ name: 'Dr. Lima', phones: ['+55 11 98765-4321'] }]
    numberOf(
      (await posthorn.admin.call(sendContactsMessage, { body: { ...to, contacts }, waitSeconds: 20 })).body,
    )
    const files = [
      ['video', 'tour.mp4', sampleHeads['recording.m4a']],
      ['sticker', 'smile.webp', sampleHeads['sticker.webp']],
    ] as const
    for (const [kind, filename, bytes] of files) {
      const body = new FormData()
      for (const [name, value] of Object.entries({ ...to, kind, filename })) body.set(name, value)
      body.set('file', new Blob([new Uint8Array(bytes)]), filename)
      numberOf((await posthorn.admin.call(sendMediaMessage, { body, waitSeconds: 20 })).body)
    }
    const shown = (await telegram.control.received({ token, chat: ana })).slice(-4)
    assert.deepEqual(
      shown.map(({ kind }) => kind),
      ['venue', 'contact', 'video', 'sticker'],
    )
    await telegram.control.write({
      token,
      chat: ana,
      sticker: { base64: Buffer.from(sampleHeads['sticker.webp']).toString('base64') },
    })
    await received(({ kind, media }) => kind === 'sticker' && media?.sha256 != null)
    await telegram.control.write({ token, chat: ana, location: at })
    assert.deepEqual((await received(({ kind }) => kind === 'location')).location, {
      ...at,
      ...{ name: null, address: null },
    })
  })

  test('a reaction, an edit, a reply and a retraction, both ways', async () => {
    const first = await text(posthorn.admin, { ...to, text: 'Your order is on its way' }, 20)
    const message_id = numberOf(first)
    const act = { token, chat: ana, message_id }
    await telegram.control.react({ ...act, reactions: [{ type: 'emoji', emoji: '❤' }] })
    assert.equal((await about(first, 'reaction')).text, '❤')
    const answer = await telegram.control.write({ token, chat: ana, text: 'When?', reply_to: message_id })
    const asked = await about(first, 'text')
    const before = (await telegram.control.received({ token, chat: ana })).length
    const wait = { waitSeconds: 20 }
    const sent = [
      await posthorn.admin.call(reactToMessage, { params: { id: asked.id }, body: { emoji: '👍' }, ...wait }),
      await posthorn.admin.call(editMessage, {
        params: { id: first.id },
        body: { text: 'It is here' },
        ...wait,
      }),
      await posthorn.admin.call(retractMessage, { params: { id: first.id }, body: {}, ...wait }),
    ]
    for (const { body } of sent) assert.equal(body.status, 'sent', JSON.stringify(body.error))
    const reply = await text(posthorn.admin, { ...to, text: 'Today', reply_to: asked.id }, 20)
    numberOf(reply)
    const changes = (await telegram.control.received({ token, chat: ana })).slice(before)
    assert.deepEqual(
      changes.map((change) => [
        change.kind,
        change.kind === 'text' ? change.reply_to : change.message_id,
        change.text,
      ]),
      [
        ['reaction', answer, '👍'],
        ['edit', message_id, 'It is here'],
        ['deletion', message_id, undefined],
        ['text', answer, 'Today'],
      ],
    )
  })

  test('what Telegram cannot show is refused before it is accepted', async () => {
    const place = { ...to, latitude: 1, longitude: 2, name: 'MASP' }
    const location = posthorn.admin.call(sendLocationMessage, { body: place })
    assert.deepEqual(await faults(location), ['/address not_supported'])
    const person = { name: 'Dr. Lima', phones: ['+55 11 1'] }
    for (const contacts of [[person, person], [{ name: 'Dr. Lima' }]]) {
      const call = posthorn.admin.call(sendContactsMessage, { body: { ...to, contacts } })
      assert.deepEqual(await faults(call), ['/contacts not_supported'])
    }
    assert.deepEqual(await faults(ask({ buttons: [{ id: 'é'.repeat(33), title: 'Yes' }] })), [
      '/buttons too_long',
    ])
    assert.deepEqual(await faults(ask({ buttons, footer: 'Clinic' })), ['/footer not_supported'])
    const inTopic = text(posthorn.admin, { ...to, text: 'Hello', topic: 'orders' })
    assert.deepEqual(await faults(inTopic), ['/topic not_supported'])
    const body = { ...to, kind: 'sticker', url: 'https://example.org/a.webp', caption: 'Look' } as const
    assert.deepEqual(await faults(posthorn.admin.call(sendMediaMessage, { body })), ['/caption not_allowed'])
  })

  test('a mention that the text does not have is refused, because Telegram would drop it', async () => {
    const chat = await telegram.control.createGroup({ type: 'supergroup', title: 'Crew', bots: [token] })
    const toCrew = { ...to, to: String(chat) }
    const mentioning = (text: string, ...mentions: string[]) =>
      posthorn.admin.call(sendTextMessage, { body: { ...toCrew, text, mentions } })
    assert.deepEqual(await faults(mentioning('Hello', '7000000001')), ['/mentions/0 mention_not_in_text'])
    const longer = mentioning('Hello @70000000012, @some_groups', '7000000001', '@Some_Group')
    assert.deepEqual(await faults(longer), [
      '/mentions/0 mention_not_in_text',
      '/mentions/1 mention_not_in_text',
    ])
    await mentioning('Hello @7000000001 and @some_group', '7000000001', '@Some_Group')
    const file = { ...toCrew, kind: 'image' as const, url: 'https://example.org/a.png' }
    const sent = posthorn.admin.call(sendMediaMessage, { body: { ...file, mentions: ['7000000001'] } })
    assert.deepEqual(await faults(sent), ['/mentions/0 mention_not_in_text'])
  })

  test('a conversation in a topic of a group stays there', async () => {
    const chat = await telegram.control.createGroup({ type: 'supergroup', title: 'Shop', bots: [token] })
    const topic = await telegram.control.createTopic({ chat, name: 'Orders' })
    await telegram.control.write({ chat, from: ana, text: 'Where is mine?', topic })
    const asked = await received((message) => message.text === 'Where is mine?')
    assert.deepEqual([asked.topic, asked.from], [{ id: String(topic), name: 'Orders' }, String(ana)])
    const reply = { instance: 'clinic', to: String(chat), text: 'On its way', reply_to: asked.id }
    numberOf(await text(posthorn.admin, reply, 20))
    assert.equal((await telegram.control.received({ chat })).at(-1)?.thread, topic)
    const named = { instance: 'clinic', to: String(chat), topic: String(topic), text: 'It is here' }
    const first = await text(posthorn.admin, named, 20)
    const following = { instance: 'clinic', to: named.to, text: 'At the door', reply_to: first.id }
    const second = await text(posthorn.admin, following, 20)
    for (const message of [first, second]) {
      numberOf(message)
      assert.equal(message.topic?.id, String(topic))
    }
    const params = { name: 'clinic' }
    await posthorn.admin.call(showTyping, { params, body: { to: named.to, topic: named.topic, seconds: 1 } })
    const [typing] = await telegram.control.typings({ token, count: 1 })
    assert.deepEqual([typing?.chat, typing?.thread], [chat, topic])
    const shown = (await telegram.control.received({ chat })).slice(-2)
    assert.deepEqual(
      shown.map(({ thread }) => thread),
      [topic, topic],
    )
    // Telegram tells of reactions in groups only if the bot is an administrator.
    await telegram.control.promote({ token, chat })
    const [{ message_id } = assert.fail()] = await telegram.control.received({ chat })
    await telegram.control.react({ token, chat, from: ana, message_id, reactions: [{ type: 'paid' }] })
    const reaction = await received(
      ({ kind, conversation }) => kind === 'reaction' && conversation === String(chat),
    )
    assert.deepEqual([reaction.text, reaction.from], ['⭐', String(ana)])
  })
})
