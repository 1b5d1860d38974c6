import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { QueryOf } from '../../../../src/contract/operation.ts'
import {
  createInstance,
  startInstance,
  stopInstance,
} from '../../../../src/contract/operations/instance-operations.ts'
import { sendTemplateMessage } from '../../../../src/contract/operations/message-operations.ts'
import { listTemplates } from '../../../../src/contract/operations/template-operations.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import type { SendTemplate } from '../../../../src/contract/resources/sending.ts'
import { problemOf } from '../../../kit/http/problem-of.ts'
import { type CloudNumber, CloudStage } from '../../../kit/networks/whatsapp-cloud/stage.ts'
import { eventually, everythingReceived, inMs, reaches, text } from '../../../kit/play.ts'
import type { HttpFault } from '../../../simulators/whatsapp-cloud/faults.ts'

const texts = (...words: string[]) => words.map((word) => ({ type: 'text', text: word }))
const body = (...words: string[]) => ({ type: 'body', parameters: texts(...words) })
const order = { name: 'order_update', language: 'en_US', components: [body('Ana', '4711')] }
const hour = 3_600_000

let stage: CloudStage
let shop: CloudNumber

before(async () => {
  stage = await CloudStage.start()
  shop = await stage.number()
  const { waba } = shop
  const keep = (template: Parameters<typeof stage.cloud.control<'template'>>[1]) =>
    stage.cloud.control('template', { waba, ...template })
  const components = [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.' }]
  await keep({ name: 'order_update', components })
  for (const status of ['PAUSED', 'DISABLED', 'PENDING', 'IN_APPEAL', 'FLAGGED', 'LOCKED'])
    await keep({ name: status.toLowerCase(), status, components })
  await keep({ name: 'turned_down', status: 'REJECTED', rejected_reason: 'INVALID_FORMAT', components })
  await keep({
    name: 'login_code',
    category: 'AUTHENTICATION',
    components: [{ type: 'BODY', text: '{{1}}' }],
  })
  await keep({
    name: 'everything',
    category: 'MARKETING',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'For {{1}}, until {{2}}: {{3}}.' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Look', url: 'https://example.org/{{1}}' },
          { type: 'QUICK_REPLY', text: 'No, thanks' },
        ],
      },
    ],
  })
})
after(() => stage.stop())

const send = async (to: string, given: Partial<SendTemplate> = {}, waitSeconds = 20): Promise<Message> => {
  const { admin } = stage.posthorn
  const asked = { ...order, ...given, instance: given.instance ?? shop.instance, to }
  return (await admin.call(sendTemplateMessage, { body: asked, ...(waitSeconds > 0 && { waitSeconds }) }))
    .body
}
const list = async (query: QueryOf<typeof listTemplates> = {}, name = shop.instance) =>
  (await stage.posthorn.admin.call(listTemplates, { params: { name }, query })).body

/** Returns the messages to this person that the far end took. */
const takenFor = async (to: string) =>
  (await stage.cloud.control('taken', {})).filter(
    ({ recipient }) => `+${recipient}` === to || recipient === to,
  )

describe('a message from a template', () => {
  test('is sent, delivered and read, and Meta gets the components as they were given', async () => {
    const to = await stage.person()
    const components = [
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.org/a.png' } }] },
      {
        type: 'body',
        parameters: [
          { type: 'currency', currency: { fallback_value: '9,90 €', code: 'EUR', amount_1000: 9900 } },
          { type: 'date_time', date_time: { fallback_value: 'Friday' } },
          { type: 'text', text: 'Größe 👋' },
        ],
      },
      { type: 'button', sub_type: 'url', index: '0', parameters: texts('sale/4711') },
      { type: 'button', sub_type: 'quick_reply', index: 1, parameters: [{ type: 'payload', payload: 'no' }] },
    ]
    const { id } = await send(to, { name: 'everything', components })
    const message = await reaches(stage.posthorn.admin, id, 'read')
    assert.ok(message.sent_at && message.delivered_at && message.read_at)
    const [taken] = await takenFor(to)
    assert.equal(taken?.id, message.network_message_id)
    assert.deepEqual(taken?.request.template, { name: 'everything', language: { code: 'en_US' }, components })
  })

  test('reaches people whom a text does not reach any longer, and those who never wrote', async () => {
    const { cloud, posthorn } = stage
    for (const wrote_ago of [25 * hour, undefined]) {
      const phone = `4915190000${wrote_ago === undefined ? '01' : '02'}`
      await cloud.control('person', {
        phone,
        receives: 'read',
        ...(wrote_ago !== undefined && { wrote_ago }),
      })
      const { id } = await text(posthorn.admin, { instance: shop.instance, to: `+${phone}` }, 20)
      assert.equal((await reaches(posthorn.admin, id, 'failed')).error?.code, 'outside_reply_window')
      await reaches(posthorn.admin, (await send(`+${phone}`)).id, 'read')
    }
  })

  test('goes where a text is refused at once, because it is known that nobody wrote for a day', async () => {
    const { cloud, posthorn } = stage
    const phone = '4915190000003'
    const { user_id } = await cloud.control('person', { phone, receives: 'read' })
    await cloud.control('advance', { ms: -25 * hour })
    await cloud.control('act', { person: user_id, number: shop.id, act: 'text', body: 'Until tomorrow!' })
    await cloud.control('advance', { ms: 25 * hour })
    const to = `+${phone}`
    await eventually(
      'what was written to be received',
      () => everythingReceived(posthorn.admin, shop.instance),
      (all) => all.some(({ from }) => from === to),
    )
    const refusal = await problemOf(text(posthorn.admin, { instance: shop.instance, to }))
    assert.equal(refusal.code, 'outside_reply_window')
    await reaches(posthorn.admin, (await send(to)).id, 'read')
    // The same is asked again when its time has come.
    const later = await send(to, { send_at: inMs(300) })
    await reaches(posthorn.admin, later.id, 'read')
  })

  const button = (index: number) => ({ type: 'button', sub_type: 'url', index, parameters: texts('x') })
  const file = (id: string) => ({ type: 'header', parameters: [{ type: 'image', image: { id } }] })
  const image = { type: 'image', image: { link: 'https://example.org/a.png' } }
  for (const [why, given, code, network_code] of [
    ['that nobody has', { name: 'unheard_of' }, 'template_unknown', 132001],
    ['in another language', { language: 'de' }, 'template_unknown', 132001],
    ['that waits for approval', { name: 'pending' }, 'template_unknown', 132001],
    ['that was rejected', { name: 'turned_down' }, 'template_unknown', 132001],
    ['that is paused', { name: 'paused' }, 'template_paused', 132015],
    ['that is disabled', { name: 'disabled' }, 'template_disabled', 132016],
    ['with too few parameters', { components: [body('Ana')] }, 'template_parameters_wrong', 132000],
    ['with no parameters', { components: [] }, 'template_parameters_wrong', 132000],
    [
      'with a header that it does not have',
      { components: [body('Ana', '1'), { type: 'header', parameters: texts('x') }] },
      'template_parameters_wrong',
      132000,
    ],
    [
      'with a file for a text',
      { components: [{ type: 'body', parameters: [...texts('Ana'), image] }] },
      'template_parameters_wrong',
      132012,
    ],
    ['with a line break in it', { components: [body('Ana', '4\n7')] }, 'template_parameters_wrong', 132018],
    ['that gets too long', { components: [body('Ana', 'x'.repeat(1025))] }, 'template_too_long', 132005],
    ['with a button too many', { components: [body('Ana', '1'), button(0)] }, 'message_invalid', 131009],
    [
      'with a file that the number does not have',
      { name: 'everything', components: [file('123456'), body('a', 'b', 'c'), button(0)] },
      'message_invalid',
      131009,
    ],
    [
      'without what a button needs',
      { name: 'everything', components: [{ type: 'header', parameters: [image] }, body('a', 'b', 'c')] },
      'message_invalid',
      131008,
    ],
  ] as const)
    test(`${why} fails for good, and says why`, async () => {
      const to = await stage.person()
      const { status, error, attempts } = await send(to, given as Partial<SendTemplate>)
      assert.deepEqual(
        [status, error?.code, error?.network_code, error?.permanent, attempts],
        ['failed', code, String(network_code), true, 1],
      )
      assert.deepEqual(await takenFor(to), [])
    })

  test('with a code to log in needs a phone number', async () => {
    const { user_id } = await stage.cloud.control('person', { wrote_ago: 1_000 })
    const { status, error } = await send(user_id, { name: 'login_code', components: [body('4711')] })
    assert.deepEqual([status, error?.code], ['failed', 'user_id_not_supported'])
  })

  test('that Meta holds back is sent, and says so', async () => {
    const { cloud } = stage
    await cloud.control('settings', { message_status: 'held_for_quality_assessment' })
    const { sent_at, notices } = await send(await stage.person())
    await cloud.control('settings', { message_status: undefined })
    assert.ok(sent_at)
    assert.deepEqual(
      notices.map(({ code }) => code),
      ['held_for_quality_assessment'],
    )
  })

  test('whose answer was lost is unknown, and never sent again; a status proves it', async () => {
    const { cloud, posthorn } = stage
    const to = await stage.person()
    await cloud.control('settings', { hold_webhooks: true })
    await cloud.fault('http', { operation: 'send', object: shop.id, kind: 'cut' })
    const { id } = await send(to)
    const unknown = await reaches(posthorn.admin, id, 'unknown')
    assert.deepEqual([unknown.network_message_id, unknown.attempts], [null, 1])
    await cloud.control('settings', { hold_webhooks: false })
    await cloud.control('flush', {})
    const proven = await reaches(posthorn.admin, id, 'read')
    const taken = await takenFor(to)
    assert.deepEqual(
      taken.map((one) => one.id),
      [proven.network_message_id],
    )
  })

  test('survives a restart, and is paused meanwhile: then it fails', async () => {
    const { cloud } = stage
    const params = { name: shop.instance }
    await stage.posthorn.admin.call(stopInstance, { params, waitSeconds: 20 })
    const [to, other] = [await stage.person(), await stage.person()]
    const kept = await send(to, {}, 0)
    const components = [{ type: 'BODY', text: 'Soon.' }]
    await cloud.control('template', { waba: shop.waba, name: 'soon_paused', components })
    const paused = await send(other, { name: 'soon_paused', components: [] }, 0)
    stage.posthorn = await stage.posthorn.restart()
    await cloud.control('template', { waba: shop.waba, name: 'soon_paused', status: 'PAUSED', components })
    const { admin } = stage.posthorn
    await admin.call(startInstance, { params, waitSeconds: 20 })
    // The far end calls back to where the server was before.
    await eventually(
      'the message to be sent',
      () => takenFor(to),
      ({ length }) => length > 0,
    )
    assert.equal((await reaches(admin, paused.id, 'failed')).error?.code, 'template_paused')
    await reaches(admin, kept.id, 'sent')
    assert.equal((await takenFor(to)).length, 1)
  })
})

describe('the list of templates', () => {
  test('has every template of the account with its state, page by page', async () => {
    const whole = await list({ limit: 200 })
    assert.equal(whole.next_cursor, null)
    const states = Object.fromEntries(whole.data.map(({ name, status }) => [name, status]))
    assert.deepEqual(states, {
      welcome: 'approved',
      order_update: 'approved',
      paused: 'paused',
      disabled: 'disabled',
      pending: 'pending',
      in_appeal: 'pending',
      flagged: 'approved',
      locked: 'other',
      turned_down: 'rejected',
      login_code: 'approved',
      everything: 'approved',
      soon_paused: 'paused',
    })
    const turnedDown = whole.data.find(({ name }) => name === 'turned_down')
    assert.deepEqual(turnedDown, {
      name: 'turned_down',
      language: 'en_US',
      category: 'utility',
      status: 'rejected',
      network_status: 'REJECTED',
      rejected_reason: 'INVALID_FORMAT',
      components: [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.' }],
    })
    assert.equal(whole.data.find(({ name }) => name === 'locked')?.network_status, 'LOCKED')
    const paged = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list({ limit: 5, ...(cursor ? { cursor } : {}) })
      paged.push(...page.data)
      cursor = page.next_cursor
    }
    assert.deepEqual(paged, whole.data)
  })

  test('needs the business account in the settings', async () => {
    const number = await stage.number()
    const { admin } = stage.posthorn
    const id = '700000000000001'
    await stage.cloud.control('number', { id, waba: number.waba, display_phone_number: '15557000001' })
    await admin.call(createInstance, {
      body: {
        name: 'without',
        network: 'whatsapp-cloud',
        settings: { phone_number_id: id },
        credentials: number.credentials(number.token),
      },
      waitSeconds: 20,
    })
    const { status, code, problem } = await problemOf(list({}, 'without'))
    assert.deepEqual([status, code], [409, 'setting_missing'])
    assert.match(problem.detail, /`business_account_id`/)
  })

  const faults: readonly (readonly [HttpFault, status: number, code: string])[] = [
    [{ kind: 'graph-error', code: 10 }, 409, 'network_refused'],
    [{ kind: 'graph-error', code: 80007 }, 409, 'network_refused'],
    [{ kind: 'graph-error', code: 2 }, 409, 'network_refused'],
    [{ kind: 'status', status: 502 }, 503, 'instance_not_connected'],
    [{ kind: 'status', status: 404 }, 503, 'instance_not_connected'],
    [{ kind: 'cut' }, 503, 'instance_not_connected'],
    [{ kind: 'cut-in-answer' }, 503, 'instance_not_connected'],
    [{ kind: 'invalid-json' }, 503, 'instance_not_connected'],
    [{ kind: 'endless' }, 503, 'instance_not_connected'],
    [{ kind: 'redirect', location: 'https://example.org/' }, 503, 'instance_not_connected'],
  ]
  for (const [fault, status, code] of faults)
    test(`cannot be told after ${fault.kind} ${fault.code ?? fault.status ?? ''}, and can the next time`, async () => {
      const { connected_at } = await stage.statusOf(shop)
      await stage.cloud.fault('http', { operation: 'templates', object: shop.waba, ...fault })
      const told = await problemOf(list())
      assert.deepEqual([told.status, told.code], [status, code], told.message)
      assert.ok((await list()).data.length > 0)
      assert.equal((await stage.statusOf(shop)).connected_at, connected_at, 'the connection is the same')
    })

  test('is asked for once at a time, and whoever hangs up gives the turn away', async () => {
    const { cloud, posthorn } = stage
    await cloud.fault('http', { operation: 'templates', object: shop.waba, kind: 'hang' })
    const leaving = new AbortController()
    const options = { params: { name: shop.instance }, signal: leaving.signal }
    const both = [1, 2].map(() => posthorn.admin.call(listTemplates, options))
    const busy = await problemOf(Promise.race(both))
    assert.deepEqual([busy.status, busy.code], [429, 'templates_being_listed'])
    assert.equal(busy.headers['retry-after'], '1')
    leaving.abort()
    await Promise.allSettled(both)
    await eventually(
      'the turn to be free',
      () => list().catch(() => null),
      (answer) => answer !== null,
    )
  })

  test('ends with the connection that was asked, and shows that a token was revoked', async () => {
    const { cloud, posthorn } = stage
    const number = await stage.number()
    const { instance, waba, token } = number
    await cloud.fault('http', { operation: 'templates', object: waba, kind: 'hang' })
    const both = [1, 2].map(() => problemOf(list({}, instance)))
    assert.equal((await Promise.race(both)).code, 'templates_being_listed')
    await posthorn.admin.call(stopInstance, { params: { name: instance }, waitSeconds: 20 })
    const codes = (await Promise.all(both)).map(({ code }) => code)
    assert.deepEqual(codes.sort(), ['instance_not_connected', 'templates_being_listed'])
    await posthorn.admin.call(startInstance, { params: { name: instance }, waitSeconds: 20 })
    await cloud.control('token', { token, wabas: [waba], state: 'revoked' })
    assert.equal((await problemOf(list({}, instance))).code, 'network_refused')
    assert.equal((await stage.reaches(number, 'logged_out')).reason?.code, 'token_refused')
  })
})
