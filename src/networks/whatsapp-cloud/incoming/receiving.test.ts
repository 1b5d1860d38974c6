import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { text as textOf } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import {
  countsAsStoredWithItsMessage,
  type ObservedConnection,
} from '../../../../test/kit/networks/observed-connection.ts'
import { CloudDriver, type CloudPerson } from '../../../../test/kit/networks/whatsapp-cloud/driver.ts'
import { NetFailure } from '../../../net/failure.ts'
import type { MessageReceived, Observation } from '../../driver/observation.ts'

let far: CloudDriver
let ada: CloudPerson
let session: ObservedConnection

/** Returns the reports of callbacks, without the addresses of people. */
const said = async () => (await far.handOver(session)).filter(({ kind }) => kind !== 'contact-known')

before(async () => {
  far = await CloudDriver.start()
})
after(() => far.stop())
beforeEach(async () => {
  await far.cloud.control('clear-faults', {})
  ada = await far.person()
  session = await far.open()
  await far.handOver(session)
})
afterEach(() => session.close())

test('a callback counts as stored when its message is', async () => {
  const { phone_number_id, business_account_id: id } = far.settings
  const message = {
    from: '4915112345678',
    id: 'wamid.1',
    timestamp: '1',
    type: 'text',
    text: { body: 'Hello' },
  }
  const value = { metadata: { phone_number_id }, messages: [message] }
  await countsAsStoredWithItsMessage((options) => far.open(options), {
    object: 'whatsapp_business_account',
    entry: [{ id, changes: [{ field: 'messages', value }] }],
  })
})

type Fact = Partial<Record<'state' | 'network_message_id' | 'assigned_id' | 'from', unknown>>

const stateOf = (seen: Observation) => ('state' in seen ? seen.state : seen.kind)

describe('a status', () => {
  test('names our message, and the id of the network with it', async () => {
    const sending = session.send(ada.address, 'Hello')
    const outcome = await sending.outcome
    assert.ok(outcome.kind === 'accepted')
    await far.cloud.act(ada.user_id, { act: 'read', message_id: String(outcome.network_message_id) })
    const seen = await said()
    assert.deepEqual(seen.map(stateOf), ['message-acknowledged', 'delivered', 'read'])
    for (const one of seen as Fact[]) {
      assert.deepEqual([one.network_message_id, one.assigned_id], [sending.id, outcome.network_message_id])
      assert.ok(one.from === undefined || one.from === null)
    }
  })

  test('may come before the answer, twice, turned round, or after an answer that was lost', async () => {
    for (const [kind, states] of [
      ['before-answer', ['message-acknowledged', 'delivered']],
      ['twice', ['message-acknowledged', 'message-acknowledged', 'delivered', 'delivered']],
      ['reversed', ['delivered', 'message-acknowledged']],
      ['delivered-without-sent', ['delivered']],
    ] as const) {
      await far.cloud.fault('status', { kind })
      await session.send(ada.address, 'Hello').outcome
      assert.deepEqual((await said()).map(stateOf), states)
    }
    await far.cloud.fault('http', { operation: 'send', kind: 'cut' })
    const sending = session.send(ada.address, 'Hello')
    assert.equal((await sending.outcome).kind, 'uncertain')
    const [first] = (await said()) as Fact[]
    assert.equal(first?.network_message_id, sending.id)
  })

  test('of a message that failed has the error of its code', async () => {
    await far.cloud.fault('status', { kind: 'failed-after-sent', code: 131049 })
    await session.send(ada.address, 'Hello').outcome
    const [, failed] = await said()
    assert.ok(failed?.kind === 'message-returned')
    const { code, permanent, network_code } = failed.error
    assert.deepEqual([code, permanent, network_code], ['recipient_limit_reached', true, '131049'])
    const outside = await far.person({ wrote_ago: 90_000_000 })
    await session.send(outside.address, 'Hello').outcome
    const [late] = await said()
    assert.ok(late?.kind === 'message-returned' && late.error.code === 'outside_reply_window')
  })

  test('of a message of another system has the id of the network', async () => {
    await far.cloud.control('flood', { count: 1000 })
    const seen = await said()
    assert.equal(seen.length, 1000)
    assert.ok((seen as Fact[]).every((one) => String(one.network_message_id).startsWith('wamid.')))
  })

  test('that a voice note was played says that it was read', async () => {
    const outcome = await session.send(ada.address, 'Hello').outcome
    assert.ok(outcome.kind === 'accepted')
    await far.cloud.act(ada.user_id, { act: 'play', message_id: String(outcome.network_message_id) })
    assert.equal(stateOf((await said()).at(-1) ?? assert.fail()), 'read')
  })
})

const received = async () => {
  const seen = await said()
  assert.ok(seen.every((one) => one.kind === 'message-received'))
  return seen as MessageReceived[]
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('a message', () => {
  test('is received with its time, and may be marked as read', async () => {
    const id = await far.cloud.act(ada.user_id, { act: 'text', body: 'Grüße / 👋' })
    const [message] = await received()
    const { at, ...rest } = message ?? assert.fail()
    assert.deepEqual(rest, {
      kind: 'message-received',
      network_message_id: id,
      sender_message_id: id,
      from: ada.address,
      conversation: ada.address,
      addresses: [ada.user_id, ada.address],
      text: 'Grüße / 👋',
      file: null,
      content: { sender: { address: ada.address, name: 'Ada', username: null } },
    })
    assert.ok(Math.abs(Date.now() - at) < 60_000)
    const name = {
      network_message_id: id,
      sender_message_id: id,
      conversation: ada.address,
      from: ada.address,
    }
    assert.deepEqual(await session.connection.markRead?.(name), { kind: 'accepted' })
    assert.deepEqual(await far.cloud.control('read', { message_id: id }), { read: true })
    const unknown = await session.connection.markRead?.({ ...name, network_message_id: 'wamid.unknown' })
    assert.ok(unknown?.kind === 'rejected' && unknown.error.permanent)
  })

  test('of a person with a username comes from their user id', async () => {
    const eve = await far.person({ username: 'eve' })
    await far.cloud.act(eve.user_id, { act: 'text', body: 'Hello' })
    assert.deepEqual(
      (await received()).map(({ from, content }) => [from, content?.sender?.username]),
      [[eve.user_id, 'eve']],
    )
  })

  test('may answer, react, change or take back another', async () => {
    const outcome = await session.send(ada.address, 'Hello').outcome
    assert.ok(outcome.kind === 'accepted')
    await far.handOver(session)
    const sent = String(outcome.network_message_id)
    const own = await far.cloud.act(ada.user_id, { act: 'text', body: 'Yes', reply_to: sent })
    await far.cloud.act(ada.user_id, { act: 'reaction', message_id: sent, emoji: '👍' })
    await far.cloud.act(ada.user_id, { act: 'reaction', message_id: sent })
    await far.cloud.act(ada.user_id, { act: 'edit', message_id: own, body: 'No' })
    await far.cloud.act(ada.user_id, { act: 'delete', message_id: own })
    assert.deepEqual(
      (await received()).map(({ text, relation }) => [text, relation?.type, relation?.message]),
      [
        ['Yes', 'reply', sent],
        ['👍', 'reaction', sent],
        ['', 'reaction', sent],
        ['No', 'correction', own],
        [null, 'retraction', own],
      ],
    )
  })

  test('that cannot be read says of what kind it is', async () => {
    await far.cloud.act(ada.user_id, { act: 'unsupported', type: 'poll_creation' })
    await far.cloud.act(ada.user_id, { act: 'unsupported' })
    await far.cloud.act(ada.user_id, { act: 'allow-calls' })
    assert.deepEqual(
      (await received()).map(({ unsupported }) => unsupported),
      [
        { type: 'unsupported', name: 'poll_creation' },
        { type: 'unsupported', name: 'unsupported' },
        { type: 'unknown', name: 'call_permission_reply' },
      ],
    )
  })

  test('with a file leads to its bytes, for as long as the network keeps them', async () => {
    for (const act of ['image', 'document', 'audio', 'voice', 'video', 'sticker'] as const)
      await far.cloud.act(ada.user_id, {
        act,
        bytes: base64(`the ${act}`),
        mime_type: act === 'document' ? 'text/plain' : 'image/png',
        ...(act === 'document' && { filename: '../../etc/passwd', caption: 'Look' }),
      })
    const messages = await received()
    const signal = new AbortController().signal
    const open = (reference: string, largest = 1000) =>
      session.connection.files?.open?.(reference, { largest, signal }) ?? assert.fail()
    const read: string[] = []
    for (const { file } of messages) {
      assert.ok(file && 'reference' in file)
      const { body, headers } = await open(file.reference)
      read.push(await textOf(body))
      assert.equal(headers['content-type'], file.mime_type)
    }
    assert.deepEqual(read, [
      'the image',
      'the document',
      'the audio',
      'the voice',
      'the video',
      'the sticker',
    ])
    assert.deepEqual([messages[1]?.text, messages[1]?.file?.filename], ['Look', 'passwd'])

    const { reference } = (messages[0]?.file ?? {}) as { reference: string }
    const fails = async (opening: Promise<unknown>, permanent: boolean, reason: string) => {
      const failure = await opening.then(
        () => assert.fail('it opened'),
        (error: unknown) => error,
      )
      assert.ok(failure instanceof NetFailure)
      assert.deepEqual([failure.permanent, failure.reason], [permanent, reason])
      assert.ok(!failure.message.includes(far.cloud.token))
    }
    await fails(open(reference, 3), true, 'too_large')
    await fails(open('../me'), true, 'malformed')
    await fails(open('12345'), true, 'status')
    await far.cloud.fault('file', { kind: 'expired-url' })
    await fails(open(reference), false, 'status')
    await far.cloud.fault('http', { operation: 'download', kind: 'status', status: 503 })
    await fails(open(reference), false, 'status')
    await far.cloud.control('advance', { ms: 8 * 86_400_000 })
    await fails(open(reference), true, 'status')
  })
})

describe('a callback', () => {
  const verify = (request: object) => {
    const all = { method: 'POST', query: {}, headers: {}, rawBody: Buffer.alloc(0), ...request } as const
    return far.driver.callbacks?.verify(all, far.settings, far.credentials) ?? assert.fail()
  }
  const rawBody = Buffer.from('{"entry":[]}')
  const signed = (secret: string) => `sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`

  test('is kept only with the signature of the app over its bytes', () => {
    const right = signed(far.cloud.appSecret)
    const kinds = [right, signed('another'), right.slice(7), right.toUpperCase(), '', undefined].map(
      (signature) =>
        verify({ rawBody, headers: signature === undefined ? {} : { 'x-hub-signature-256': signature } })
          .kind,
    )
    assert.deepEqual(kinds, ['keep', 'refused', 'refused', 'refused', 'refused', 'refused'])
    const other = Buffer.from('{"entry": []}')
    assert.equal(verify({ rawBody: other, headers: { 'x-hub-signature-256': right } }).kind, 'refused')
  })

  test('is verified before by the word that both sides know', () => {
    const query = { 'hub.mode': 'subscribe', 'hub.verify_token': 'verify-me', 'hub.challenge': '1158201444' }
    const right = verify({ method: 'GET', query })
    assert.ok(right.kind === 'response')
    assert.deepEqual([right.status, right.body], [200, '1158201444'])
    for (const change of [
      { 'hub.verify_token': 'verify-mf' },
      { 'hub.verify_token': '' },
      { 'hub.mode': 'unsubscribe' },
      { 'hub.challenge': '<script>' },
    ])
      assert.equal(verify({ method: 'GET', query: { ...query, ...change } }).kind, 'refused')
    assert.equal(verify({ method: 'GET' }).kind, 'refused')
  })

  const hostile = [
    '',
    '[]',
    '{"entry":1}',
    '{"entry":[null,{"changes":[null,{"field":"messages","value":{"metadata":{"phone_number_id":"NUMBER"},"statuses":[1,null,{"id":1},{"id":"wamid.1","status":"x"}],"messages":[null,{"id":"a b"},{"id":"wamid.2","type":"text"},{"id":"wamid.3","from":"1","type":"constructor"},{"id":"wamid.4","from":"4915112345678","type":"__proto__","timestamp":"x"}]}}]}]}',
  ]
  test('of any content is read without harm', async () => {
    const outcomes: string[] = []
    for (const body of hostile) {
      const bytes = Buffer.from(body.replace('NUMBER', far.cloud.number))
      const receiving = session.connection.receive?.({ id: 'cb_1', received_at: 1, body: bytes })
      outcomes.push(
        await (receiving ?? assert.fail()).then(
          () => 'read',
          () => 'rejected',
        ),
      )
    }
    assert.deepEqual(outcomes, ['rejected', 'rejected', 'rejected', 'read'])
    const kinds = session.observations
      .slice(3)
      .map((seen) => [seen.kind, 'unsupported' in seen && seen.unsupported])
    assert.deepEqual(kinds, [['message-received', { type: 'unknown', name: '__proto__' }]])
  })
})
