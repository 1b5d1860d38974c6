import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import { listConversations } from '../../../src/contract/operations/conversation-operations.ts'
import {
  createInstance,
  getInstance,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import {
  getMessage,
  listMessages,
  sendTextMessage,
} from '../../../src/contract/operations/message-operations.ts'
import { getQuotas } from '../../../src/contract/operations/quota-operations.ts'
import type { InstanceStatus } from '../../../src/contract/resources/instance.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { eventually, everythingReceived, inMs, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import {
  startWhatsAppCloud,
  type WhatsAppCloud,
} from '../../simulators/whatsapp-cloud/start-whatsapp-cloud.ts'

const second = 1_000
const hour = 3_600 * second
const day = 24 * hour
const verify_token = 'a-word-of-our-own'

let cloud: WhatsAppCloud
let posthorn: Posthorn
let phones = 0

before(async () => {
  cloud = await startWhatsAppCloud()
  posthorn = await startPosthorn({ environment: { POSTHORN_WHATSAPP_CLOUD_API: cloud.url } })
  const { body } = await posthorn.admin.call(createInstance, {
    body: {
      name: 'shop',
      network: 'whatsapp-cloud',
      settings: { phone_number_id: cloud.number, business_account_id: cloud.waba },
      credentials: { access_token: cloud.token, app_secret: cloud.appSecret, verify_token },
    },
    waitSeconds: 20,
  })
  assert.equal(body.status, 'connected', JSON.stringify(body.reason))
  await cloud.control('app', {
    callback: `${posthorn.url}${body.callback_url}`,
    verify_token,
    subscribe: true,
  })
})
after(async () => {
  await posthorn?.stop()
  await cloud?.stop()
})

/** Makes a new person; a `username` hides the phone, and `wrote_ago` is when they wrote without us hearing of it. */
async function newPerson(known: { username?: string; wrote_ago?: number } = {}) {
  phones += 1
  const phone = `49151${20_000_000 + phones}`
  const { user_id } = await cloud.control('person', { phone, receives: 'read', ...known })
  return { phone: `+${phone}`, user_id }
}

/** The person writes; by the clock of the network it was so long ago, as if the callback had been on its way. */
async function writes({ user_id }: { user_id: string }, ago = 0, body = 'Hello'): Promise<Message> {
  await cloud.control('advance', { ms: -ago })
  const id = await cloud.act(user_id, { act: 'text', body })
  await cloud.control('advance', { ms: ago })
  return await receivedAs(id)
}

const receivedAs = async (id: string) => {
  const all = await eventually(
    'the message',
    () => everythingReceived(posthorn.admin, 'shop'),
    (messages) => messages.some(({ network_message_id }) => network_message_id === id),
  )
  return all.find(({ network_message_id }) => network_message_id === id) ?? assert.fail()
}

/** Everything that happened was posted, and nothing of it waits to be handled. */
async function allHandled(): Promise<void> {
  await cloud.control('webhooks', {})
  const waiting = async () => (await posthorn.admin.call(getQuotas, {})).body.waiting_callbacks.used
  await eventually('no callback to wait', waiting, (count) => count === 0)
}

const say = (to: string, words = 'Hello') => text(posthorn.admin, { instance: 'shop', to, text: words })

const later = (to: string, seconds: number) =>
  text(posthorn.admin, { instance: 'shop', to, text: 'Later', send_at: inMs(seconds * second) })

async function refusal(to: string): Promise<string> {
  await allHandled()
  const body = { instance: 'shop', to, text: 'Too late' }
  const problem = await posthorn.admin.call(sendTextMessage, { body }).catch((error: unknown) => error)
  assert.ok(problem instanceof ProblemError)
  assert.deepEqual([problem.status, problem.code], [422, 'outside_reply_window'])
  return problem.problem.detail
}

const taken = async () => (await cloud.control('taken', {})).length
const conversation = async (address: string) =>
  (await posthorn.admin.call(listMessages, { query: { conversation: address } })).body.data

describe('the window in which a person can be answered', { timeout: 120_000 }, () => {
  test('opens with a message of theirs, which says when it ends, and so does an answer', async () => {
    const ada = await newPerson()
    const { sent_at, window_ends_at, aliases } = await writes(ada)
    assert.equal(Date.parse(window_ends_at ?? '') - Date.parse(sent_at ?? ''), day)
    assert.deepEqual(aliases, [ada.user_id])
    for (const to of [ada.phone, ada.user_id]) {
      const message = await say(to)
      assert.equal(message.window_ends_at, window_ends_at)
      assert.deepEqual(message.aliases, [])
      await reaches(posthorn.admin, message.id, 'read')
    }
  })

  test('is closed after a day for every address of the person, and nobody asks the network', async () => {
    const ada = await newPerson()
    const { window_ends_at } = await writes(ada, 25 * hour)
    const before = await taken()
    for (const to of [ada.phone, ada.user_id]) assert.ok((await refusal(to)).includes(String(window_ends_at)))
    assert.equal(await taken(), before)
    await writes(ada)
    await reaches(posthorn.admin, (await say(ada.phone)).id, 'read')
  })

  test('is not judged within a minute of its end, or of people who are not known: the network does that', async () => {
    const late = await newPerson()
    await writes(late, day + 30 * second)
    const unknownPerson = await newPerson()
    for (const { phone } of [late, unknownPerson]) {
      const { id } = await say(phone)
      const { error, attempts } = await reaches(posthorn.admin, id, 'failed')
      assert.deepEqual([error?.code, error?.network_code, attempts], ['outside_reply_window', '131047', 1])
    }
  })

  test('is looked at again when a scheduled message is due', async () => {
    const [silent, talking] = [await newPerson(), await newPerson()]
    for (const person of [silent, talking]) await writes(person, 30 * hour)
    const [unanswered, another] = [await later(silent.phone, 5), await later(silent.phone, 5)]
    const answered = await later(talking.user_id, 6)
    assert.ok(unanswered.window_ends_at && unanswered.window_ends_at < unanswered.created_at)
    await writes(talking)
    await allHandled()
    await reaches(posthorn.admin, answered.id, 'read')
    const failed = await reaches(posthorn.admin, unanswered.id, 'failed')
    await reaches(posthorn.admin, another.id, 'failed')
    const { error, attempts, network_message_id } = failed
    assert.deepEqual(
      [error?.code, error?.permanent, error?.network_code, attempts, network_message_id],
      ['outside_reply_window', true, null, 0, null],
    )
  })

  test('is opened neither by what the business writes on its phone nor by a receipt', async () => {
    const ada = await newPerson()
    await writes(ada, 30 * hour)
    await cloud.control('echo', { person: ada.user_id, body: 'From my phone' })
    await eventually(
      'the echo',
      () => conversation(ada.phone),
      ({ length }) => length === 2,
    )
    await refusal(ada.phone)
  })

  test('is not held to be closed after a reaction, which does not say that it is open', async () => {
    const ada = await newPerson()
    const { network_message_id } = await writes(ada, 30 * hour)
    const id = await cloud.act(ada.user_id, {
      act: 'reaction',
      message_id: String(network_message_id),
      emoji: '👍',
    })
    assert.equal((await receivedAs(id)).window_ends_at, null)
    await reaches(posthorn.admin, (await say(ada.phone)).id, 'read')
  })
})

describe('what the network told, and nobody handled yet,', { timeout: 120_000 }, () => {
  const params = { name: 'shop' }
  const status = async () => (await posthorn.admin.call(getInstance, { params })).body.status
  const becomes = (wanted: InstanceStatus) =>
    eventually(`the instance to be ${wanted}`, status, (now) => now === wanted)

  test('may open the window: the network decides on what is due and what is new', async () => {
    const ada = await newPerson()
    await writes(ada, 25 * hour)
    const scheduled = await later(ada.phone, 2)
    await posthorn.admin.call(stopInstance, { params })
    await becomes('stopped')
    await refusal(ada.phone)
    await cloud.act(ada.user_id, { act: 'text', body: 'I am back' })
    await cloud.control('webhooks', {})
    const accepted = await say(ada.user_id)
    await new Promise((resolve) => setTimeout(resolve, Date.parse(scheduled.send_at ?? '') - Date.now()))
    await posthorn.admin.call(startInstance, { params })
    for (const { id } of [scheduled, accepted]) await reaches(posthorn.admin, id, 'read')
  })
})

describe('a person with several addresses is one', { timeout: 120_000 }, () => {
  test('if a text goes to the phone, and the answer comes from a user id', async () => {
    const eve = await newPerson()
    await writes(eve)
    const sent = await reaches(posthorn.admin, (await say(eve.phone, 'To the phone')).id, 'read')
    await cloud.control('change', { person: eve.user_id, username: 'eve' })
    const reply_to = String(sent.network_message_id)
    const id = await cloud.act(eve.user_id, { act: 'text', body: 'Yes', reply_to })
    const answer = await receivedAs(id)
    assert.deepEqual([answer.from, answer.aliases, answer.relation?.message_id], [eve.user_id, [], sent.id])
    for (const address of [eve.phone, eve.user_id])
      assert.deepEqual(
        (await conversation(address)).map(({ text }) => text),
        ['Yes', 'To the phone', 'Hello'],
      )
    const { data } = (await posthorn.admin.call(listMessages, { query: { to: eve.user_id } })).body
    assert.deepEqual(
      data.map(({ id }) => id),
      [sent.id],
    )
  })

  test('if a text goes to the user id, and the person is known by the phone', async () => {
    const ada = await newPerson()
    await writes(ada)
    await say(ada.user_id, 'By id')
    assert.deepEqual(
      (await conversation(ada.phone)).map(({ text }) => text),
      ['By id', 'Hello'],
    )
  })

  test('if the network tells the user id only with a status', async () => {
    const ada = await newPerson({ wrote_ago: 0 })
    await reaches(posthorn.admin, (await say(ada.phone)).id, 'read')
    assert.equal((await conversation(ada.user_id)).length, 1)
  })

  test('if the user id changes, and they hide their phone, or show it only then', async () => {
    for (const shows of [false, true]) {
      const ada = await newPerson({ username: 'hidden' })
      await writes(ada, 0, 'Before')
      const phone = `49151300000${shows ? 1 : 2}0`
      await cloud.act(ada.user_id, { act: 'change-number', phone, shows })
      const [delivery] = (await cloud.control('webhooks', {})).slice(-1)
      const { user_id } = JSON.parse(delivery?.body ?? '').entry[0].changes[0].value.messages[0].system
      await writes({ user_id }, 0, 'After')
      for (const address of [ada.user_id, user_id, ...(shows ? [`+${phone}`] : [])])
        assert.deepEqual(
          (await conversation(address)).map(({ text }) => text),
          ['After', 'Before'],
        )
      const { data } = (await posthorn.admin.call(listConversations)).body
      const own = data.filter((one) => [one.conversation, ...one.aliases].includes(user_id))
      assert.equal(own.length, 1)
    }
  })

  test('if the phone and the user id change, and the old phone may pass to somebody else', async () => {
    const ada = await newPerson()
    await writes(ada, 25 * hour)
    await cloud.act(ada.user_id, { act: 'change-number', phone: '4915129999999' })
    const phone = '+4915129999999'
    await eventually(
      'the new phone',
      () => conversation(phone),
      ({ length }) => length === 1,
    )
    await refusal(phone)
    const heir = await cloud.control('person', { phone: ada.phone.slice(1), receives: 'read' })
    await writes(heir)
    await reaches(posthorn.admin, (await say(ada.phone)).id, 'read')
    await refusal(phone)
  })
})

test('a group is one conversation, and its answers reach all', { timeout: 60_000 }, async () => {
  const [ada, eve] = [await newPerson(), await newPerson()]
  const { id: group } = await cloud.control('group', { people: [ada.user_id, eve.user_id] })
  for (const [{ user_id }, body] of [
    [ada, 'Shall we?'],
    [eve, 'Yes.'],
  ] as const)
    await receivedAs(await cloud.act(user_id, { act: 'text', body, group }))
  const [last] = await conversation(group)
  assert.deepEqual([last?.from, last?.conversation, last?.text], [eve.phone, group, 'Yes.'])
  await reaches(posthorn.admin, (await say(last?.conversation ?? '', 'Agreed')).id, 'read')
  assert.deepEqual(
    (await conversation(group)).map(({ text }) => text),
    ['Agreed', 'Yes.', 'Shall we?'],
  )
  assert.deepEqual(await conversation(ada.phone), [])
  const taken = (await cloud.control('taken', {})).at(-1)
  assert.deepEqual([taken?.request.to, taken?.request.recipient_type], [group, 'group'])
})

describe('what the business writes on its phone', { timeout: 60_000 }, () => {
  test('may be changed and taken back there, also what came from here', async () => {
    const ada = await newPerson()
    await writes(ada)
    const own = (await cloud.control('echo', { person: ada.user_id, body: 'At nine' })).id
    const here = await reaches(posthorn.admin, (await say(ada.phone, 'At ten')).id, 'read')
    await cloud.control('echo', { person: ada.user_id, edits: own, body: 'At eight' })
    await cloud.control('echo', { person: ada.user_id, deletes: String(here.network_message_id) })
    const all = await eventually(
      'all of it',
      () => conversation(ada.phone),
      ({ length }) => length === 5,
    )
    const [retraction, correction] = all
    const echo = all.find(({ network_message_id }) => network_message_id === own)
    assert.deepEqual(
      [correction?.origin, correction?.text, correction?.relation?.type, correction?.relation?.message_id],
      ['elsewhere', 'At eight', 'correction', echo?.id],
    )
    assert.deepEqual(
      [retraction?.origin, retraction?.kind, retraction?.relation?.type, retraction?.relation?.message_id],
      ['elsewhere', 'retraction', 'retraction', here.id],
    )
  })

  test('is a message from elsewhere, whether or not the person shows a phone', async () => {
    for (const ada of [await newPerson(), await newPerson({ username: 'hidden' })]) {
      const { id } = await cloud.control('echo', { person: ada.user_id, body: 'From my phone' })
      const [echo] = await eventually(
        'the echo',
        () => conversation(ada.user_id),
        ({ length }) => length === 1,
      )
      assert.ok(echo)
      const { body } = await posthorn.admin.call(getMessage, { params: { id: echo.id } })
      assert.deepEqual(
        [body.origin, body.text, body.network_message_id, body.status, body.window_ends_at],
        ['elsewhere', 'From my phone', id, 'sent', null],
      )
      assert.ok([ada.phone, ada.user_id].includes(body.conversation))
      assert.deepEqual(body.aliases, body.conversation === ada.phone ? [ada.user_id] : [])
    }
  })

  test('may be a file', async () => {
    const ada = await newPerson()
    const bytes = Buffer.from('a photo').toString('base64')
    await cloud.control('echo', {
      person: ada.user_id,
      body: 'See',
      file: { bytes, mime_type: 'image/jpeg' },
    })
    const isThere = ([one]: readonly Message[]) => one?.media?.size === 7
    const [echo] = await eventually('the file', () => conversation(ada.phone), isThere)
    assert.deepEqual([echo?.origin, echo?.caption], ['elsewhere', 'See'])
  })
})
