import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  sendInteractiveMessage,
  sendPollMessage,
} from '../../../src/contract/operations/content-operations.ts'
import { forgetContact, getContact } from '../../../src/contract/operations/conversation-operations.ts'
import { createInstance, updateInstance } from '../../../src/contract/operations/instance-operations.ts'
import {
  getMessage,
  listMessages,
  sendTemplateMessage,
} from '../../../src/contract/operations/message-operations.ts'
import {
  getOrganization,
  updateOrganization,
} from '../../../src/contract/operations/organization-operations.ts'
import type { Contact } from '../../../src/contract/resources/contact.ts'
import type { ContactEventData, TemplateEventData } from '../../../src/contract/resources/event.ts'
import type { SendTemplate } from '../../../src/contract/resources/sending.ts'
import { allEvents } from '../../kit/http/feed.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { eventually, inMs, reaches, startObserved } from '../../kit/play.ts'
import type { Posthorn } from '../../kit/posthorn.ts'
import { createCalledBack, postCallback } from '../../kit/sandbox-callbacks.ts'

const words = [{ type: 'body', parameters: [{ type: 'text', text: 'Friday' }] }]
const sale = { name: 'summer_sale', language: 'en_US', components: words }
const update = {
  name: 'order_update',
  language: 'en_US',
  components: [
    {
      type: 'body',
      parameters: [
        { type: 'text', text: 'Ana' },
        { type: 'text', text: '1' },
      ],
    },
  ],
}

describe('people who want no marketing, in the sandbox', { timeout: 120_000 }, () => {
  let posthorn: Posthorn
  let path: string

  before(async () => {
    posthorn = (await startObserved()).posthorn
    path = await createCalledBack(posthorn.admin, 'trial')
    const body = { stop_words: ['stop', 'Não quero'], start_words: ['start'] }
    await posthorn.admin.call(updateInstance, { params: { name: 'trial' }, body })
  })
  after(() => posthorn.stop())

  const post = async (body: object, to = path) => {
    const { status } = await postCallback(posthorn.url, to, JSON.stringify(body))
    assert.equal(status, 200)
  }
  const send = async (to: string, template: Partial<SendTemplate> = sale) =>
    (
      await posthorn.admin.call(sendTemplateMessage, {
        body: { instance: 'trial', to, ...sale, ...template },
      })
    ).body
  const isRefused = async (to: string, template: Partial<SendTemplate> = sale) =>
    (await problemOf(send(to, template))).problem.code
  const contact = async (address: string): Promise<Contact> =>
    (await posthorn.admin.call(getContact, { params: { name: 'trial', address } })).body
  const becomes = (address: string, marketing: Contact['marketing']) =>
    eventually(
      `${address} is ${marketing}`,
      () => contact(address).catch(() => undefined),
      (one) => one?.marketing === marketing,
    )
  const told = async (address: string) =>
    (await allEvents(posthorn.admin)).flatMap(({ type, data }) => {
      const { contact: person, by } = data as Partial<ContactEventData>
      return person?.address === address ? [`${type} ${by}`] : []
    })

  test('no word both stops and starts marketing, also if only one of the lists is changed', async () => {
    const set = (name: string, body: object) =>
      posthorn.admin.call(updateInstance, { params: { name }, body })
    const places = async (call: Promise<unknown>) =>
      (await problemOf(call)).problem.errors?.map(({ pointer }) => pointer)
    assert.deepEqual(await places(set('trial', { start_words: ['start', 'STOP'] })), ['/start_words/1'])
    assert.deepEqual(await places(set('trial', { stop_words: ['“Start”'] })), ['/stop_words/0'])
    const both = { stop_words: ['no', 'yes'], start_words: ['yes'] }
    assert.deepEqual(await places(set('trial', both)), ['/start_words/0'])
    const made = { name: 'other', network: 'sandbox', ...both }
    assert.deepEqual(await places(posthorn.admin.call(createInstance, { body: made })), ['/start_words/0'])
    await set('trial', { stop_words: ['stop', 'Não quero'] })
  })

  test('a word stops marketing, and nothing else, until another word', async () => {
    const to = 'ana@delivers.sandbox'
    await post({ from: to, text: 'I will not stop!' })
    await post({ from: to, text: ' NAO QUERO. ' })
    const { marketing_changed_at } = (await becomes(to, 'opted_out')) ?? {}
    assert.ok(marketing_changed_at)
    assert.equal(await isRefused(to), 'recipient_opted_out')
    assert.equal(
      await isRefused(to, { category: 'utility' }),
      'recipient_opted_out',
      'the network knows better',
    )
    await reaches(posthorn.admin, (await send(to, update)).id, 'delivered')
    await post({ from: to, text: 'Stop' })
    await post({ from: to, text: 'Start' })
    await becomes(to, 'opted_in')
    await reaches(posthorn.admin, (await send(to)).id, 'delivered')
    assert.deepEqual(await told(to), ['contact.opted_out stop_word', 'contact.opted_in start_word'])
  })

  test('a button that is tapped says the word, and a vote in a poll does not', async () => {
    const messages = () =>
      posthorn.admin.call(listMessages, { query: { instance: 'trial', direction: 'inbound' } })
    const answer = async (to: string) =>
      await eventually(
        'the answer',
        async () => (await messages()).body.data.find(({ from }) => from === to),
        (message) => message !== undefined,
      )
    const [voter, tapper] = ['vera@chooses.sandbox', 'tim@chooses.sandbox']
    const poll = { question: 'Shall we?', options: ['Stop', 'Go'] }
    await posthorn.admin.call(sendPollMessage, { body: { instance: 'trial', to: voter, ...poll } })
    assert.deepEqual((await answer(voter))?.poll_vote?.options, ['Stop'])
    const buttons = [{ id: 'no-more', title: 'Stop' }]
    const asked = { instance: 'trial', to: tapper, body: 'More?', buttons }
    await posthorn.admin.call(sendInteractiveMessage, { body: asked })
    await answer(tapper)
    await becomes(tapper, 'opted_out')
    assert.equal((await contact(voter)).marketing, null)
  })

  test('what the network tells counts as well, and a person is opted out by both addresses', async () => {
    await post({ marketing: { from: 'bob@other-address.sandbox', choice: 'opted_out' } })
    await becomes('bob@other-address.sandbox', 'opted_out')
    await post({ from: 'bob@two-addresses.sandbox', text: 'Hello' })
    await becomes('bob@two-addresses.sandbox', 'opted_out')
    assert.equal(await isRefused('bob@two-addresses.sandbox'), 'recipient_opted_out')
    assert.equal((await told('bob@other-address.sandbox')).at(0), 'contact.opted_out network')
  })

  test('marketing that waits fails when its recipient opts out', async () => {
    const to = 'cleo@delivers.sandbox'
    const { id } = await send(to, { send_at: inMs(1_500) })
    await post({ marketing: { from: to, choice: 'opted_out' } })
    const { error, attempts } = await reaches(posthorn.admin, id, 'failed')
    assert.deepEqual([error?.code, error?.permanent, attempts], ['recipient_opted_out', true, 0])
  })

  test('a template that the network does not list counts as marketing, unless its category is named', async () => {
    const to = 'dora@delivers.sandbox'
    await post({ from: to, text: 'stop' })
    await becomes(to, 'opted_out')
    assert.equal(await isRefused(to, { name: 'unheard_of' }), 'recipient_opted_out')
    const { id, template } = await send(to, { name: 'unheard_of', category: 'utility' })
    assert.equal(template?.category, 'utility')
    assert.equal((await reaches(posthorn.admin, id, 'failed')).error?.code, 'template_unknown')
  })

  test('a repetition with its key gets the first answer, whatever the person said since', async () => {
    const to = 'emil@delivers.sandbox'
    const key = { idempotencyKey: 'marketing-once' }
    const body = { instance: 'trial', to, ...sale }
    const first = await posthorn.admin.call(sendTemplateMessage, { body, ...key })
    await post({ from: to, text: 'stop' })
    await becomes(to, 'opted_out')
    const again = await posthorn.admin.call(sendTemplateMessage, { body, ...key })
    assert.equal(again.body.id, first.body.id)
    assert.equal(await isRefused(to), 'recipient_opted_out')
  })

  test('a person who is forgotten stays opted out', async () => {
    const to = 'fay@delivers.sandbox'
    await post({ from: to, text: 'stop' })
    await becomes(to, 'opted_out')
    await posthorn.admin.call(forgetContact, { params: { name: 'trial', address: to } })
    await eventually(
      'the person is forgotten',
      () => problemOf(contact(to)).catch(() => undefined),
      (found) => found?.problem.code === 'contact_not_found',
    )
    assert.equal(await isRefused(to), 'recipient_opted_out')
  })

  test('an instance has words of its own', async () => {
    const params = { name: 'trial' }
    const change = (body: object) => posthorn.admin.call(updateInstance, { params, body })
    const { body } = await change({ stop_words: ['halt'], start_words: [] })
    assert.deepEqual([body.stop_words, body.start_words], [['halt'], []])
    const to = 'gus@delivers.sandbox'
    await post({ from: to, text: 'stop' })
    await post({ from: to, text: 'HALT' })
    await becomes(to, 'opted_out')
    await change({ metadata: { a: 'b' } })
    const { body: back } = await change({ stop_words: null, start_words: null })
    assert.deepEqual([back.stop_words, back.start_words, back.metadata], [null, null, { a: 'b' }])
    const { problem } = await problemOf(change({ stop_words: ['...'] }))
    assert.deepEqual(
      problem.errors?.map(({ pointer }) => pointer),
      ['/stop_words/0'],
    )
  })

  test('an instance without words of its own has those that the operator set for its organization', async () => {
    const operator = posthorn.client(readFileSync(join(posthorn.data, 'operator.token'), 'utf8').trim())
    const params = { organization: 'default' }
    const set = (body: object) => operator.call(updateOrganization, { params, body })
    const { body } = await set({ stop_words: ['alto'], start_words: ['alta'] })
    assert.deepEqual([body.stop_words, body.start_words], [['alto'], ['alta']])
    const shared = await problemOf(set({ stop_words: ['basta', 'ALTÁ!'] }))
    assert.deepEqual(
      shared.problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`),
      ['/stop_words/1 repeated'],
    )
    assert.deepEqual((await operator.call(getOrganization, { params })).body.stop_words, ['alto'])
    const places = async (call: Promise<unknown>) =>
      (await problemOf(call)).problem.errors?.map(({ pointer }) => pointer)
    const change = (body: object) => posthorn.admin.call(updateInstance, { params: { name: 'trial' }, body })
    assert.deepEqual(await places(change({ start_words: ['sí', 'ALTO'] })), ['/start_words/1'])
    const made = { name: 'own', network: 'sandbox', start_words: ['alto'] }
    assert.deepEqual(await places(posthorn.admin.call(createInstance, { body: made })), ['/start_words/0'])
    await change({ stop_words: ['halt'], start_words: ['alto'] })
    assert.deepEqual(await places(change({ stop_words: null })), ['/stop_words'])
    await change({ stop_words: null, start_words: null })
    const to = 'iris@delivers.sandbox'
    await post({ from: to, text: 'Alto!' })
    await becomes(to, 'opted_out')
    await post({ from: to, text: 'alta' })
    await becomes(to, 'opted_in')
    const received = (text: string, times: number) =>
      eventually(
        `${text} is stored`,
        async () =>
          (await allEvents(posthorn.admin)).filter(
            (event) => event.type === 'message.received' && JSON.stringify(event).includes(text),
          ),
        ({ length }) => length === times,
      )
    const own = (words: string[] | null) =>
      posthorn.admin.call(updateInstance, { params: { name: 'trial' }, body: { stop_words: words } })
    await own([])
    await post({ from: to, text: 'alto' })
    await received('"alto"', 1)
    await own(null)
    const { body: left } = await set({ start_words: null })
    assert.deepEqual([left.stop_words, left.start_words], [['alto'], null])
    await post({ from: to, text: 'alta' })
    await received('"alta"', 2)
    assert.deepEqual(
      await told(to),
      ['contact.opted_out stop_word', 'contact.opted_in start_word'],
      'an empty list of an instance is none, and what the operator took back counts no longer',
    )
    const { problem } = await problemOf(set({ stop_words: ['...'] }))
    assert.equal(problem.errors?.[0]?.pointer, '/stop_words/0')
    await set({ stop_words: null })
  })

  test('a word that the operator lets stop later stops, also if an instance has it as one that starts', async () => {
    const operator = posthorn.client(readFileSync(join(posthorn.data, 'operator.token'), 'utf8').trim())
    const params = { organization: 'default' }
    const set = (stop_words: string[] | null) =>
      operator.call(updateOrganization, { params, body: { stop_words } })
    const make = () =>
      posthorn.admin.call(createInstance, {
        body: { name: 'early', network: 'sandbox', start_words: ['listo'] },
        idempotencyKey: 'made-before-the-words',
      })
    const { body: made } = await make()
    const own = (start_words: string[] | null) =>
      posthorn.admin.call(updateInstance, { params: { name: 'trial' }, body: { start_words } })
    await own(['listo'])
    await set(['listo'])
    const to = 'lia@delivers.sandbox'
    await post({ from: to, text: 'Listo' })
    await becomes(to, 'opted_out')
    assert.equal((await make()).body.id, made.id, 'what was accepted before is repeated')
    await own(null)
    await set(null)
  })

  test('a status of a template is told once, and its category counts', async () => {
    const to = 'hal@delivers.sandbox'
    await post({ marketing: { from: to, choice: 'opted_out' } })
    await becomes(to, 'opted_out')
    const judged = { name: 'new_offer', language: 'en', status: 'approved', category: 'utility' }
    await post({ template: judged })
    await post({ template: judged })
    await post({ template: { ...judged, status: 'rejected', rejected_reason: 'PROMOTIONAL' } })
    const statuses = async () =>
      (await allEvents(posthorn.admin)).flatMap(({ type, data }) =>
        type === 'template.status_changed' ? [(data as TemplateEventData).template] : [],
      )
    const all = await eventually('both statuses', statuses, ({ length }) => length === 2)
    assert.deepEqual(
      all?.map(({ name, status, network_status, rejected_reason }) => [
        name,
        status,
        network_status,
        rejected_reason,
      ]),
      [
        ['new_offer', 'approved', 'APPROVED', null],
        ['new_offer', 'rejected', 'REJECTED', 'PROMOTIONAL'],
      ],
    )
    const { id } = await send(to, { name: 'new_offer', language: 'en', components: [] })
    const { body } = await posthorn.admin.call(getMessage, { params: { id } })
    assert.notEqual(body.error?.code, 'recipient_opted_out')
  })
})
