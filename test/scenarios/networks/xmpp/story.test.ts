import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import {
  createInstance,
  deleteInstance,
  getInstanceStatus,
  startInstance,
  stopInstance,
} from '../../../../src/contract/operations/instance-operations.ts'
import { XmppPerson } from '../../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../../kit/networks/xmpp/prosody.ts'
import { eventually, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'

// Tests share the two servers and Ana's account; each has an instance of its own.
describe('a partner writes to Ana over a real XMPP server', needsProsody, () => {
  let prosody: Prosody
  let posthorn: Posthorn

  before(async () => {
    prosody = await startProsody({ starttls: 'off', registration: true })
    await prosody.createUser('ana', 'ana-secret')
    posthorn = await startPosthorn()
  })
  after(async () => {
    await posthorn?.stop()
    await prosody?.remove()
  })

  /** Creates an instance that registers an account with its own name, and returns it once it is connected. */
  const connect = async (name: string) => {
    const settings = {
      address: prosody.address(name),
      service: `xmpp://127.0.0.1:${prosody.port}`,
      register: true,
      allow_plaintext: true,
    }
    const body = { name, network: 'xmpp', settings }
    const created = await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    assert.equal(created.body.status, 'connected', JSON.stringify(created.body.reason))
    assert.equal(prosody.hasUser(name), true)
    return created.body
  }
  /** Ana's phone, until the end of the test. */
  const loginAna = async (t: TestContext) => {
    const ana = await XmppPerson.login(prosody, 'ana', 'ana-secret')
    t.after(() => ana.leave())
    return ana
  }
  const writeToAna = (instance: string, words: string, wait = 0) =>
    text(posthorn.admin, { instance, to: prosody.address('ana'), text: words }, wait)
  const connectivity = async (name: string) =>
    (await posthorn.admin.call(getInstanceStatus, { params: { name } })).body
  const whileServerIsDead = async <T>(act: () => Promise<T>): Promise<T> => {
    await prosody.kill()
    try {
      return await act()
    } finally {
      await prosody.start()
    }
  }

  test('the instance registers an account of its own and is connected', async () => {
    const { account } = await connect('registered')
    assert.equal(account?.address, prosody.address('registered'))
  })

  test('a text arrives under the id that was told, is delivered, and is read once Ana looks at it', async (t) => {
    const ana = await loginAna(t)
    await connect('writing')
    const message = await writeToAna('writing', 'Good morning, Ana ☕', 10)
    const arrival = await ana.receives(({ body }) => body === 'Good morning, Ana ☕')
    assert.equal(arrival.id, message.network_message_id)
    await reaches(posthorn.admin, message.id, 'delivered')
    await ana.displays(arrival)
    await reaches(posthorn.admin, message.id, 'read')
  })

  test('a recipient whom nobody knows: the message fails, with the word of the network', async () => {
    await connect('lost')
    const message = await text(posthorn.admin, { instance: 'lost', to: prosody.address('nobody') })
    const failed = await reaches(posthorn.admin, message.id, 'failed')
    assert.ok(failed.error?.network_code)
  })

  test('a character that XMPP cannot carry is refused at once, wherever it stands', async () => {
    await connect('refused')
    const common = { instance: 'refused', to: prosody.address('ana') }
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

  test('a stopped instance keeps what it is given, and sends it when it is started', async (t) => {
    const ana = await loginAna(t)
    await connect('closed')
    await posthorn.admin.call(stopInstance, { params: { name: 'closed' } })
    const message = await writeToAna('closed', 'While you were closed')
    assert.equal(message.status, 'queued')
    await posthorn.admin.call(startInstance, { params: { name: 'closed' }, waitSeconds: 20 })
    await ana.receives(({ body }) => body === 'While you were closed')
    await reaches(posthorn.admin, message.id, 'delivered')
  })

  test('the server dies: the status says so, and what is accepted meanwhile arrives once it is back', async (t) => {
    await connect('storm')
    const message = await whileServerIsDead(async () => {
      const status = () => connectivity('storm')
      await eventually('the loss', status, (now) => now.status !== 'connected')
      return await writeToAna('storm', 'Through the storm')
    })
    const ana = await loginAna(t)
    const arrival = await ana.receives(({ body }) => body === 'Through the storm')
    assert.equal(arrival.id, message.network_message_id)
    await reaches(posthorn.admin, message.id, 'delivered')
    assert.equal((await connectivity('storm')).status, 'connected')
  })

  test('a removal while the server is away says why it takes so long, and is carried out once the server is back', async () => {
    await connect('brief')
    const at = { params: { name: 'brief' } }
    const { admin } = posthorn
    await whileServerIsDead(async () => {
      const { status, body } = await admin.call(deleteInstance, at)
      assert.equal(status, 202)
      assert.deepEqual([body.status, body.reason?.code], ['deleting', 'server_unreachable'])
    })
    const gone = () =>
      admin.call(getInstanceStatus, at).then(
        () => false,
        () => true,
      )
    await eventually('the end of the removal', gone, (over) => over)
    assert.equal(prosody.hasUser('brief'), false)
  })

  test('a removed instance takes its account with it', async () => {
    await connect('removed')
    const removed = await posthorn.admin.call(deleteInstance, { params: { name: 'removed' } })
    assert.equal(removed.status, 204)
    assert.equal(prosody.hasUser('removed'), false)
  })
})
