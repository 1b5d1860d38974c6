import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { getContact } from '../../../../src/contract/operations/conversation-operations.ts'
import { showTyping } from '../../../../src/contract/operations/instance-operations.ts'
import { sendTemplateMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { Contact } from '../../../../src/contract/resources/contact.ts'
import type { ContactEventData, TemplateEventData } from '../../../../src/contract/resources/event.ts'
import { allEvents } from '../../../kit/http/feed.ts'
import { problemOf } from '../../../kit/http/problem-of.ts'
import { type CloudNumber, CloudStage } from '../../../kit/networks/whatsapp-cloud/stage.ts'
import { eventually, everythingReceived, reaches, text } from '../../../kit/play.ts'
import type { Act } from '../../../simulators/whatsapp-cloud/acts.ts'

let stage: CloudStage
let shop: CloudNumber

before(async () => {
  stage = await CloudStage.start()
  shop = await stage.number()
  // Meta tells of templates and of preferences at the URL of the app only.
  await stage.callApp(shop)
  const { waba } = shop
  const keep = (name: string, category: 'MARKETING' | 'UTILITY') =>
    stage.cloud.control('template', { waba, name, category })
  await keep('summer_sale', 'MARKETING')
  await keep('order_update', 'UTILITY')
  await keep('will_change', 'UTILITY')
})
after(() => stage.stop())

const act = (person: string, what: Act) => stage.cloud.control('act', { person, number: shop.id, ...what })
const send = async (to: string, name: string) => {
  const body = { instance: shop.instance, to, name, language: 'en_US' }
  return (await stage.posthorn.admin.call(sendTemplateMessage, { body })).body
}
const isRefused = async (to: string, name: string) => (await problemOf(send(to, name))).problem.code
const becomes = (address: string, marketing: Contact['marketing']) =>
  eventually(
    `${address} is ${marketing}`,
    () =>
      stage.posthorn.admin
        .call(getContact, { params: { name: shop.instance, address } })
        .then(({ body }) => body)
        .catch(() => undefined),
    (one) => one?.marketing === marketing,
  )
const announce = (
  field: 'message_template_status_update' | 'template_category_update' | 'messages',
  value: object,
) => stage.cloud.control('announce', { waba: shop.waba, field, value: { ...value } })
const told = async (address: string) =>
  (await allEvents(stage.posthorn.admin)).flatMap(({ type, data }) => {
    const { contact, by } = data as Partial<ContactEventData>
    return contact && [contact.address, ...contact.aliases].includes(address) ? [`${type} ${by}`] : []
  })

describe('people who stop marketing at Meta', { timeout: 120_000 }, () => {
  test('get no more of it, by their number or their user id, until they resume it', async () => {
    const to = await stage.person()
    await act(to, { act: 'text', body: 'Hello' })
    await act(to, { act: 'marketing', value: 'stop' })
    const contact = await becomes(to, 'opted_out')
    assert.equal(await isRefused(to, 'summer_sale'), 'recipient_opted_out')
    for (const alias of [contact?.address ?? '', ...(contact?.aliases ?? [])])
      assert.equal(await isRefused(alias, 'summer_sale'), 'recipient_opted_out')
    await reaches(stage.posthorn.admin, (await send(to, 'order_update')).id, 'read')
    await act(to, { act: 'marketing', value: 'resume' })
    await becomes(to, 'opted_in')
    await reaches(stage.posthorn.admin, (await send(to, 'summer_sale')).id, 'read')
    assert.deepEqual(await told(to), ['contact.opted_out network', 'contact.opted_in network'])
  })

  test('also if they hide their phone number', async () => {
    const { user_id } = await stage.cloud.control('person', {
      username: 'hidden.one',
      phone: '4915199990001',
    })
    await act(user_id, { act: 'marketing', value: 'stop' })
    await becomes(user_id, 'opted_out')
    assert.equal(await isRefused(user_id, 'summer_sale'), 'recipient_opted_out')
  })

  test('also if only the failure of a message says so', async () => {
    const to = await stage.person()
    const { id } = await text(stage.posthorn.admin, { instance: shop.instance, to: await stage.person() })
    await reaches(stage.posthorn.admin, id, 'read')
    const sent = await send(to, 'summer_sale')
    const { network_message_id } = await reaches(stage.posthorn.admin, sent.id, 'read')
    await stage.cloud.control('status', {
      message_id: String(network_message_id),
      status: 'failed',
      code: 131050,
    })
    await becomes(to, 'opted_out')
    assert.equal(await isRefused(to, 'summer_sale'), 'recipient_opted_out')
  })
})

describe('a template', { timeout: 120_000 }, () => {
  const template = {
    message_template_id: 1689556908129832,
    message_template_name: 'will_change',
    message_template_language: 'en-US',
  }
  const statuses = async () =>
    (await allEvents(stage.posthorn.admin)).flatMap(({ type, data }) =>
      type === 'template.status_changed' ? [(data as TemplateEventData).template] : [],
    )

  test('whose status changes is told once for each change', async () => {
    const change = (event: string, reason: string | null) =>
      announce('message_template_status_update', { ...template, event, reason })
    for (const reason of ['NONE', 'NONE']) await change('FLAGGED', reason)
    await change('REJECTED', 'PROMOTIONAL')
    const all = await eventually('both changes', statuses, ({ length }) => length === 2)
    const language = 'en_US'
    const name = 'will_change'
    assert.deepEqual(all, [
      { name, language, status: 'approved', network_status: 'FLAGGED', rejected_reason: null },
      { name, language, status: 'rejected', network_status: 'REJECTED', rejected_reason: 'PROMOTIONAL' },
    ])
  })

  test('that becomes marketing is no longer sent to those who want none', async () => {
    const to = await stage.person()
    await act(to, { act: 'marketing', value: 'stop' })
    await becomes(to, 'opted_out')
    await reaches(stage.posthorn.admin, (await send(to, 'will_change')).id, 'read')
    const categories = { previous_category: 'UTILITY', new_category: 'MARKETING' }
    await announce('template_category_update', { ...template, ...categories })
    const refused = () => isRefused(to, 'will_change').catch(() => undefined)
    await eventually('the refusal', refused, (code) => code === 'recipient_opted_out')
  })
})

test('an error that is about no message ends nothing', async () => {
  const error = {
    code: 130429,
    title: 'Rate limit hit',
    message: 'Rate limit hit',
    error_data: { details: 'Message failed to send because there were too many messages sent.' },
  }
  const metadata = { display_phone_number: '15550001111', phone_number_id: shop.id }
  await announce('messages', { messaging_product: 'whatsapp', metadata, errors: [error] })
  const from = await stage.person()
  await act(from, { act: 'text', body: 'After the error' })
  await eventually(
    'the message',
    () => everythingReceived(stage.posthorn.admin, shop.instance),
    (all) => all.some((message) => message.text === 'After the error'),
  )
})

test('that one writes is shown to a person who wrote, as an answer to their newest message', async () => {
  const { admin } = stage.posthorn
  const type = (to: string) =>
    admin.call(showTyping, { params: { name: shop.instance }, body: { to, seconds: 5 } })
  const silent = await stage.person()
  await type(silent)
  const to = await stage.person()
  const ids: string[] = []
  for (const body of ['One', 'Two']) ids.push((await act(to, { act: 'text', body })).id)
  ids.push((await act(to, { act: 'reaction', message_id: ids[1] ?? '', emoji: '👍' })).id)
  await eventually(
    'all of it',
    () => everythingReceived(admin, shop.instance),
    (all) => all.some(({ network_message_id }) => network_message_id === ids[2]),
  )
  await type(to)
  const shown = await Promise.all(ids.map((message_id) => stage.cloud.control('read', { message_id })))
  assert.deepEqual(
    shown.map(({ answering = false }) => answering),
    [false, true, false],
  )
  assert.deepEqual(await stage.cloud.control('refused', {}), [])
})
