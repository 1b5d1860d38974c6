import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { isForKeys, type Operation, type Role, roleSuffices, roles } from '../../../src/contract/operation.ts'
import {
  createInstance,
  getInstance,
  listInstances,
} from '../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../src/contract/operations/message-operations.ts'
import { operations } from '../../../src/contract/operations.ts'
import { newApiKey } from '../../../src/organizations/keys.ts'
import type { RawReply } from '../../kit/http/checked-client.ts'
import {
  bearer,
  codeOf,
  type Names,
  nobodys,
  request,
  withoutRequestId,
} from '../../kit/http/contract-request.ts'
import type { Posthorn } from '../../kit/posthorn.ts'
import { measureOwnTime } from '../../kit/run/own-time.ts'
import { looks, type Neighbours, startNeighbours } from '../walls/looks.ts'

/*
 * Access rights for every operation of the contract: the plays are generated from it, so that a new operation is covered by
 * itself. Names in a path or a body are taken from `ours` and `nobodys`; a parameter that neither knows fails.
 */

let neighbours: Neighbours
let posthorn: Posthorn
/** Things of the organization `default`. */
let ours: Names
let keys: Record<Role | 'revoked' | 'foreign', string>
let tokens: Record<'operator' | 'metrics', string>

before(async () => {
  neighbours = await startNeighbours()
  posthorn = neighbours.posthorn
  ours = neighbours.ours
  const revoked = await posthorn.createKey('default', 'admin')
  await posthorn.revokeKey(revoked.id)
  keys = { ...neighbours.keys, revoked: revoked.key }
  const tokenIn = (file: string) => readFileSync(join(posthorn.data, file), 'utf8').trim()
  tokens = { operator: tokenIn('operator.token'), metrics: tokenIn('metrics.token') }
})

after(() => posthorn.stop())

/** Ways to send a text as a key, well-formed or not, that never existed or that lives no longer. */
const dead: Readonly<Record<string, () => string>> = {
  'a malformed key': () => 'phk_secret',
  'a key in capitals': () => keys.admin.toUpperCase(),
  'a key that goes on': () => `${keys.admin}0`,
  'a key with a wrong checksum': () => `${keys.admin.slice(0, -1)}${keys.admin.endsWith('0') ? '1' : '0'}`,
  'an unknown key': () => newApiKey().key,
  'a revoked key': () => keys.revoked,
  'a key of a thousand characters': () => 'p'.repeat(1000),
}

/** Ways of sending a key in which none is read, and the caller's problem for each. */
const forms: readonly (readonly [
  form: string,
  headers: (key: string) => Readonly<Record<string, string>>,
  told: RegExp,
])[] = [
  ['no header', () => ({}), /with a complete key that exists/],
  ['an empty header', () => ({ authorization: '' }), /with a complete key that exists/],
  [
    'another scheme',
    (key) => ({ authorization: `Basic ${Buffer.from(`admin:${key}`).toString('base64')}` }),
    /is Basic, and must be Bearer\. Send `Authorization: Bearer phk_…`/,
  ],
  ['an unknown scheme', (key) => ({ authorization: `Mine ${key}` }), /is another one, and must be Bearer/],
  ['the scheme alone', () => ({ authorization: 'Bearer' }), /No key follows the word `Bearer`/],
  ['the key without its scheme', (key) => ({ authorization: key }), /`Bearer` is missing|is another one/],
  ['two keys', (key) => ({ authorization: `Bearer ${key} ${key}` }), /More than one word follows/],
  [
    'two keys with a comma',
    (key) => ({ authorization: `Bearer ${key}, Bearer ${key}` }),
    /More than one word/,
  ],
  ['apikey', (key) => ({ apikey: key }), /in the header `apikey`.* Send `Authorization: Bearer phk_…`/],
  ['X-Api-Key', (key) => ({ 'x-api-key': key }), /in the header `X-Api-Key`/],
]

describe('who comes without a living key', () => {
  for (const operation of operations) {
    test(`${operation.id} ${operation.access === 'open' ? 'answers' : 'refuses them all alike'}`, async () => {
      const answers = new Map<string, string>()
      for (const [name, key] of Object.entries(dead)) {
        const reply = await ask(operation, ours, `Bearer ${key()}`)
        if (operation.access === 'open') assert.equal(reply.status, 200, name)
        else assert.equal(codeOf(reply), 'unauthenticated', name)
        answers.set(withoutRequestId(reply), name)
      }
      assert.equal(answers.size, 1, `told apart: ${[...answers.values()].join(', ')}`)
      for (const [form, headers] of forms) {
        const reply = await ask(operation, ours, headers(keys.admin).authorization)
        if (operation.access === 'open') assert.equal(reply.status, 200, form)
        else assert.equal(codeOf(reply), 'unauthenticated', form)
      }
    })
  }

  for (const [form, headers, told] of forms) {
    test(`by ${form} is told how to send a key, the same whether it lives or not, and never the key`, async () => {
      const answers = new Set<string>()
      for (const key of [keys.admin, keys.revoked, newApiKey().key]) {
        const reply = await posthorn.client().rawRequest('GET', '/v1/instances', { headers: headers(key) })
        assert.equal(codeOf(reply), 'unauthenticated')
        assert.match(reply.text, told)
        assert.ok(!reply.text.includes(key))
        answers.add(withoutRequestId(reply))
      }
      assert.equal(answers.size, 1)
    })
  }

  test('unknown paths and methods are refused before anything is told about them', async () => {
    const client = posthorn.client()
    for (const [method, path] of [
      ['GET', '/v2'],
      ['GET', '/v1'],
      ['PATCH', '/v1/instances'],
      ['POST', '/metrics'],
      ['DELETE', '/v1/instances'],
    ] as const) {
      const reply = await client.rawRequest(method, path)
      assert.equal(codeOf(reply), 'unauthenticated', `${method} ${path}`)
    }
  })

  test('the scheme may be written in any case', async () => {
    const reply = await ask(listInstances, ours, `bEARER  ${keys.read}`)
    assert.equal(reply.status, 200)
  })
})

describe('whose role is too low', () => {
  const withRole = operations.flatMap((operation) =>
    roles.filter((role) => role === operation.access).map((asked) => ({ operation, asked })),
  )
  for (const { operation, asked } of withRole) {
    test(`${operation.id} asks for ${asked}`, async () => {
      for (const role of roles) {
        // With nothing that could be found, so that who is let in changes nothing.
        const reply = await ask(operation, nobodys, `Bearer ${keys[role]}`, '{}')
        if (roleSuffices(role, asked)) assert.ok(![401, 403].includes(reply.status), `${role}: ${reply.text}`)
        else assert.equal(codeOf(reply), 'forbidden', role)
      }
    })
  }

  test('is refused also for what is not there: a low role cannot look for names', async () => {
    const [there, notThere] = await Promise.all(
      [ours, nobodys].map((names) => ask(operationOf('deleteInstance'), names, `Bearer ${keys.send}`)),
    )
    assert.equal(withoutRequestId(there as RawReply), withoutRequestId(notThere as RawReply))
  })
})

describe('the operator', () => {
  for (const operation of operations.filter(({ access }) => access !== 'open')) {
    const { id, access } = operation
    test(`${id} answers ${{ any: 'keys and the operator', metrics: 'both tokens', operator: 'the operator alone', link_page: 'link pages alone' }[access as string] ?? 'keys alone'}`, async () => {
      const answer = async (credential: string) => {
        const reply = await ask(operation, nobodys, `Bearer ${credential}`, '{}')
        return [401, 403].includes(reply.status) ? codeOf(reply) : 'let in'
      }
      const isOperators = ['any', 'metrics', 'operator'].includes(access)
      const refused = access === 'link_page' ? 'unauthenticated' : 'forbidden'
      assert.equal(await answer(tokens.operator), isOperators ? 'let in' : refused)
      assert.equal(await answer(tokens.metrics), access === 'metrics' ? 'let in' : 'unauthenticated')
      if (!isForKeys(access)) for (const role of roles) assert.equal(await answer(keys[role]), refused, role)
    })
  }

  test('learns that a path is none, and that a method is not the one of a path of theirs', async () => {
    const client = posthorn.client()
    const asked = async (method: string, path: string, token: string) =>
      codeOf(await client.rawRequest(method, path, bearer(token)))
    assert.equal(await asked('GET', '/v1/organisations', tokens.operator), 'route_not_found')
    assert.equal(await asked('POST', '/metrics', tokens.metrics), 'method_not_allowed')
    assert.equal(await asked('GET', '/v1/organisations', tokens.metrics), 'unauthenticated')
    assert.equal(await asked('PATCH', '/v1/instances', tokens.operator), 'forbidden')
  })
})

describe('another organization', () => {
  for (const { title, play } of looks) test(title, () => play(neighbours))

  test('may give the same name to what is theirs', async () => {
    const neighbour = posthorn.client(keys.foreign)
    const created = await neighbour.call(createInstance, { body: { name: 'shared' } })
    const mine = await posthorn.admin.call(createInstance, { body: { name: 'shared' } })
    assert.notEqual(created.body.id, mine.body.id)
  })

  test('has left everything of ours as it was', async () => {
    const { body: instance } = await posthorn.admin.call(getInstance, { params: { name: 'ours' } })
    assert.equal(instance.status, 'connected')
    const { body: message } = await posthorn.admin.call(getMessage, { params: { id: ours.id ?? '' } })
    assert.equal(message.status, 'sent')
  })
})

test('a key that is revoked while it is in use is refused within about a second', async () => {
  const { id, key } = await posthorn.createKey('default', 'read')
  const client = posthorn.client()
  const ask = async () => (await client.rawRequest('GET', '/v1/instances', bearer(key))).status
  assert.equal(await ask(), 200)
  await posthorn.revokeKey(id)
  const ownTime = measureOwnTime()
  while ((await ask()) === 200);
  const believed = ownTime()
  assert.ok(believed < 3_000, `it was believed for ${believed} ms`)
  assert.equal(await ask(), 401)
})

function operationOf(id: string): Operation {
  const operation = operations.find((each) => each.id === id)
  assert.ok(operation, id)
  return operation
}

function ask(operation: Operation, names: Names, authorization: string | undefined, body?: string) {
  return request(posthorn, operation, names, authorization, body)
}
