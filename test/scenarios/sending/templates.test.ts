import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { QueryOf } from '../../../src/contract/operation.ts'
import { createInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import {
  cancelMessage,
  getMessage,
  getMessageMedia,
  sendTemplateMessage,
} from '../../../src/contract/operations/message-operations.ts'
import { listTemplates } from '../../../src/contract/operations/template-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import type { SendTemplate } from '../../../src/contract/resources/sending.ts'
import type { TranscriptLine } from '../../../src/networks/sandbox/people/far-end.ts'
import { allEvents } from '../../kit/http/feed.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { create, everythingListed, inMs, reaches, startObserved, text } from '../../kit/play.ts'
import type { Posthorn } from '../../kit/posthorn.ts'

const texts = (...words: string[]) => words.map((text) => ({ type: 'text', text }))
const order = {
  instance: 'trial',
  to: 'ana@reads.sandbox',
  name: 'order_update',
  language: 'en_US',
  components: [{ type: 'body', parameters: texts('Ana', '4711') }],
}

describe('messages from templates, in the sandbox', { timeout: 120_000 }, () => {
  let posthorn: Posthorn
  let transcript: () => TranscriptLine[]

  before(async () => {
    const observed = await startObserved()
    posthorn = observed.posthorn
    transcript = observed.transcript
    await create(posthorn.admin, 'trial')
  })
  after(() => posthorn.stop())

  const send = async (changes: Partial<SendTemplate> = {}, waitSeconds = 20): Promise<Message> =>
    (await posthorn.admin.call(sendTemplateMessage, { body: { ...order, ...changes }, waitSeconds })).body
  const list = async (query: QueryOf<typeof listTemplates> = {}, name = 'trial') =>
    (await posthorn.admin.call(listTemplates, { params: { name }, query })).body
  const refused = async (body: Partial<SendTemplate>) => {
    const { problem } = await problemOf(send(body))
    assert.equal(problem.code, 'invalid_request')
    return problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)
  }

  test('a template is sent, delivered and read, and the message shows what it was made from', async () => {
    const { id } = await send({ client_ref: 'from-template' })
    const message = await reaches(posthorn.admin, id, 'read')
    const { name, language, components } = order
    assert.equal(message.kind, 'template')
    assert.deepEqual(message.template, { name, language, components })
    assert.ok(!('text' in message) && !('caption' in message) && !('media' in message))
    const arrived = transcript().find((line) => line.id === message.network_message_id)
    assert.equal(arrived?.text, 'Hello Ana, your order 4711 is on its way.')
    const [listed] = await everythingListed(posthorn.admin, { client_ref: 'from-template' })
    assert.deepEqual({ ...listed, waits_for: null }, message)
  })

  test('a template reaches somebody who can no longer be answered freely', async () => {
    const to = 'ana@window-closed.sandbox'
    const { id } = await text(posthorn.admin, { instance: 'trial', to })
    assert.equal((await reaches(posthorn.admin, id, 'failed')).error?.code, 'outside_reply_window')
    await reaches(posthorn.admin, (await send({ to })).id, 'delivered')
  })

  test('each event of the message has the template', async () => {
    const { id } = await send({ to: 'ana@delivers.sandbox' })
    await reaches(posthorn.admin, id, 'delivered')
    const events = await allEvents(posthorn.admin)
    const own = events.flatMap(({ type, data }) => {
      const { message } = data as { message?: Message }
      return message?.id === id ? [{ type, template: message.template }] : []
    })
    const { name, language, components } = order
    assert.deepEqual(
      own.map(({ type }) => type),
      ['message.queued', 'message.sent', 'message.delivered'],
    )
    for (const { template } of own) assert.deepEqual(template, { name, language, components })
  })

  test('a template without parameters needs no components', async () => {
    const { body } = await posthorn.admin.call(sendTemplateMessage, {
      body: { instance: 'trial', to: order.to, name: 'welcome', language: 'en_US' },
    })
    assert.deepEqual(body.template?.components, [])
    await reaches(posthorn.admin, body.id, 'read')
  })

  for (const [why, changes, code] of [
    ['nobody has', { name: 'unheard_of' }, 'template_unknown'],
    ['is not there in this language', { language: 'pt_BR' }, 'template_unknown'],
    ['is paused', { name: 'spring_sale' }, 'template_paused'],
    ['was rejected', { name: 'account_alert', components: [] }, 'template_unknown'],
    ['has other parameters', { components: [] }, 'template_parameters_wrong'],
  ] as const) {
    test(`a template that ${why} fails for good`, async () => {
      const { status, error } = await send(changes as Partial<SendTemplate>)
      assert.deepEqual([status, error?.code, error?.permanent], ['failed', code, true])
    })
  }

  test('what does not fit is refused at once, and nothing is stored', async () => {
    const parameter = (given: object) => ({ components: [{ type: 'body', parameters: [given] }] })
    assert.deepEqual(await refused({ name: 'Order Update' }), ['/name wrong_form'])
    assert.deepEqual(await refused({ language: 'English' }), ['/language wrong_form'])
    const place = '/components/0/parameters/0'
    for (const [given, fault] of [
      [{}, `${place}/type missing`],
      [{ type: 'text' }, `${place}/text missing`],
      [{ type: 'text', text: 1 }, `${place}/text wrong_type`],
      [{ type: 'currency', currency: { code: 'EUR' } }, `${place}/currency/fallback_value missing`],
      [{ type: 'image', image: {} }, `${place}/image not_allowed`],
      [{ type: 'image', image: { link: 'ftp://example.org/a.png' } }, `${place}/image/link wrong_form`],
      [
        { type: 'document', document: { id: '1', link: 'https://example.org/a.pdf' } },
        `${place}/document not_allowed`,
      ],
    ] as const)
      assert.ok((await refused(parameter(given)))?.includes(fault), `${JSON.stringify(given)}: ${fault}`)
    assert.deepEqual(await refused(parameter({ type: 'text', text: 'a\u0000b' })), [
      `${place}/text text_not_representable`,
    ])
    assert.deepEqual(await refused({ components: [{ type: 'button', parameters: [] }] }), [
      '/components/0/sub_type missing',
      '/components/0/index missing',
    ])
    const body = { type: 'body', parameters: [] }
    assert.deepEqual(await refused({ components: [body, body] }), ['/components/1 repeated'])
    assert.deepEqual(await refused(parameter({ type: 'text', text: 'a'.repeat(33_000) })), [
      '/components too_long',
    ])
    let deep: object = {}
    for (let level = 0; level < 10; level++) deep = { deep }
    assert.deepEqual(await refused({ components: [{ type: 'other', deep }] }), ['/components too_deep'])
    assert.deepEqual(await refused({ to: 'nobody' }), ['/to recipient_invalid'])
  })

  test('what the network may know one day is passed on as it was given', async () => {
    const components = [
      { type: 'body', parameters: texts('Ana', '4711'), since: 'v99.0' },
      { type: 'hologram', parameters: [{ type: 'colour', colour: { red: 255 } }] },
    ]
    const { id, status } = await send({ components })
    assert.notEqual(status, 'failed')
    const { body } = await posthorn.admin.call(getMessage, { params: { id } })
    assert.deepEqual(body.template?.components, components)
  })

  test('it is one message, however often it is asked for with one key', async () => {
    const options = { body: order, idempotencyKey: 'once' }
    const first = await posthorn.admin.call(sendTemplateMessage, options)
    const again = await posthorn.admin.call(sendTemplateMessage, options)
    assert.equal(again.body.id, first.body.id)
    assert.equal(again.headers['idempotency-replayed'], 'true')
  })

  test('it waits for its time, after texts before it, and can be canceled until then', async () => {
    const waiting = await send({ send_at: inMs(3_600_000) }, 0)
    assert.equal(waiting.status, 'queued')
    await posthorn.admin.call(cancelMessage, { params: { id: waiting.id } })
    await reaches(posthorn.admin, waiting.id, 'canceled')
    const { problem } = await problemOf(posthorn.admin.call(getMessageMedia, { params: { id: waiting.id } }))
    assert.equal(problem.code, 'media_not_found')
    const to = 'lane@slow-500ms.sandbox'
    const before = await text(posthorn.admin, { instance: 'trial', to, text: 'first' })
    const then = await send({ to }, 0)
    await reaches(posthorn.admin, then.id, 'delivered')
    const ids = transcript().flatMap((line) => (line.to === to ? [line.id] : []))
    assert.deepEqual(ids, [before.network_message_id, then.network_message_id])
  })

  test('the templates are listed with their states, page by page', async () => {
    const all = await list()
    assert.equal(all.next_cursor, null)
    const states = new Map(all.data.map(({ name, status }) => [name, status]))
    assert.deepEqual(
      [states.get('order_update'), states.get('spring_sale'), states.get('account_alert')],
      ['approved', 'paused', 'rejected'],
    )
    assert.ok(all.data.some(({ rejected_reason }) => rejected_reason !== null))
    const paged = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list({ limit: 2, ...(cursor ? { cursor } : {}) })
      assert.ok(page.data.length <= 2)
      paged.push(...page.data)
      cursor = page.next_cursor
    }
    assert.deepEqual(paged, all.data)
    assert.equal((await problemOf(list({ cursor: 'bm90LW91cnM' }))).code, 'invalid_request')
  })

  test('who has no templates is told which networks have them', async () => {
    // Nothing answers there: what the network can do is known without it.
    await posthorn.admin.call(createInstance, {
      body: {
        name: 'bot',
        network: 'telegram',
        credentials: { token: '1234567:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' },
      },
    })
    for (const ask of [() => list({}, 'bot'), () => send({ instance: 'bot', to: '4711' })]) {
      const { status, problem } = await problemOf(ask())
      assert.deepEqual([status, problem.code], [422, 'templates_not_supported'])
      assert.match(problem.detail, /`sandbox`.*`whatsapp-cloud`|`whatsapp-cloud`.*`sandbox`/)
    }
  })

  test('an instance that is stopped lists nothing, and keeps what is to be sent', async () => {
    await create(posthorn.admin, 'resting')
    await posthorn.admin.call(stopInstance, { params: { name: 'resting' }, waitSeconds: 20 })
    const { status, code } = await problemOf(list({}, 'resting'))
    assert.deepEqual([status, code], [503, 'instance_not_connected'])
    assert.equal((await send({ instance: 'resting' }, 0)).status, 'queued')
  })

  test('it survives a restart', async () => {
    const { id } = await send({ send_at: inMs(3_600_000) }, 0)
    posthorn = await posthorn.restart()
    const { body } = await posthorn.admin.call(getMessage, { params: { id } })
    assert.deepEqual([body.status, body.template?.name], ['queued', 'order_update'])
  })
})
