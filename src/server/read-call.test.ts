import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { FastifyRequest } from 'fastify'
import type { Operation } from '../contract/operation.ts'
import { listEvents } from '../contract/operations/event-operations.ts'
import { createInstance, getInstance, stopInstance } from '../contract/operations/instance-operations.ts'
import { listMessages, sendMediaMessage, sendTextMessage } from '../contract/operations/message-operations.ts'
import { Problem } from '../contract/problem.ts'
import { callReader, isUtf8Json, refuseEncoding, unsupportedMediaType } from './read-call.ts'

type Headers = Readonly<Record<string, string>>

function read(
  operation: Operation,
  given: { headers?: Headers; body?: unknown; query?: object; params?: object },
) {
  const request = {
    method: operation.method,
    url: operation.path,
    headers: {},
    query: {},
    params: {},
    body: undefined,
    ...given,
  }
  return callReader(operation, (text) => text).read(request as unknown as FastifyRequest)
}

const text = { instance: 'trial', to: 'ana', text: 'Hello' }

function problemOf(act: () => unknown): Problem {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof Problem)
    return error
  }
  return assert.fail('nothing was refused')
}

describe('Prefer: wait', () => {
  const waitOf = (prefer: string) => read(sendTextMessage, { body: text, headers: { prefer } }).waitMs
  const known: Readonly<Record<string, number>> = {
    'wait=1': 1_000,
    'wait=60': 60_000,
    'wait=61': 60_000,
    'wait="5"': 5_000,
    ' wait =\t5 ': 5_000,
    'Wait=5;x=y': 5_000,
    'respond-async,wait=5': 5_000,
    'wait=5, wait=6': 5_000,
    'a="b, wait=6", wait=5': 5_000,
    'wait=0': 0,
    'wait=1.5': 0,
    'wait=-5': 0,
    'wait="5': 0,
    'await=5': 0,
    'wait=5s': 0,
    'x; wait=5': 0,
    'x=", wait=5"': 0,
  }
  for (const [prefer, ms] of Object.entries(known)) {
    test(`${prefer}: ${ms} ms`, () => assert.equal(waitOf(prefer), ms))
  }

  test('is passed over by operations that do not wait', () => {
    const headers = { prefer: 'wait=5' }
    assert.equal(read(getInstance, { params: { name: 'trial' }, headers }).waitMs, 0)
    assert.equal(read(stopInstance, { params: { name: 'trial' }, headers }).waitMs, 5_000)
  })

  test('takes no longer to read when it is long', () => {
    for (const part of [',', '"', ' ', ',wait=', '",', 'wait=1x,']) {
      const before = process.threadCpuUsage()
      waitOf(part.repeat(16_000 / part.length))
      const { user, system } = process.threadCpuUsage(before)
      assert.ok(user + system < 100_000, part)
    }
  })
})

describe('an Idempotency-Key', () => {
  const idempotencyOf = (key: string, body: object = text) =>
    read(sendTextMessage, { body, headers: { 'idempotency-key': key } }).idempotency

  test('is the same bare and in quotes, of which one pair is taken off', () => {
    assert.equal(idempotencyOf('abc')?.key, 'abc')
    assert.equal(idempotencyOf('"abc"')?.key, 'abc')
    assert.equal(idempotencyOf('""abc""')?.key, '"abc"')
    assert.equal(idempotencyOf('"')?.key, '"')
  })

  test('is passed over by operations that do not take one', () => {
    const headers = { 'idempotency-key': 'not a key' }
    assert.equal(read(getInstance, { params: { name: 'trial' }, headers }).idempotency, undefined)
  })

  test('comes with a fingerprint of what was asked, not of how it was written', () => {
    const metadata = fc.dictionary(fc.string(), fc.string(), { maxKeys: 10 })
    fc.assert(
      fc.property(metadata, metadata, (left, right) => {
        const settings = (entries: object) => ({ name: 'trial', settings: entries })
        const print = (body: object) =>
          read(createInstance, { body, headers: { 'idempotency-key': 'k' } }).idempotency?.fingerprint
        const turned = Object.fromEntries(Object.entries(left).reverse())
        assert.equal(print(settings(turned)), print(settings(left)))
        const same =
          JSON.stringify(Object.entries(left).sort()) === JSON.stringify(Object.entries(right).sort())
        assert.equal(print(settings(right)) === print(settings(left)), same)
      }),
    )
  })

  test('tells an absent field from an empty one, and a text from a number', () => {
    const bodies = [text, { ...text, metadata: {} }, { ...text, text: '1' }]
    assert.equal(new Set(bodies.map((body) => idempotencyOf('k', body)?.fingerprint)).size, 3)
  })
})

describe('what does not fit', () => {
  test('is named all at once, in the query and in the body', () => {
    const { errors } = problemOf(() => read(sendTextMessage, { body: { ...text, to: 1 }, query: { x: '1' } }))
    assert.deepEqual(
      errors?.map(({ pointer }) => pointer),
      ['query/x', '/to'],
    )
  })

  test('in the path names nothing that could exist', () => {
    for (const name of ['Trial', '../x', 'a'.repeat(64), ' ']) {
      assert.equal(problemOf(() => read(getInstance, { params: { name } })).code, 'instance_not_found')
    }
    assert.equal(problemOf(() => read(getInstance, { params: { name: '' } })).code, 'route_not_found')
  })

  test('is never repeated in the answer', () => {
    const secret = 'hunter2'
    const body = { instance: secret.toUpperCase(), to: [secret], text: secret.repeat(1000), send_at: secret }
    const problem = problemOf(() => read(sendTextMessage, { body, query: { limit: secret } }))
    assert.doesNotMatch(JSON.stringify(problem.body('req_1')), /hunter2/i)
  })

  test('numbers in the query are numbers only if they are written as such', () => {
    assert.deepEqual(read(listMessages, { query: { limit: '7' } }).query, { limit: 7 })
    for (const limit of ['7.0', '+7', ' 7', '07x', '', '1e1', ['7']]) {
      assert.equal(
        problemOf(() => read(listMessages, { query: { limit } })).code,
        'invalid_request',
        String(limit),
      )
    }
  })
})

describe('a list in the query', () => {
  const queryOf = (query: object) => read(listEvents, { query }).query
  const faultsOf = (query: object) =>
    problemOf(() => queryOf(query)).errors?.map(({ pointer, code }) => `${pointer} ${code}`)

  test('is separated by commas, or by being named again', () => {
    assert.deepEqual(queryOf({ types: 'message.sent' }), { types: ['message.sent'] })
    const two = ['message.sent', 'message.read']
    assert.deepEqual(queryOf({ types: two.join(',') }), { types: two })
    assert.deepEqual(queryOf({ types: two }), { types: two })
  })

  test('is refused at the entry that does not fit', () => {
    assert.deepEqual(faultsOf({ types: 'message.sent,message.lost' }), ['query/types/1 not_allowed'])
    assert.deepEqual(faultsOf({ types: 'message.sent,' }), ['query/types/1 not_allowed'])
    assert.deepEqual(faultsOf({ types: '' }), ['query/types/0 not_allowed'])
    assert.deepEqual(faultsOf({ types: 'message.sent, message.read' }), ['query/types/1 not_allowed'])
    assert.deepEqual(faultsOf({ types: 'message.sent,message.sent' }), ['query/types repeated'])
    assert.deepEqual(faultsOf({ instances: 'support,../x' }), ['query/instances/1 wrong_form'])
    const many = Array.from({ length: 201 }, (_, index) => `i${index}`).join(',')
    assert.deepEqual(faultsOf({ instances: many }), ['query/instances too_many'])
  })
})

describe('Last-Event-ID', () => {
  const idOf = (operation: Operation, id: string) =>
    read(operation, { headers: { 'last-event-id': id }, params: { name: 'trial' } }).lastEventId

  test('is taken as it is by streams that can be taken up again, and an empty one is none', () => {
    assert.equal(idOf(listEvents, 'NDI'), 'NDI')
    assert.equal(idOf(listEvents, ''), undefined)
    assert.equal(idOf(getInstance, 'NDI'), undefined)
  })

  test('is refused beyond its length, with what to send instead', () => {
    assert.equal(idOf(listEvents, 'a'.repeat(200)), 'a'.repeat(200))
    assert.throws(
      () => idOf(listEvents, 'a'.repeat(201)),
      ({ errors }: Problem) => {
        const [fault] = errors ?? []
        return fault?.pointer === 'header/Last-Event-ID' && fault.code === 'too_long'
      },
    )
  })
})

describe('the media type', () => {
  test('is JSON in UTF-8 unless it says otherwise', () => {
    for (const type of [
      'application/json',
      'application/json; charset=UTF-8',
      'application/json;charset="utf-8"',
    ]) {
      assert.ok(isUtf8Json(type), type)
    }
    for (const type of [
      'application/json; charset=latin1',
      'application/json; charset=',
      'a/b; x=y; CHARSET=utf-16',
    ]) {
      assert.ok(!isUtf8Json(type), type)
    }
  })

  test('that is wanted is named where it is another', () => {
    const detailOf = (operation: Operation) => unsupportedMediaType(operation).message
    const json = 'Send the body as JSON, with the header `Content-Type: application/json`'
    assert.equal(detailOf(sendTextMessage), `${json}.`)
    assert.equal(detailOf(sendMediaMessage), `${json}, or as a form of the type \`multipart/form-data\`.`)
    assert.equal(detailOf(stopInstance), 'The operation takes no body.')
  })

  test('comes without an encoding', () => {
    const encoded = (encoding: string) => ({ headers: { 'content-encoding': encoding } }) as FastifyRequest
    refuseEncoding(encoded('identity'))
    for (const encoding of ['gzip', 'br', 'x', '']) {
      assert.equal(problemOf(() => refuseEncoding(encoded(encoding))).code, 'unsupported_media_type')
    }
  })
})
