import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { isForKeys } from '../../../src/contract/operation.ts'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { operations } from '../../../src/contract/operations.ts'
import { writeCursor } from '../../../src/runtime/text/cursor.ts'
import type { RawReply } from '../../kit/http/checked-client.ts'
import { thingNamed } from '../../kit/http/contract-request.ts'
import { bytesOf, end, field, file, formType } from '../../kit/http/multipart.ts'
import { codeOf, faultsOf, rawRequest } from '../../kit/http/raw-request.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/*
 * Wrong requests of a caller with a key, by mistake or by intent. Every reply is one that the contract documents, which
 * leaves no room for a 500 that it does not foresee; and after each, the next request is answered as if nothing had been.
 */

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn()
  await posthorn.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
})

afterEach(async () => {
  const sent = await posthorn.admin.call(sendTextMessage, { body: text() })
  assert.equal(sent.status, 202)
})

after(() => posthorn.stop())

function text(changes: object = {}) {
  return { instance: 'trial', to: 'ana@accepts.sandbox', text: 'Good morning', ...changes }
}

function request(
  method: string,
  path: string,
  body?: string | Uint8Array,
  headers?: Readonly<Record<string, string>>,
): Promise<RawReply> {
  return rawRequest(posthorn, [method, path], body, headers)
}

describe('bodies that are no JSON object in UTF-8', () => {
  const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000)
  const bodies: Readonly<Record<string, string | Uint8Array>> = {
    nothing: '',
    'half of one': '{"instance":"trial"',
    'a trailing comma': '{"text":"a",}',
    'two of them': '{}{}',
    'single quotes': "{'text':'a'}",
    'a byte order mark': '\uFEFF{}',
    'not a number': '{"text":NaN}',
    'a comment': '{/* */}',
    'a raw control character': '{"text":"\u0001"}',
    'a raw line feed in a text': '{"text":"a\nb"}',
    'bytes that are not UTF-8': Buffer.concat([
      Buffer.from('{"text":"'),
      Buffer.of(0xc3, 0x28),
      Buffer.from('"}'),
    ]),
    'UTF-16': Buffer.from('\uFEFF{"text":"a"}', 'utf16le'),
    'a surrogate in UTF-8': Buffer.concat([
      Buffer.from('{"text":"'),
      Buffer.of(0xed, 0xa0, 0x80),
      Buffer.from('"}'),
    ]),
    'a hundred thousand arrays deep': deep('[', ']'),
    'a hundred thousand objects deep': `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`,
    'a hundred thousand arrays deep, never closed': '['.repeat(100_000),
    'the same name twice': JSON.stringify(text()).replace('{', '{"text":"first",'),
    'the same name twice, once escaped': JSON.stringify(text()).replace('{', '{"te\\u0078t":"first",'),
    'the same name twice, further in': JSON.stringify(text({ metadata: 0 })).replace(
      '0',
      '{"a":"1","a" : "2"}',
    ),
    'a __proto__': '{"__proto__":{"instance":"trial"},"to":"ana@accepts.sandbox","text":"a"}',
    'a __proto__ further in': JSON.stringify(text({ metadata: 0 })).replace('0', '{"__proto__":"a"}'),
    'a __proto__ in escapes': '{"\\u005f_proto\\u005f_":{}}',
  }
  for (const [name, body] of Object.entries(bodies)) {
    test(name, async () => {
      const reply = await request('POST', '/v1/messages/text', body)
      assert.equal(codeOf(reply), 'malformed_body')
    })
  }

  test('deep settings with an Idempotency-Key, which has every field looked at', async () => {
    const settings = `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`
    const body = `{"name":"deep","settings":${settings}}`
    const reply = await request('POST', '/v1/instances', body, { 'idempotency-key': 'deep' })
    assert.equal(codeOf(reply), 'malformed_body')
  })

  for (const body of ['[]', '"text"', '1', 'null', 'true', `[${JSON.stringify(text())}]`]) {
    test(`${body.slice(0, 20)} in place of an object`, async () => {
      const reply = await request('POST', '/v1/messages/text', body)
      assert.deepEqual([codeOf(reply), faultsOf(reply)], ['invalid_request', [' wrong_type']])
    })
  }
})

describe('texts in quotes and colons that only look like names', () => {
  for (const tricky of ['"a":"b"', '\\', '\\"', '\\\\":', '{"text":1}', '":"', '\\u0022:']) {
    test(JSON.stringify(tricky), async () => {
      const body = text({ text: tricky, metadata: { [tricky]: tricky } })
      const sent = await posthorn.admin.call(sendTextMessage, { body })
      assert.deepEqual([sent.body.text, sent.body.metadata], [tricky, { [tricky]: tricky }])
    })
  }
})

describe('media types', () => {
  const refused: Readonly<Record<string, Record<string, string>>> = {
    'another one': { 'content-type': 'text/plain' },
    'one that ends in +json': { 'content-type': 'application/vnd.api+json' },
    'a form': { 'content-type': 'application/x-www-form-urlencoded' },
    'a multipart form where none is taken': { 'content-type': 'multipart/form-data; boundary=x' },
    nonsense: { 'content-type': 'application/json/x' },
    'an empty one': { 'content-type': '' },
    'another charset': { 'content-type': 'application/json; charset=iso-8859-1' },
    'another charset in quotes': { 'content-type': 'application/json;charset="utf-16"' },
    'a compressed body': { 'content-encoding': 'gzip' },
    'a twice compressed body': { 'content-encoding': 'identity, gzip' },
  }
  for (const [name, headers] of Object.entries(refused)) {
    test(`${name} is refused`, async () => {
      const reply = await request('POST', '/v1/messages/text', JSON.stringify(text()), headers)
      assert.equal(codeOf(reply), 'unsupported_media_type')
    })
  }
  for (const type of [
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
    'application/json; profile="https://example.org"',
  ]) {
    test(`${type} is taken`, async () => {
      const headers = { 'content-type': type, 'content-encoding': 'identity' }
      assert.equal((await request('POST', '/v1/messages/text', JSON.stringify(text()), headers)).status, 202)
    })
  }

  test('an upload without its file is refused by name', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const reply = await request('POST', '/v1/messages/media', '--x--\r\n', headers)
    assert.equal(codeOf(reply), 'invalid_request')
  })
})

describe('values', () => {
  const long = 'n'.repeat(500)
  const wrong: Readonly<Record<string, readonly [body: object, fault: string]>> = {
    'an unknown field': [text({ texts: 'a' }), '/texts unknown_field'],
    'an unknown field with slashes': [text({ 'a/b~c': 1 }), '/a~1b~0c unknown_field'],
    'an unknown field of 500 characters': [text({ [long]: 1 }), `/${long.slice(0, 199)} unknown_field`],
    'the field constructor': [text({ constructor: 'a' }), '/constructor unknown_field'],
    'the field toString': [text({ toString: 'a' }), '/toString unknown_field'],
    'a number as a text': [text({ text: 1e308 }), '/text wrong_type'],
    'a huge number as a name': [text({ instance: 123456789012345680000 }), '/instance wrong_type'],
    'an object as a text': [text({ text: { a: 1 } }), '/text wrong_type'],
    'an array as a recipient': [text({ to: ['ana@accepts.sandbox'] }), '/to wrong_type'],
    'an array as metadata': [text({ metadata: [] }), '/metadata wrong_type'],
    'null as metadata': [text({ metadata: null }), '/metadata wrong_type'],
    'a number in metadata': [text({ metadata: { a: 1 } }), '/metadata/a wrong_type'],
    'a long text in metadata': [text({ metadata: { a: 'x'.repeat(501) } }), '/metadata/a too_long'],
    'ten thousand entries': [
      text({ metadata: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`${index}`, ''])) }),
      '/metadata too_many',
    ],
    'no text': [text({ text: undefined }), '/text missing'],
    'an empty text': [text({ text: '' }), '/text too_short'],
    'a name in capitals': [text({ instance: 'Trial' }), '/instance wrong_form'],
    'a name with a space at its end': [text({ instance: 'trial ' }), '/instance wrong_form'],
    'a name with a line feed at its end': [text({ instance: 'trial\n' }), '/instance wrong_form'],
    'a recipient that the network does not know': [text({ to: 'ana' }), '/to recipient_invalid'],
  }
  for (const [name, [body, fault]] of Object.entries(wrong)) {
    test(`${name}: ${fault.slice(0, 40)}`, async () => {
      const reply = await request('POST', '/v1/messages/text', JSON.stringify(body))
      assert.deepEqual([codeOf(reply), faultsOf(reply)], ['invalid_request', [fault]])
    })
  }

  test('what only the network and the clock can tell is named with the rest', async () => {
    const body = text({ to: 'ana', text: '', expires_at: '2020-01-01T00:00:00Z', phone: '1' })
    const reply = await request('POST', '/v1/messages/text', JSON.stringify(body))
    assert.deepEqual(faultsOf(reply), [
      '/phone unknown_field',
      '/text too_short',
      '/to recipient_invalid',
      '/expires_at out_of_range',
    ])
    assert.match(reply.text, /"detail":"`\/phone`: .*`errors` lists all 4 invalid values\."/)
  })

  test('a wrong Idempotency-Key is named with what only the network can tell', async () => {
    const body = JSON.stringify(text({ to: 'ana' }))
    const reply = await request('POST', '/v1/messages/text', body, { 'idempotency-key': 'two words' })
    assert.deepEqual(faultsOf(reply), ['header/Idempotency-Key wrong_form', '/to recipient_invalid'])
  })

  test('an instance that is not there is told of once the rest fits', async () => {
    const body = text({ instance: 'nobodys', to: 'ana', text: '' })
    const reply = await request('POST', '/v1/messages/text', JSON.stringify(body))
    assert.deepEqual(faultsOf(reply), ['/text too_short'])
  })

  test('a recipient of the wrong type behind more faults than are named', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 1]))
    const body = JSON.stringify({ ...unknown, ...text({ to: 5 }) })
    assert.equal(codeOf(await request('POST', '/v1/messages/text', body)), 'invalid_request')
  })

  for (const count of [7, 8, 9, 20_000]) {
    test(`${count} unknown fields beside all that is wanted`, async () => {
      const unknown = Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]))
      const reply = await request('POST', '/v1/messages/text', JSON.stringify(text(unknown)))
      assert.equal(faultsOf(reply)[0], '/f0 unknown_field')
      assert.ok(faultsOf(reply).length <= 50)
    })
  }

  test('an empty name in metadata is named with the place where it stands', async () => {
    const body = JSON.stringify(text({ metadata: { '': 'a' } }))
    const reply = await request('POST', '/v1/messages/text', body)
    assert.deepEqual(faultsOf(reply), ['/metadata/ too_short', '/metadata wrong_form'])
  })

  const unfit = {
    'U+0000': '\\u0000',
    'a high surrogate alone': '\\ud83d',
    'a low surrogate alone': '\\uDE00',
  }
  for (const [name, escaped] of Object.entries(unfit)) {
    for (const field of ['instance', 'to', 'text', 'client_ref', 'send_at', 'expires_at']) {
      test(`${name} in ${field}`, async () => {
        const body = JSON.stringify(text({ [field]: 'a%b' })).replace('%', escaped)
        const reply = await request('POST', '/v1/messages/text', body)
        assert.deepEqual(faultsOf(reply), [`/${field} text_not_representable`])
      })
    }
    test(`${name} in metadata, in a value and in a name`, async () => {
      for (const [metadata, pointer] of [
        [{ 'a/b': '%' }, '/metadata/a~1b'],
        [{ '%': 'a' }, '/metadata'],
      ] as const) {
        const body = JSON.stringify(text({ metadata })).replace('%', escaped)
        const reply = await request('POST', '/v1/messages/text', body)
        assert.deepEqual(faultsOf(reply), [`${pointer} text_not_representable`])
      }
    })
    test(`${name} in settings and credentials`, async () => {
      for (const part of ['settings', 'credentials']) {
        const body = JSON.stringify({ name: 'unfit', [part]: { deep: ['%'] } }).replace('%', escaped)
        const reply = await request('POST', '/v1/instances', body)
        assert.deepEqual(faultsOf(reply), [`/${part}/deep/0 text_not_representable`])
      }
    })
  }

  test('every character that can be carried is, and comes back unchanged', async () => {
    const all = '\u0001\u001f\u007f\u0085\u2028\ufeff\ufffd\uffff😀👨‍👩‍👧e\u0301 "\\/<>&'
    const body = text({
      text: all,
      client_ref: all,
      metadata: { [all]: all, constructor: 'a', toString: 'b' },
    })
    const sent = await posthorn.admin.call(sendTextMessage, { body })
    const { metadata } = body as { metadata?: object }
    assert.deepEqual([sent.body.text, sent.body.client_ref, sent.body.metadata], [all, all, metadata])
  })
})

describe('queries', () => {
  const wrong: Readonly<Record<string, string>> = {
    'limit=1&limit=2': 'query/limit wrong_type',
    'limit=0': 'query/limit out_of_range',
    'limit=201': 'query/limit out_of_range',
    'limit=-1': 'query/limit out_of_range',
    'limit=1e2': 'query/limit wrong_type',
    'limit=': 'query/limit wrong_type',
    'limit=99999999999999999999': 'query/limit wrong_type',
    'limit=0x10': 'query/limit wrong_type',
    'status[]=queued': 'query/status[] unknown_field',
    'status=queued&status=sent': 'query/status wrong_type',
    'status=Queued': 'query/status not_allowed',
    'instance=..%2f..': 'query/instance wrong_form',
    'client_ref=a%00b': 'query/client_ref text_not_representable',
    'to=': 'query/to too_short',
    'cursor=': 'query/cursor too_short',
    'cursor=%00': 'query/cursor wrong_form',
    'organization_id=org_1': 'query/organization_id unknown_field',
    '__proto__=1': 'query/__proto__ unknown_field',
    '__proto__[limit]=1': 'query/__proto__[limit] unknown_field',
    'constructor=1': 'query/constructor unknown_field',
    'access_token=phk_1': 'query/access_token unknown_field',
  }
  for (const [query, fault] of Object.entries(wrong)) {
    test(query, async () => {
      const reply = await request('GET', `/v1/messages?${query}`)
      assert.deepEqual([codeOf(reply), faultsOf(reply).slice(0, 1)], ['invalid_request', [fault]])
    })
  }

  for (const cursor of ['AAAA', 'bnVsbA', 'W10', writeCursor(1.5), writeCursor('trial'), 'x'.repeat(200)]) {
    test(`the cursor ${cursor.slice(0, 20)}, which no list of messages gave`, async () => {
      const reply = await request('GET', `/v1/messages?cursor=${cursor}`)
      assert.deepEqual(faultsOf(reply), ['query/cursor wrong_form'])
    })
  }

  for (const cursor of [writeCursor(7), writeCursor('\u0000'), 'e30']) {
    test(`the cursor ${cursor}, which no list of instances gave`, async () => {
      const reply = await request('GET', `/v1/instances?cursor=${cursor}`)
      assert.deepEqual(faultsOf(reply), ['query/cursor wrong_form'])
    })
  }

  const unusedId = '0'.repeat(26)
  const parameters: Record<string, string> = {
    name: 'trial',
    id: `msg_${unusedId}`,
    key: `key_${unusedId}`,
    webhook: `wh_${unusedId}`,
    delivery: `dlv_${unusedId}`,
    event: `evt_${unusedId}`,
    code: 'queue_full',
  }
  for (const operation of operations.filter(({ access }) => access === 'open' || isForKeys(access))) {
    test(`${operation.id} takes no parameter that it does not document`, async () => {
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
        return parameters[thingNamed(operation, name)] ?? name
      })
      const asked = [operation.method, `${path}?admin=true`] as const
      const json = JSON.stringify(Object.values(operation.examples ?? {})[0]?.value)
      const form = bytesOf(
        field('instance', 'trial'),
        field('to', 'ana@accepts.sandbox'),
        field('kind', 'image'),
        file('x'),
        end,
      )
      const reply = operation.body
        ? await request(...asked, json)
        : await (operation.multipart
            ? request(...asked, form, { 'content-type': formType })
            : request(...asked))
      assert.deepEqual(faultsOf(reply), ['query/admin unknown_field'])
    })
  }

  test('a body where none is taken', async () => {
    for (const [method, path] of [
      ['POST', '/v1/instances/trial/start'],
      ['DELETE', '/v1/instances/trial'],
    ] as const) {
      const counted = { 'content-length': '14' }
      assert.deepEqual(faultsOf(await request(method, path, '{"force":true}', counted)), [' unknown_field'])
      assert.equal(codeOf(await request(method, path, '{', { 'content-length': '1' })), 'malformed_body')
      const typed = { 'content-type': 'text/plain', 'content-length': '1' }
      assert.equal(codeOf(await request(method, path, 'x', typed)), 'unsupported_media_type')
    }
    assert.equal((await request('GET', '/v1/instances', '{"limit":1}')).status, 200)
  })
})
