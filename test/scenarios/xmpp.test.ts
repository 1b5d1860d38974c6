import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  createInstance,
  deleteInstance,
  getInstanceStatus,
  startInstance,
  stopInstance,
} from '../../src/contract/operations/instance-operations.ts'
import { getMessage, sendTextMessage } from '../../src/contract/operations/message-operations.ts'
import { needsProsody, type Prosody, startProsody } from '../kit/networks/prosody.ts'
import { XmppPerson } from '../kit/networks/xmpp-person.ts'
import { eventually } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

describe('a partner writes to Ana over a real XMPP server', needsProsody, () => {
  let prosody: Prosody
  let posthorn: Posthorn
  let ana: XmppPerson

  before(async () => {
    prosody = await startProsody({ starttls: 'off', registration: true })
    ana = await XmppPerson.join(prosody, 'ana')
    posthorn = await startPosthorn()
  })
  after(async () => {
    await posthorn?.stop()
    await ana?.leave()
    await prosody?.remove()
  })

  const send = async (text: string, waitSeconds = 0) => {
    const body = { instance: 'support', to: ana.address, text }
    return (await posthorn.admin.call(sendTextMessage, { body, waitSeconds })).body
  }
  const statusOf = async (id: string) =>
    (await posthorn.admin.call(getMessage, { params: { id } })).body.status
  const connectivity = async () =>
    (await posthorn.admin.call(getInstanceStatus, { params: { name: 'support' } })).body

  test('the instance registers an account of its own and is connected', async () => {
    const settings = {
      address: prosody.address('support'),
      service: `xmpp://127.0.0.1:${prosody.port}`,
      register: true,
      allow_plaintext: true,
    }
    const body = { name: 'support', network: 'xmpp', settings }
    const created = await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    assert.equal(created.body.status, 'connected', JSON.stringify(created.body.reason))
    assert.equal(created.body.account?.address, prosody.address('support'))
    assert.equal(prosody.hasUser('support'), true)
  })

  test('a text arrives under the id that was told, is delivered, and is read once Ana looks at it', async () => {
    const message = await send('Good morning, Ana ☕', 10)
    const arrival = await ana.receives(({ body }) => body === 'Good morning, Ana ☕')
    assert.equal(arrival.id, message.network_message_id)
    await eventually(
      'the receipt',
      () => statusOf(message.id),
      (status) => status === 'delivered',
    )
    await ana.displays(arrival)
    await eventually(
      'the mark',
      () => statusOf(message.id),
      (status) => status === 'read',
    )
  })

  test('a recipient whom nobody knows: the message fails, with the word of the network', async () => {
    const body = { instance: 'support', to: prosody.address('nobody'), text: 'Hello?' }
    const { body: message } = await posthorn.admin.call(sendTextMessage, { body, waitSeconds: 10 })
    const read = () => posthorn.admin.call(getMessage, { params: { id: message.id } })
    const failed = await eventually('the return', read, (now) => now.body.status === 'failed')
    assert.ok(failed.body.error?.network_code)
  })

  test('a character that XMPP cannot carry is refused at once, wherever it stands', async () => {
    const common = { instance: 'support', to: ana.address }
    const media = { ...common, kind: 'document', url: 'https://example.org/a.pdf', caption: 'ab\bc' }
    for (const [path, field, body] of [
      ['text', '/text', { ...common, text: 'ab\bc' }],
      ['media', '/caption', media],
    ] as const) {
      const headers = { authorization: `Bearer ${posthorn.adminKey}`, 'content-type': 'application/json' }
      const asked = { headers, body: JSON.stringify(body) }
      const reply = await posthorn.client().rawRequest('POST', `/v1/messages/${path}`, asked)
      const { code, errors } = reply.json as { code: string; errors: { pointer: string; detail: string }[] }
      assert.deepEqual([code, errors.length, errors[0]?.pointer], ['invalid_request', 1, field])
      assert.match(errors[0]?.detail ?? '', /U\+0008.*character 3/)
    }
  })

  test('a stopped instance keeps what it is given, and sends it when it is started', async () => {
    await posthorn.admin.call(stopInstance, { params: { name: 'support' } })
    const message = await send('While you were closed')
    assert.equal(message.status, 'queued')
    await posthorn.admin.call(startInstance, { params: { name: 'support' }, waitSeconds: 20 })
    await ana.receives(({ body }) => body === 'While you were closed')
    await eventually(
      'the receipt',
      () => statusOf(message.id),
      (status) => status === 'delivered',
    )
  })

  test('the server dies: the status says so, and what is accepted meanwhile arrives once it is back', async () => {
    await prosody.kill()
    await eventually('the loss', connectivity, (now) => now.status !== 'connected')
    const message = await send('Through the storm')
    await prosody.start()
    const again = await XmppPerson.login(prosody, 'ana', 'ana-secret')
    const arrival = await again.receives(({ body }) => body === 'Through the storm')
    assert.equal(arrival.id, message.network_message_id)
    await eventually(
      'the receipt',
      () => statusOf(message.id),
      (status) => status === 'delivered',
    )
    assert.equal((await connectivity()).status, 'connected')
    await again.leave()
  })

  test('a removal while the server is away says why it takes so long, and is carried out once the server is back', async () => {
    const settings = {
      address: prosody.address('brief'),
      service: `xmpp://127.0.0.1:${prosody.port}`,
      register: true,
      allow_plaintext: true,
    }
    const at = { params: { name: 'brief' } }
    const { admin } = posthorn
    await admin.call(createInstance, { body: { name: 'brief', network: 'xmpp', settings }, waitSeconds: 20 })
    assert.equal(prosody.hasUser('brief'), true)
    await prosody.kill()
    const { status, body } = await admin.call(deleteInstance, at)
    assert.equal(status, 202)
    assert.deepEqual([body.status, body.reason?.code], ['deleting', 'server_unreachable'])
    await prosody.start()
    const gone = () =>
      admin.call(getInstanceStatus, at).then(
        () => false,
        () => true,
      )
    await eventually('the end of the removal', gone, (over) => over)
    assert.equal(prosody.hasUser('brief'), false)
    await eventually('the other instance', connectivity, (now) => now.status === 'connected')
  })

  test('a removed instance takes its account with it', async () => {
    const removed = await posthorn.admin.call(deleteInstance, { params: { name: 'support' } })
    assert.equal(removed.status, 204)
    assert.equal(prosody.hasUser('support'), false)
  })
})
