import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { InvalidValue } from '../../../src/contract/problem.ts'
import { bearer } from '../../kit/http/contract-request.ts'
import { create } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn()
  await create(posthorn.admin, 'support')
})

after(() => posthorn.stop())

async function ask(method: string, path: string, body?: object) {
  const { headers } = bearer(posthorn.adminKey)
  const {
    status,
    json,
    headers: answered,
  } = await posthorn.client().rawRequest(method, path, {
    headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  const problem = json as { code: string; detail: string; errors?: InvalidValue[] }
  return { status, allow: answered.allow, ...problem }
}

describe('who mistypes a path', () => {
  const plays: readonly (readonly [method: string, path: string, answer: string, told: RegExp])[] = [
    ['GET', '/v1/instances/', '404 route_not_found', /Did you mean `GET \/v1\/instances`\?/],
    ['GET', '/instances', '404 route_not_found', /Did you mean `GET \/v1\/instances`\?/],
    ['GET', '/v1', '404 route_not_found', /Below it are `\/v1\/instances`/],
    ['POST', '/v1/message/text', '404 route_not_found', /Did you mean `POST \/v1\/messages\/text`\?/],
    [
      'POST',
      '/message/sendText/support',
      '404 route_not_found',
      /a call of Evolution API\. Here it is `POST \/v1\/messages\/text`; docs\/migration\/evolution-api\.md/,
    ],
    ['POST', '/api/sessions', '404 route_not_found', /a call of WAHA\. Here it is `POST \/v1\/instances`/],
    [
      'POST',
      '/label/handleLabel/support',
      '404 route_not_found',
      /Evolution API has such a call, and there is none here; docs\/migration/,
    ],
    [
      'POST',
      '/group/create/support',
      '404 route_not_found',
      /Here it is `POST \/v1\/instances\/\{name\}\/groups`/,
    ],
    [
      'POST',
      '/chat/whatsappNumbers',
      '404 route_not_found',
      /has `POST \/chat\/whatsappNumbers\/…`\. Here it is `POST \/v1\/instances\/\{name\}\/check`/,
    ],
    [
      'GET',
      '/api/default/groups',
      '404 route_not_found',
      /a call of WAHA\. Here it is `GET \/v1\/instances\/\{name\}\/groups`/,
    ],
    ['GET', '/v1/messages/text', '405 method_not_allowed', /The path supports POST\./],
    [
      'POST',
      '/v1/messages',
      '405 method_not_allowed',
      /supports GET, HEAD\. `POST` is for `\/v1\/messages\/text`/,
    ],
  ]
  for (const [method, path, answer, told] of plays) {
    test(`${method} ${path} is told which they meant`, async () => {
      const { status, code, detail, allow } = await ask(method, path)
      assert.equal(`${status} ${code}`, answer)
      assert.match(detail, told)
      assert.equal(allow !== undefined, status === 405)
    })
  }
})

describe('who mistypes a field', () => {
  const text = { instance: 'support', to: 'ana@delivers.sandbox', text: 'Good morning' }
  const plays: readonly (readonly [what: string, path: string, body: object, told: RegExp])[] = [
    [
      'a field',
      '/v1/messages/text',
      { ...text, too: 'x' },
      /`\/too`: There is no such field here\. Did you mean `to`\?/,
    ],
    [
      'a field of another gateway',
      '/v1/messages/text',
      { ...text, number: 'x' },
      /`\/number`: .* Did you mean `to`\?/,
    ],
    [
      'a reply of another gateway',
      '/v1/messages/text',
      { ...text, quoted: 'x' },
      /`\/quoted`: .* Did you mean `reply_to`\?/,
    ],
    [
      'a place in short',
      '/v1/messages/location',
      { instance: 'support', to: text.to, latitude: 1, longitude: 2, lat: 1, lng: 2 },
      /`\/lat`: .* Did you mean `latitude`\? `\/lng`: .* Did you mean `longitude`\?/,
    ],
    [
      'a setting of a network',
      '/v1/instances',
      { name: 'a', network: 'sandbox', settings: { behavior: 'connects' } },
      /`\/settings\/behavior`: .* Did you mean `behaviour`\?/,
    ],
    ['a network', '/v1/instances', { name: 'a', network: 'whatsap' }, /Did you mean `whatsapp`\?/],
    [
      'a type of event',
      '/v1/webhooks',
      { url: 'https://example.org/', events: ['message.recieved'] },
      /`\/events\/0`: .* Did you mean `message\.received`\?/,
    ],
  ]
  for (const [what, path, body, told] of plays) {
    test(`${what} is told which they meant`, async () => {
      const { status, code, detail } = await ask('POST', path, body)
      assert.equal(`${status} ${code}`, '400 invalid_request')
      assert.match(detail, told)
    })
  }

  test('a parameter of a list is told which they meant', async () => {
    assert.match((await ask('GET', '/v1/messages?limt=5')).detail, /`query\/limt`: .* Did you mean `limit`\?/)
  })

  test('several faults are told one by one, at most three, and where the others are', async () => {
    const two = await ask('POST', '/v1/messages/text', { instance: 'support' })
    assert.equal(two.detail, '`/to`: The value is required. `/text`: The value is required.')
    const many = await ask('POST', '/v1/messages/text', { a: 1, b: 2, c: 3, d: 4 })
    assert.match(many.detail, /`errors` lists all \d+ invalid values\.$/)
    assert.ok((many.errors?.length ?? 0) > 3)
  })

  test('nothing that they sent as a value comes back', async () => {
    const { detail, errors } = await ask('POST', '/v1/webhooks', {
      url: 'https://a.example/',
      events: ['geheim'],
    })
    assert.ok(!JSON.stringify([detail, errors]).includes('geheim'))
  })
})
