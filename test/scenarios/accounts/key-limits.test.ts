import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  isForKeys,
  type KeyAccess,
  type Operation,
  type Role,
  reachOf,
  roleSuffices,
  roles,
} from '../../../src/contract/operation.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import {
  createInstance,
  getInstance,
  listInstances,
} from '../../../src/contract/operations/instance-operations.ts'
import {
  getMessage,
  listMessages,
  sendTextMessage,
} from '../../../src/contract/operations/message-operations.ts'
import { operations } from '../../../src/contract/operations.ts'
import type { Event } from '../../../src/contract/resources/event.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import {
  codeOf,
  isList,
  type Names,
  nobodys,
  pathNames,
  request,
  somethingOfEverything,
  withoutRequestId,
} from '../../kit/http/contract-request.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/*
 * Keys that expire, and keys that are limited to some instances: for every operation of the contract, with every role. What
 * is beyond a limit is answered exactly as what is not there.
 */

let posthorn: Posthorn
/** Things of the instance `ours`, and of `beyond`, which the limited keys are not for. */
let ours: Names
let beyond: Names
let keys: Record<'unlimited' | 'here' | 'elsewhere' | 'expired', Record<Role, string>>

before(async () => {
  posthorn = await startPosthorn()
  ours = await somethingOfEverything(posthorn, 'ours')
  beyond = await somethingOfEverything(posthorn, 'beyond')
  const issue = async (limits: { expires_at?: number; instances?: string[] }) => {
    const made = roles.map(async (role) => [role, (await posthorn.createKey('default', role, limits)).key])
    return Object.fromEntries(await Promise.all(made)) as Record<Role, string>
  }
  keys = {
    unlimited: await issue({}),
    here: await issue({ instances: ['ours', 'nobodys'] }),
    elsewhere: await issue({ instances: ['elsewhere'] }),
    expired: await issue({ expires_at: Date.now() - 1 }),
  }
})

after(() => posthorn.stop())

const ask = (operation: Operation, names: Names, key: string, body?: string) =>
  request(posthorn, operation, names, `Bearer ${key}`, body)

const withKey = operations.filter(({ access }) => isForKeys(access))
const suffices = (operation: Operation, role: Role) => roleSuffices(role, operation.access as KeyAccess)
/** A list that belongs to nothing: what a path names is there or not. */
const isWholeList = ({ responses: replies, path }: Operation) => isList(replies) && !path.includes('{')

describe('a key that has expired', () => {
  for (const operation of withKey)
    test(`${operation.id}: is told so, whatever it asks for`, async () => {
      const answers = new Set<string>()
      for (const role of roles)
        for (const names of [ours, nobodys]) {
          const reply = await ask(operation, names, keys.expired[role])
          assert.equal(reply.status, 401)
          assert.equal(codeOf(reply), 'key_expired')
          answers.add(withoutRequestId(reply))
        }
      assert.equal(answers.size, 1)
    })

  test('is refused from the moment on at which it expires, in the midst of being used', async () => {
    const at = Date.now() + 1_500
    const { key } = await posthorn.createKey('default', 'read', { expires_at: at })
    for (;;) {
      const begun = Date.now()
      const reply = await ask(listInstances, ours, key)
      const done = Date.now()
      if (reply.status === 200) assert.ok(begun < at, 'it is believed no longer than it lives')
      else {
        assert.equal(codeOf(reply), 'key_expired')
        assert.ok(done >= at)
        return
      }
    }
  })
})

type BatchReply = { readonly accepted: number }

describe('a key that is limited to another instance', () => {
  for (const operation of withKey)
    for (const role of roles)
      test(`${operation.id} as ${role}: what is ours is as if it were not there`, async () => {
        const key = keys.elsewhere[role]
        const there = await ask(operation, { ...nobodys, ...onlyInstance(operation, ours) }, key)
        const notThere = await ask(operation, nobodys, key)
        assert.equal(withoutRequestId(there), withoutRequestId(notThere))
        const reach = reachOf(operation)
        if (!suffices(operation, role) || reach === 'refused') assert.equal(codeOf(there), 'forbidden')
        else if (reach === 'every_key') assert.equal(there.status, 200)
        else if (reach === 'filtered' && isWholeList(operation))
          assert.deepEqual((there.json as { data: unknown[] }).data, [], 'it shows nothing')
        // It tells of each message.
        else if (operation.id === 'sendMessageBatch') assert.equal((there.json as BatchReply).accepted, 0)
        // Its counts are the same as for what is not there.
        else if (operation.id === 'getStatistics') assert.equal(there.status, 200)
        else assert.equal(there.status, 404, there.text)
      })

  const lists = withKey.filter((operation) => reachOf(operation) === 'filtered' && isWholeList(operation))
  for (const operation of lists)
    test(`${operation.id}: shows nothing of others, whatever is asked for`, async () => {
      const { properties = {} } = operation.query ?? {}
      const filters = Object.keys(properties).filter((name) => name in ours)
      for (const search of ['?limit=200', '?instances=ours', ...filters.map((name) => `?${name}=ours`)]) {
        if (search.startsWith('?instances') && !('instances' in properties)) continue
        const dataOf = async (key: string) => {
          const headers = { authorization: `Bearer ${key}` }
          const reply = await posthorn.client().rawRequest('GET', `${operation.path}${search}`, { headers })
          return (reply.json as { data: unknown[] }).data
        }
        assert.deepEqual(await dataOf(keys.elsewhere.admin), [], search)
        assert.notDeepEqual(await dataOf(keys.unlimited.admin), [], search)
      }
    })
})

describe('a key that is limited to the instance', () => {
  for (const operation of withKey.filter((one) => reachOf(one) !== 'refused'))
    for (const role of roles)
      test(`${operation.id} as ${role}: may do what a key without a limit may`, async () => {
        // With nothing that could be found where it would change something.
        const names = operation.method === 'GET' ? ours : nobodys
        const limited = await ask(operation, names, keys.here[role])
        const free = await ask(operation, names, keys.unlimited[role])
        assert.equal(limited.status, free.status, limited.text)
        if (suffices(operation, role)) assert.notEqual(limited.status, 403)
        if (limited.status !== 200) assert.equal(withoutRequestId(limited), withoutRequestId(free))
      })
})

describe('beyond its limit, a key', () => {
  let client: CheckedClient
  before(() => {
    client = posthorn.client(keys.here.admin)
  })

  test('sees no instance and no message', async () => {
    const instances = await client.call(listInstances)
    assert.deepEqual(
      instances.body.data.map(({ name }) => name),
      ['ours'],
    )
    for (const query of [{}, { client_ref: 'same' }, { conversation: 'ana@accepts.sandbox', limit: 1 }]) {
      const { body } = await client.call(listMessages, { query })
      assert.deepEqual(
        body.data.map(({ id }) => id),
        [ours.id],
      )
      assert.equal(body.next_cursor, null)
    }
    await assert.rejects(client.call(getMessage, { params: { id: beyond.id ?? '' } }), {
      code: 'message_not_found',
    })
  })

  test('gets no event, in pages or in a stream, and none about no instance', async () => {
    const { body } = await client.call(listEvents, { query: { limit: 200 } })
    const all = (await posthorn.admin.call(listEvents, { query: { limit: 200 } })).body
    const about = (event: Event) => (event.data as { instance?: { name: string } }).instance?.name
    const expected = all.data.filter((event) => about(event) === 'ours')
    assert.deepEqual(body.data, expected)
    assert.ok(all.data.some((event) => about(event) === undefined))
    assert.equal(body.next_cursor, all.next_cursor, 'it reads on from the same place')
    const abort = new AbortController()
    const query = { after: all.next_cursor }
    const stream = client.stream(listEvents, { query, signal: abort.signal })
    const first = stream.next()
    await posthorn.admin.call(sendTextMessage, { body: text('beyond') })
    const { body: sent } = await client.call(sendTextMessage, { body: text('ours') })
    const received = (await first).value as unknown as { data: { data: { message: { id: string } } } }
    assert.equal(received.data.data.message.id, sent.id)
    abort.abort()
    await stream.return().catch(() => undefined)
  })

  test('cannot send, and learns nothing from what else is wrong or from the keys of others', async () => {
    const idempotencyKey = 'used-by-another'
    const body = text('beyond')
    await posthorn.admin.call(sendTextMessage, { body, idempotencyKey })
    const authorization = `Bearer ${keys.here.send}`
    const send = (given: object, more: Record<string, string> = {}) =>
      posthorn.client().rawRequest('POST', '/v1/messages/text', {
        headers: { authorization, 'content-type': 'application/json', ...more },
        body: JSON.stringify(given),
      })
    for (const [change, more] of [
      [{}, {}],
      [{}, { 'idempotency-key': idempotencyKey }],
      [{ to: 'no address at all', text: '' }, {}],
      [{ to: 'no address at all' }, {}],
    ] as const) {
      const replies = await Promise.all([
        send({ ...body, ...change }, more),
        send({ ...body, ...change, instance: 'is-not-there' }, more),
      ])
      const [there, notThere] = replies.map(withoutRequestId)
      assert.equal(there, notThere)
      assert.ok([400, 404].includes(replies[0]?.status ?? 0))
    }
  })

  test('cannot create an instance, not even one of a name that it is for', async () => {
    await assert.rejects(client.call(createInstance, { body: { name: 'nobodys' } }), { code: 'forbidden' })
    await assert.rejects(posthorn.admin.call(getInstance, { params: { name: 'nobodys' } }), {
      code: 'instance_not_found',
    })
  })
})

const text = (instance: string) => ({ instance, to: 'ana@accepts.sandbox', text: 'Good morning' })

/** Keeps the names of ours that the operation has in its path or body. */
function onlyInstance(operation: Operation, names: Names): Names {
  return reachOf(operation) === 'body' ? { instance: names.instance ?? '' } : pathNames(operation, names)
}
