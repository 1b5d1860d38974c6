import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { bodyLimit } from '../../src/server/responses/problem-response.ts'
import { codeOf } from '../kit/http/contract-request.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { type Answer, Assistant, post, stateless } from './assistant.ts'

/* The protocol over HTTP, message by message: what each revision asks of a server, and what no server should take. */

let posthorn: Posthorn
let key: Record<string, string>

before(async () => {
  posthorn = await startPosthorn()
  key = { authorization: `Bearer ${posthorn.adminKey}` }
})

after(() => posthorn.stop())

const envelope = {
  'io.modelcontextprotocol/protocolVersion': stateless,
  'io.modelcontextprotocol/clientCapabilities': {},
}
const listTools = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: envelope } }
const mirrored = { 'mcp-protocol-version': stateless, 'mcp-method': 'tools/list' }

const send = (body: string | object, headers: Readonly<Record<string, string>> = {}) =>
  post(posthorn.url, body, { ...key, ...headers })

function failure({ status, json }: Answer): string {
  return `${status} ${json.error?.code}`
}

describe('the revision without sessions', () => {
  const assistant = () => new Assistant(posthorn.url, posthorn.adminKey)

  test('is discovered with its version, its abilities and its advice', async () => {
    const { status, json } = await assistant().ask('server/discover')
    assert.equal(status, 200)
    assert.deepEqual(json.result?.supportedVersions, [stateless])
    assert.equal(json.result?.resultType, 'complete')
    assert.deepEqual(json.result?.capabilities, { tools: { listChanged: false } })
  })

  test('says how long the list of tools is valid, and that it is that of one user', async () => {
    const { json } = await assistant().ask('tools/list', {}, 'an id')
    assert.equal(json.id, 'an id')
    assert.equal(json.result?.cacheScope, 'private')
    assert.ok(Number(json.result?.ttlMs) > 0)
  })

  for (const [fault, body, headers, said] of [
    ['without its header for the revision', listTools, { 'mcp-method': 'tools/list' }, '400 -32020'],
    ['without its header for the method', listTools, { 'mcp-protocol-version': stateless }, '400 -32020'],
    [
      'with another method in its header',
      listTools,
      { ...mirrored, 'mcp-method': 'tools/call' },
      '400 -32020',
    ],
    ['without its envelope', { ...listTools, params: {} }, mirrored, '400 -32602'],
    [
      'of a revision to come',
      {
        ...listTools,
        params: { _meta: { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' } },
      },
      { ...mirrored, 'mcp-protocol-version': '2030-01-01' },
      '400 -32022',
    ],
    [
      'by a method that it no longer has',
      { ...listTools, method: 'initialize' },
      { ...mirrored, 'mcp-method': 'initialize' },
      '404 -32601',
    ],
  ] as const)
    test(`refuses a message ${fault}`, async () => {
      assert.equal(failure(await send(body, headers)), said)
    })

  test('takes the name of a tool in its header also in Base64, and no other', async () => {
    const call = { ...listTools, method: 'tools/call', params: { name: 'list_instances', _meta: envelope } }
    const headers = { ...mirrored, 'mcp-method': 'tools/call' }
    const encoded = `=?base64?${Buffer.from('list_instances').toString('base64')}?=`
    assert.equal((await send(call, { ...headers, 'mcp-name': encoded })).json.error, undefined)
    assert.equal(failure(await send(call, { ...headers, 'mcp-name': 'get_instance' })), '400 -32020')
  })
})

describe('the revisions with a handshake', () => {
  const initialize = (protocolVersion: string) => ({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'trial', version: '1' } },
  })

  test('begin without a session, in the revision that the client names if it is known', async () => {
    for (const [asked, given] of [
      ['2025-11-25', '2025-11-25'],
      ['2025-06-18', '2025-06-18'],
      ['2024-11-05', '2025-11-25'],
    ] as const) {
      const { json, headers } = await send(initialize(asked))
      assert.equal(json.result?.protocolVersion, given)
      assert.equal(headers.get('mcp-session-id'), null)
      assert.equal(json.result?.resultType, undefined)
    }
  })

  test('end the handshake with a note that gets no answer, and go on without it, too', async () => {
    const note = await send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.deepEqual([note.status, note.text], [202, ''])
    const version = { 'mcp-protocol-version': '2025-11-25' }
    const plain = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    assert.equal((await send(plain, version)).json.result?.tools?.length, 27)
    assert.deepEqual((await send({ ...plain, method: 'ping' }, version)).json.result, {})
    assert.equal(failure(await send({ ...plain, method: 'prompts/list' }, version)), '200 -32601')
    assert.equal(failure(await send(plain, { 'mcp-protocol-version': '1900-01-01' })), '400 -32022')
  })

  test('have no stream to listen on, and nothing to delete', async () => {
    for (const method of ['GET', 'DELETE'])
      assert.equal(
        codeOf(await posthorn.client().rawRequest(method, '/mcp', { headers: key })),
        'method_not_allowed',
      )
  })
})

describe('a body that is no message', () => {
  for (const [name, body, said] of [
    ['is no JSON', '{"jsonrpc":', '400 -32700'],
    ['is empty', '', '400 -32600'],
    ['is a batch', [listTools, listTools], '400 -32600'],
    ['is a text', '"tools/list"', '400 -32600'],
    ['is an answer', { jsonrpc: '2.0', id: 1, result: {} }, '400 -32600'],
    ['has an object as its id', { ...listTools, id: {} }, '400 -32600'],
    ['has an endless id', { ...listTools, id: 'x'.repeat(300) }, '400 -32600'],
    ['has a name twice', '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}', '400 -32700'],
    ['is nested without end', `${'[['.repeat(200)}${']]'.repeat(200)}`, '400 -32700'],
    ['has parameters that are a list', { ...listTools, params: [1] }, '400 -32602'],
    [
      'has a character that nothing can carry',
      '{"jsonrpc":"2.0","id":"\\u0000","method":"ping"}',
      '400 -32700',
    ],
  ] as const)
    test(name, async () => {
      const answer = await send(body)
      assert.equal(failure(answer), said)
    })

  test('is too large, in one piece or in many', async () => {
    const large = JSON.stringify({ ...listTools, params: { x: 'x'.repeat(bodyLimit) } })
    const headers = { ...key, 'content-type': 'application/json' }
    const whole = await fetch(`${posthorn.url}/mcp`, { method: 'POST', headers, body: large })
    assert.equal(whole.status, 413)
    const body = new Blob([large]).stream()
    const pieces = await fetch(`${posthorn.url}/mcp`, { method: 'POST', headers, body, duplex: 'half' })
    assert.deepEqual([pieces.status, (await pieces.text()).includes('256 KB')], [413, true])
  })

  test('is of another type, or compressed', async () => {
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }])
      assert.equal((await send(listTools, headers)).status, 415)
  })
})

describe('a caller without a key', () => {
  test('learns nothing, not even by a session of a browser or the token of the operator', async () => {
    const without = await post(posthorn.url, listTools, {})
    assert.equal(without.status, 401)
    assert.ok(without.headers.get('www-authenticate'))
    const misplaced = await post(posthorn.url, listTools, { 'x-api-key': posthorn.adminKey })
    assert.match(misplaced.text, /X-Api-Key/)
    const operator = readFileSync(join(posthorn.data, 'operator.token'), 'utf8').trim()
    assert.equal((await post(posthorn.url, listTools, { authorization: `Bearer ${operator}` })).status, 403)
    const signIn = await fetch(`${posthorn.url}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ key: posthorn.adminKey }),
    })
    const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    assert.ok(cookie)
    const browser = { cookie, 'sec-fetch-site': 'same-origin' }
    assert.equal((await post(posthorn.url, listTools, browser)).status, 401)
  })
})

test('each message counts against the rate of its key', async () => {
  const limited = await startPosthorn({ environment: { POSTHORN_RATE_LIMIT: '3/600' } })
  try {
    const assistant = new Assistant(limited.url, limited.adminKey)
    const statuses: number[] = []
    for (let n = 0; n < 5; n++)
      statuses.push((await assistant.ask('tools/call', { name: 'list_instances' })).status)
    assert.deepEqual(statuses, [200, 200, 200, 429, 429])
  } finally {
    await limited.stop()
  }
})
