import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  sendContactsMessage,
  sendInteractiveMessage,
  sendLocationMessage,
  sendMessageBatch,
  sendPollMessage,
} from '../../../src/contract/operations/content-operations.ts'
import {
  editMessage,
  reactToMessage,
  retractMessage,
} from '../../../src/contract/operations/following-operations.ts'
import { startInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import { cancelMessage, sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import type { TranscriptLine } from '../../../src/networks/sandbox/people/far-end.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { create, eventually, everythingReceived, inMs, reaches, startObserved, text } from '../../kit/play.ts'
import type { Posthorn } from '../../kit/posthorn.ts'

describe('whole conversations, in the sandbox', { timeout: 120_000 }, () => {
  let posthorn: Posthorn
  let transcript: () => TranscriptLine[]

  before(async () => {
    const observed = await startObserved()
    posthorn = observed.posthorn
    transcript = observed.transcript
    await create(posthorn.admin, 'trial')
  })
  after(() => posthorn.stop())

  const arrived = ({ network_message_id }: Message) =>
    transcript().find(({ id }) => id === network_message_id)
  const react = async (id: string, emoji: string | null = '👍', waitSeconds = 0) =>
    (await posthorn.admin.call(reactToMessage, { params: { id }, body: { emoji }, waitSeconds })).body
  const edit = async (id: string, body: { text?: string; caption?: string }) =>
    (await posthorn.admin.call(editMessage, { params: { id }, body })).body
  const retract = async (id: string) =>
    (await posthorn.admin.call(retractMessage, { params: { id }, body: {} })).body
  const faults = async (call: Promise<unknown>) =>
    (await problemOf(call)).problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)
  /** The answer of the recipient to a message, once it is there. */
  const answerTo = ({ id }: Message) =>
    eventually(
      'the answer',
      async () =>
        (await everythingReceived(posthorn.admin, 'trial')).find(
          ({ relation }) => relation?.message_id === id,
        ),
      (message) => message !== undefined,
    ) as Promise<Message>

  test('only messages to groups mention people, also in a batch', async () => {
    const mentioning = (to: string) => ({
      instance: 'trial',
      to,
      text: '@bo',
      mentions: ['bo@delivers.sandbox'],
    })
    const toPerson = mentioning('ana@delivers.sandbox')
    assert.deepEqual(await faults(text(posthorn.admin, toPerson)), ['/mentions not_allowed'])
    const messages = [toPerson, mentioning('crew@group.sandbox')].map((message) => ({
      type: 'text' as const,
      ...message,
    }))
    const { body } = await posthorn.admin.call(sendMessageBatch, { body: { messages } })
    assert.deepEqual(
      body.data.map(({ message }) => message?.mentions),
      [undefined, toPerson.mentions],
    )
  })

  test('a message goes into the topic that is named, and an answer to it, too', async () => {
    const to = { instance: 'trial', to: 'ana@delivers.sandbox' }
    const named = await text(posthorn.admin, { ...to, text: 'Hello', topic: '42' })
    const answer = await text(posthorn.admin, { ...to, text: 'And?', reply_to: named.id })
    const other = await text(posthorn.admin, { ...to, text: 'Here', reply_to: named.id, topic: '43' })
    assert.deepEqual(
      [named, answer, other].map(({ topic }) => topic),
      [
        { id: '42', name: null },
        { id: '42', name: null },
        { id: '43', name: null },
      ],
    )
    for (const message of [named, answer, other]) await reaches(posthorn.admin, message.id, 'delivered')
    assert.deepEqual(
      [named, answer, other].map((message) => arrived(message)?.topic),
      ['42', '42', '43'],
    )
  })

  test('a place, people, a question and a poll arrive as they were sent', async () => {
    const to = { instance: 'trial', to: 'ana@delivers.sandbox' }
    const place = { latitude: -23.5614, longitude: -46.6559, name: 'MASP' }
    const { body: location } = await posthorn.admin.call(sendLocationMessage, { body: { ...to, ...place } })
    assert.deepEqual(location.location, { ...place, address: null })
    assert.equal(location.text, 'MASP')
    const person = { name: 'Dr. Lima', phones: ['+55 11 98765-4321'] }
    const { body: contacts } = await posthorn.admin.call(sendContactsMessage, {
      body: { ...to, contacts: [person] },
    })
    const question = { body: 'Tomorrow?', buttons: [{ id: 'yes', title: 'Yes', payload: 'slot-7' }] }
    const { body: interactive } = await posthorn.admin.call(sendInteractiveMessage, {
      body: { ...to, ...question },
    })
    assert.deepEqual(interactive.interactive, question)
    const poll = { question: 'Which day?', options: ['Monday', 'Tuesday'] }
    const { body: asked } = await posthorn.admin.call(sendPollMessage, { body: { ...to, ...poll } })
    for (const { id } of [location, contacts, interactive, asked])
      await reaches(posthorn.admin, id, 'delivered')
    assert.deepEqual(arrived(location)?.content, location.location)
    assert.deepEqual(arrived(contacts)?.content, contacts.contacts)
    assert.deepEqual(arrived(interactive)?.content, question)
    assert.deepEqual(arrived(asked)?.content, { ...poll, multiple_answers: false })
  })

  test('the button that was tapped comes back with the payload that it was sent with', async () => {
    const { body: asked } = await posthorn.admin.call(sendInteractiveMessage, {
      body: {
        ...{ instance: 'trial', to: 'ana@chooses.sandbox', body: 'Tomorrow?' },
        buttons: [{ id: 'yes', title: 'Yes', payload: 'slot-7' }],
      },
    })
    const reply = await answerTo(asked)
    assert.deepEqual(reply.button_reply, { id: 'yes', title: 'Yes', payload: 'slot-7' })
    assert.deepEqual([reply.kind, reply.text, reply.relation?.type], ['button_reply', 'Yes', 'reply'])
    const { body: poll } = await posthorn.admin.call(sendPollMessage, {
      body: { instance: 'trial', to: 'ana@chooses.sandbox', question: 'When?', options: ['Today', 'Never'] },
    })
    assert.deepEqual((await answerTo(poll)).poll_vote, { options: ['Today'] })
  })

  test('a reply, a reaction, an edit and a retraction name the message that they are about', async () => {
    const first = await text(posthorn.admin, { instance: 'trial', to: 'ana@reacts.sandbox', text: 'First' })
    await reaches(posthorn.admin, first.id, 'delivered')
    assert.equal((await answerTo(first)).text, '👍')
    const reply = await text(posthorn.admin, {
      ...{ instance: 'trial', to: 'ana@reacts.sandbox', text: 'And' },
      reply_to: String(first.network_message_id),
    })
    const messages = [
      reply,
      await react(first.id),
      await edit(first.id, { text: 'Second' }),
      await react(first.id, null),
    ]
    messages.push(await retract(first.id))
    for (const message of messages) {
      await reaches(posthorn.admin, message.id, 'delivered')
      assert.equal(arrived(message)?.about, first.network_message_id)
      assert.equal(message.relation?.message_id, first.id)
      assert.equal(message.to, 'ana@reacts.sandbox')
    }
    assert.deepEqual(
      messages.map((message) => [message.kind, message.relation?.type, message.text, arrived(message)?.kind]),
      [
        ['text', 'reply', 'And', undefined],
        ['reaction', 'reaction', '👍', 'reaction'],
        ['text', 'correction', 'Second', 'correction'],
        ['reaction', 'reaction', '', 'reaction'],
        ['retraction', 'retraction', undefined, 'retraction'],
      ],
    )
  })

  test('what was retracted gets no edit, reaction or other retraction, and a repetition its first response', async () => {
    const to = 'eva@delivers.sandbox'
    const first = await text(posthorn.admin, { instance: 'trial', to, text: 'First' })
    await reaches(posthorn.admin, first.id, 'delivered')
    const once = { params: { id: first.id }, body: {}, idempotencyKey: 'retract-once' }
    const { body: retraction } = await posthorn.admin.call(retractMessage, once)
    await reaches(posthorn.admin, retraction.id, 'delivered')
    const edited = () => edit(first.id, { text: 'Second' })
    const answered = () => text(posthorn.admin, { instance: 'trial', to, text: 'And', reply_to: first.id })
    for (const change of [edited, () => react(first.id), () => retract(first.id), answered]) {
      const { code, problem } = await problemOf(change())
      assert.equal(code, 'message_not_editable')
      assert.match(problem.detail, /retracted/)
    }
    assert.equal((await posthorn.admin.call(retractMessage, once)).body.id, retraction.id)
    const other = await text(posthorn.admin, { instance: 'trial', to, text: 'Another' })
    await reaches(posthorn.admin, other.id, 'delivered')
    const correction = await edit(other.id, { text: 'Edited' })
    assert.equal(correction.relation?.message_id, other.id)
    await reaches(posthorn.admin, correction.id, 'delivered')
    const thumb = await react(other.id)
    for (const reply_to of [thumb.id, retraction.id]) {
      const reply = text(posthorn.admin, { instance: 'trial', to, text: 'And', reply_to })
      assert.equal((await problemOf(reply)).problem.code, 'message_not_editable')
    }
    assert.match((await problemOf(retract(correction.id))).problem.detail, /itself an edit/)
  })

  test('while a retraction is on its way, its id is told, and none says that it is done', async () => {
    const to = 'eva@stuck.sandbox'
    const first = await text(posthorn.admin, { instance: 'trial', to, text: 'First' })
    await reaches(posthorn.admin, first.id, 'sending')
    const retraction = await retract(first.id)
    const { code, problem } = await problemOf(edit(first.id, { text: 'Second' }))
    assert.equal(code, 'message_not_editable')
    assert.match(problem.detail, new RegExp(`${retraction.id} is on its way`))
  })

  test('what refers to a queued message leaves after it, in its place; if that is canceled, it fails', async () => {
    await create(posthorn.admin, 'order')
    await posthorn.admin.call(stopInstance, { params: { name: 'order' } })
    const to = { instance: 'order', to: 'ben@delivers.sandbox' }
    const first = await text(posthorn.admin, { ...to, text: 'First' })
    const thumb = await react(first.id)
    const second = await text(posthorn.admin, { ...to, text: 'Second' })
    const third = await text(posthorn.admin, { ...to, text: 'Third', send_at: inMs(60_000) })
    const lost = [await react(third.id, '🎉'), await edit(third.id, { text: '3' })]
    const nested = await text(posthorn.admin, { ...to, text: 'About a reply', reply_to: lost[1]?.id ?? '' })
    await posthorn.admin.call(startInstance, { params: { name: 'order' } })
    await reaches(posthorn.admin, second.id, 'delivered')
    const ids = [first, thumb, second].map(({ network_message_id }) => network_message_id)
    const left = transcript().filter(({ to }) => to === 'ben@delivers.sandbox')
    assert.deepEqual(
      left.map(({ id }) => id),
      ids,
    )
    await posthorn.admin.call(cancelMessage, { params: { id: third.id } })
    for (const { id } of [...lost, nested])
      assert.equal((await reaches(posthorn.admin, id, 'failed')).error?.code, 'target_not_sent')
    const { problem } = await problemOf(react(third.id))
    assert.equal(problem.code, 'target_not_sent')
  })

  test('a message that waits is edited and canceled in its place', async () => {
    await create(posthorn.admin, 'drafts')
    await posthorn.admin.call(stopInstance, { params: { name: 'drafts' } })
    const to = { instance: 'drafts', to: 'cem@delivers.sandbox' }
    const [first, second] = [await text(posthorn.admin, { ...to, text: '1' }), await text(posthorn.admin, to)]
    const edits = [await edit(first.id, { text: '2' }), await edit(first.id, { text: '3' })]
    const canceled = await retract(second.id)
    const later = await text(posthorn.admin, { ...to, text: 'Later', send_at: inMs(5 * 86_400_000) })
    assert.equal((await edit(later.id, { text: 'Much later' })).expires_at, later.expires_at)
    await retract(later.id)
    assert.deepEqual([canceled.id, canceled.status], [second.id, 'canceled'])
    await posthorn.admin.call(startInstance, { params: { name: 'drafts' } })
    for (const { id } of [first, ...edits])
      await reaches(posthorn.admin, id, id === first.id ? 'delivered' : 'sent')
    const left = transcript().filter(({ to: recipient }) => recipient === to.to)
    assert.deepEqual(
      left.map(({ text: words }) => words),
      ['3'],
    )
  })

  test('what refers to a message whose fate is unknown waits, and holds up nothing', async () => {
    const to = { instance: 'trial', to: 'eva@never-certain.sandbox' }
    const uncertain = await text(posthorn.admin, { ...to, text: 'Maybe', expires_at: inMs(3_000) })
    await reaches(posthorn.admin, uncertain.id, 'unknown')
    const thumb = await react(uncertain.id)
    const other = await text(posthorn.admin, { ...to, text: 'Next' })
    await eventually(
      'the next message',
      async () => arrived(other),
      (line) => line !== undefined,
    )
    assert.equal(arrived(thumb), undefined)
  })

  test('what the network cannot do is refused with the reason', async () => {
    const to = { instance: 'trial', to: 'ana@delivers.sandbox' }
    const button = (id: string) => ({ id, title: 'Yes' })
    const ask = (body: object) =>
      posthorn.admin.call(sendInteractiveMessage, { body: { ...to, body: 'Well?', ...body } })
    assert.deepEqual(await faults(ask({})), [' exactly_one'])
    assert.deepEqual(await faults(ask({ buttons: ['1', '2', '3', '4'].map(button) })), ['/buttons too_many'])
    assert.deepEqual(await faults(ask({ buttons: [button('1'), button('1')] })), ['/buttons not_unique'])
    const unseen = [{ id: '1', title: ' ' }]
    assert.deepEqual(await faults(ask({ body: '\u200b', buttons: unseen })), [
      '/body wrong_form',
      '/buttons wrong_form',
    ])
    const place = { ...to, latitude: 91, longitude: 0 }
    const outside = posthorn.admin.call(sendLocationMessage, { body: place })
    assert.deepEqual(await faults(outside), ['/latitude out_of_range'])
    const one = posthorn.admin.call(sendPollMessage, { body: { ...to, question: 'So?', options: ['Yes'] } })
    assert.deepEqual(await faults(one), ['/options too_few'])
    const options = ['Yes', '\u2060 ']
    const blank = posthorn.admin.call(sendPollMessage, { body: { ...to, question: 'So?', options } })
    assert.deepEqual(await faults(blank), ['/options/1 wrong_form'])
    const foreign = await text(posthorn.admin, { ...to, to: 'ben@delivers.sandbox' })
    const elsewhere = posthorn.admin.call(sendTextMessage, {
      body: { ...to, text: 'A reply', reply_to: foreign.id },
    })
    assert.deepEqual(await faults(elsewhere), ['/reply_to not_found'])
    for (const emoji of ['ok', '1', '👍👍'])
      assert.deepEqual(await faults(react(foreign.id, emoji)), ['/emoji not_an_emoji'])
    for (const emoji of ['❤', '👩🏽‍🚀', '🇧🇷']) assert.equal((await react(foreign.id, emoji)).text, emoji)
    assert.deepEqual(await faults(edit(foreign.id, { caption: 'A caption' })), ['/text exactly_one'])
  })

  test('nobody edits what another wrote', async () => {
    const asked = await text(posthorn.admin, { instance: 'trial', to: 'ana@quotes.sandbox', text: 'Hello' })
    const { id } = await answerTo(asked)
    assert.equal((await problemOf(edit(id, { text: 'Bye' }))).problem.code, 'not_your_message')
    assert.equal((await problemOf(retract(id))).problem.code, 'not_your_message')
    assert.notEqual((await react(id, '❤️', 20)).status, 'queued')
  })
})
