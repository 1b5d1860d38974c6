import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import {
  createInstance,
  deleteInstance,
  getInstanceStatus,
  replaceCredentials,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import type { SealedCredentials } from '../../../src/networks/driver/account.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'
import { refusedToken } from '../../../src/networks/sandbox/script.ts'
import { xmpp } from '../../../src/networks/xmpp/driver.ts'
import { allEvents } from '../../kit/http/feed.ts'
import { XmppPerson } from '../../kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../kit/networks/xmpp/prosody.ts'
import { reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

let posthorn: Posthorn
/** Credentials that each connection to the sandbox found, in order. */
const found: SealedCredentials[] = []

before(async () => {
  const network = sandbox()
  /** A sandbox that keeps something of its own beside what callers give it. */
  const keeping = {
    ...network,
    connect: (context: Parameters<typeof network.connect>[0]) => {
      found.push(context.credentials.read())
      void context.credentials.save({ ...context.credentials.read(), device: 'its own' })
      return network.connect(context)
    },
  }
  posthorn = await startPosthorn({ drivers: [keeping, xmpp()] })
})

after(() => posthorn.stop())

const at = (name: string) => ({ params: { name } })

async function add(name: string, token: string) {
  const body = { name, network: 'sandbox', credentials: { token } }
  return (await posthorn.admin.call(createInstance, { body, waitSeconds: 10 })).body
}

async function put(name: string, credentials: SealedCredentials, client = posthorn.admin) {
  return (await client.call(replaceCredentials, { ...at(name), body: { credentials }, waitSeconds: 20 })).body
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.catch((caught: unknown) => caught)
  assert.ok(error instanceof ProblemError, String(error))
  return [error.code, ...(error.problem.errors ?? []).map(({ pointer }) => pointer)].join(' ')
}

test('an instance that was logged out connects with other credentials, and sends what it had queued', async () => {
  const created = await add('support', refusedToken)
  assert.equal(created.status, 'logged_out')
  const waiting = await text(posthorn.admin, { instance: 'support', to: 'ana@accepts.sandbox' })
  const replaced = await put('support', { token: 'open-sesame' })
  assert.deepEqual([replaced.id, replaced.status], [created.id, 'connected'])
  const { network_message_id } = await reaches(posthorn.admin, waiting.id, 'sent')
  assert.equal(network_message_id, waiting.network_message_id)
  const types = (await allEvents(posthorn.admin, { instances: ['support'] })).map(({ type }) => type)
  const [replacement] = types.splice(types.indexOf('instance.credentials_replaced'), 1)
  assert.equal(replacement, 'instance.credentials_replaced')
  assert.equal(types.includes('instance.credentials_replaced'), false)
})

test('a connected instance connects anew; the same again changes nothing more', async () => {
  await add('shop', 'first')
  for (let time = 0; time < 2; time++)
    assert.equal((await put('shop', { token: 'second' })).status, 'connected')
  assert.deepEqual(
    found.slice(-3).map(({ token }) => token),
    ['first', 'second', 'second'],
  )
})

test('what the driver keeps beside them stays', async () => {
  await add('linked', 'first')
  await put('linked', { token: 'second' })
  assert.deepEqual(found.at(-1), { token: 'second', device: 'its own' })
  await put('linked', {})
  assert.deepEqual(found.at(-1), { device: 'its own' })
})

test('a stopped instance stays stopped, and has them when it is started', async () => {
  await add('resting', refusedToken)
  await posthorn.admin.call(stopInstance, at('resting'))
  assert.equal((await put('resting', { token: 'open-sesame' })).status, 'stopped')
})

test('what does not fit is refused, and changes nothing', async () => {
  await add('strict', 'first')
  const connections = found.length
  assert.equal(await codeOf(put('strict', { token: 7 })), 'invalid_request /credentials/token')
  assert.equal(await codeOf(put('strict', { password: 'x' })), 'invalid_request /credentials/password')
  assert.equal(await codeOf(put('nobodys', { token: 'x' })), 'instance_not_found')
  const { key } = await posthorn.createKey('default', 'send')
  assert.equal(await codeOf(put('strict', { token: 'x' }, posthorn.client(key))), 'forbidden')
  assert.equal(found.length, connections)
})

describe('a password at a real server', needsProsody, () => {
  let prosody: Prosody
  let ana: XmppPerson

  before(async () => {
    prosody = await startProsody({ starttls: 'off' })
    await prosody.createUser('desk', 'the right one')
    ana = await XmppPerson.join(prosody, 'ana')
  })
  after(async () => {
    await ana.leave()
    await prosody.remove()
  })

  test('the wrong one, a message that waits, then the right one: the message arrives under its id', async () => {
    const service = `xmpp://127.0.0.1:${prosody.port}`
    const settings = { address: prosody.address('desk'), service, allow_plaintext: true }
    const body = { name: 'desk', network: 'xmpp', settings, credentials: { password: 'a wrong one' } }
    const created = await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    assert.deepEqual([created.body.status, created.body.reason?.code], ['logged_out', 'not_authorized'])
    assert.match(created.body.reason?.detail ?? '', /PUT \/v1\/instances\/\{name\}\/credentials/)
    const waiting = await text(posthorn.admin, { instance: 'desk', to: ana.address, text: 'At last' })
    assert.equal(await codeOf(put('desk', {})), 'invalid_request /credentials/password')
    assert.equal((await put('desk', { password: 'still wrong' })).status, 'logged_out')
    assert.equal((await put('desk', { password: 'the right one' })).status, 'connected')
    const arrival = await ana.receives(({ body: said }) => said === 'At last')
    assert.equal(arrival.id, waiting.network_message_id)
    await reaches(posthorn.admin, waiting.id, 'delivered')
    const { queue } = (await posthorn.admin.call(getInstanceStatus, at('desk'))).body
    assert.equal(queue.depth, 0)
    await posthorn.admin.call(deleteInstance, at('desk'))
  })
})
