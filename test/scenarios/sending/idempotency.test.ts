import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createInstance, deleteInstance } from '../../../src/contract/operations/instance-operations.ts'
import { listMessages } from '../../../src/contract/operations/message-operations.ts'
import type { RawReply } from '../../kit/http/checked-client.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* A caller without a response repeats the request with the same Idempotency-Key, and nothing happens twice. */

let posthorn: Posthorn
let count = 0
/** A key and a reference for each play. */
let key: string

before(async () => {
  posthorn = await startPosthorn()
  await posthorn.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
})

beforeEach(() => {
  key = `play-${++count}`
})

after(() => posthorn.stop())

interface Ask {
  readonly path?: string
  readonly body?: object
  readonly key?: string
  readonly apiKey?: string
  readonly prefer?: string
}

/** Sends a text, or what `ask` says instead, with the key of the play. */
function send(ask: Ask = {}): Promise<RawReply> {
  const headers = {
    authorization: `Bearer ${ask.apiKey ?? posthorn.adminKey}`,
    'content-type': 'application/json',
    'idempotency-key': ask.key ?? key,
    ...(ask.prefer ? { prefer: ask.prefer } : {}),
  }
  const body = JSON.stringify(ask.body ?? textOf())
  return posthorn.client().rawRequest('POST', ask.path ?? '/v1/messages/text', { headers, body })
}

function textOf(changes: object = {}) {
  return { instance: 'trial', to: 'ana@accepts.sandbox', text: 'Once', client_ref: key, ...changes }
}

function isReplay({ headers }: RawReply): boolean {
  return headers['idempotency-replayed'] === 'true'
}

function codeOf(reply: RawReply): string {
  return (reply.json as { code?: string }).code ?? `${reply.status}`
}

function idOf(reply: RawReply): string {
  return (reply.json as { id: string }).id
}

async function messagesOf(clientRef: string, client = posthorn.admin): Promise<number> {
  return (await client.call(listMessages, { query: { client_ref: clientRef } })).body.data.length
}

describe('the same request with the same key', () => {
  test('gets the same answer, word for word, and there is one message', async () => {
    const first = await send()
    const second = await send()
    assert.deepEqual([first.status, isReplay(first)], [202, false])
    assert.deepEqual([second.status, isReplay(second)], [202, true])
    assert.equal(second.text, first.text)
    assert.equal(second.headers.location, first.headers.location)
    assert.equal(second.headers['content-type'], first.headers['content-type'])
    assert.equal(await messagesOf(key), 1)
  })

  test('may have its fields in another order, and other white space', async () => {
    const first = await send({ body: textOf({ metadata: { a: '1', b: '2' } }) })
    const turned = Object.fromEntries(Object.entries(textOf({ metadata: { b: '2', a: '1' } })).reverse())
    assert.equal(idOf(await send({ body: turned })), idOf(first))
  })

  test('may have the key in quotes or without', async () => {
    const first = await send({ key })
    const quoted = await send({ key: `"${key}"` })
    assert.deepEqual([idOf(quoted), isReplay(quoted)], [idOf(first), true])
  })

  test('may come with another API key of the organization, as after a rotation', async () => {
    const first = await send()
    const { key: apiKey } = await posthorn.createKey('default', 'send')
    const second = await send({ apiKey })
    assert.deepEqual([second.text, isReplay(second)], [first.text, true])
  })

  test('a hundred times at once: one is accepted, 99 are told so', async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, () => send()))
    assert.equal(replies.filter((reply) => !isReplay(reply)).length, 1)
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1)
    assert.equal(new Set(replies.map(({ headers }) => headers.location)).size, 1)
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([202]))
    assert.equal(await messagesOf(key), 1)
  })

  test('that asks to wait gets the same message, as far as it is by now', async () => {
    const first = await send()
    const second = await send({ prefer: 'wait=10' })
    assert.deepEqual([idOf(second), isReplay(second)], [idOf(first), true])
    assert.equal((second.json as { status: string }).status, 'sent')
    assert.equal(second.headers['preference-applied'], 'wait=10')
    assert.equal(second.headers.location, first.headers.location)
  })

  test('is answered after the time of the message is over', async () => {
    const expires_at = new Date(Date.now() + 300).toISOString()
    const first = await send({ body: textOf({ expires_at }) })
    while (Date.now() <= Date.parse(expires_at)) await send()
    const late = await send({ body: textOf({ expires_at }) })
    assert.deepEqual([late.text, isReplay(late)], [first.text, true])
  })

  test('is answered after the instance is gone', async () => {
    await posthorn.admin.call(createInstance, { body: { name: 'passing' }, waitSeconds: 10 })
    const first = await send({ body: textOf({ instance: 'passing' }) })
    await posthorn.admin.call(deleteInstance, { params: { name: 'passing' } })
    const late = await send({ body: textOf({ instance: 'passing' }) })
    assert.deepEqual([late.text, isReplay(late)], [first.text, true])
    const other = await send({ body: textOf({ instance: 'passing', text: 'Another' }) })
    assert.equal(codeOf(other), 'idempotency_mismatch')
  })

  test('is answered after a restart', async () => {
    const first = await send()
    posthorn = await posthorn.restart()
    const second = await send()
    assert.deepEqual([second.text, isReplay(second)], [first.text, true])
    assert.equal(second.headers.location, first.headers.location)
    assert.equal(await messagesOf(key), 1)
  })
})

describe('the same key for something else', () => {
  const changes = {
    text: { text: 'Twice' },
    recipient: { to: 'bo@accepts.sandbox' },
    'field that was left out': { metadata: {} },
    time: { send_at: '2020-01-01T00:00:00Z' },
  }
  for (const [name, change] of Object.entries(changes)) {
    test(`another ${name} is refused`, async () => {
      const first = await send()
      const other = await send({ body: textOf(change) })
      assert.equal(codeOf(other), 'idempotency_mismatch')
      assert.equal(idOf(await send()), idOf(first))
      assert.equal(await messagesOf(key), 1)
    })
  }

  test('in another organization it is another key', async () => {
    await posthorn.createOrganization('neighbour')
    const { key: apiKey } = await posthorn.createKey('neighbour', 'admin')
    const neighbour = posthorn.client(apiKey)
    await neighbour.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
    const ours = await send()
    const theirs = await send({ apiKey })
    assert.deepEqual([theirs.status, isReplay(theirs)], [202, false])
    assert.notEqual(idOf(theirs), idOf(ours))
    assert.equal(await messagesOf(key, neighbour), 1)
  })

  test('for another operation it is another key', async () => {
    await send()
    const created = await send({ path: '/v1/instances', body: { name: `other-${count}` } })
    assert.deepEqual([created.status, isReplay(created)], [201, false])
  })
})

describe('a refusal is not kept', () => {
  test('what was invalid may be put right and sent with the same key', async () => {
    assert.equal(codeOf(await send({ body: textOf({ to: 'nonsense' }) })), 'invalid_request')
    assert.equal(codeOf(await send({ body: textOf({ instance: 'nobodys' }) })), 'instance_not_found')
    const reply = await send()
    assert.deepEqual([reply.status, isReplay(reply)], [202, false])
  })

  test('what was refused for a reason that passed may be repeated', async () => {
    const body = textOf({ instance: 'late' })
    assert.equal(codeOf(await send({ body })), 'instance_not_found')
    await posthorn.admin.call(createInstance, { body: { name: 'late' } })
    const reply = await send({ body })
    assert.deepEqual([reply.status, isReplay(reply)], [202, false])
  })
})

describe('creating an instance', () => {
  const create = (name: string, ask: Ask = {}) => send({ path: '/v1/instances', body: { name }, ...ask })

  test('twice with the same key creates one, and the name is not taken', async () => {
    const first = await create('once')
    const second = await create('once')
    assert.deepEqual([second.status, second.text, isReplay(second)], [201, first.text, true])
    assert.equal(second.headers.location, '/v1/instances/once')
    assert.equal(codeOf(await create('once', { key: `${key}-other` })), 'instance_name_taken')
  })

  test('a hundred times at once creates one', async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, () => create('crowd')))
    assert.equal(replies.filter((reply) => !isReplay(reply)).length, 1)
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1)
  })

  test('with other settings is another request', async () => {
    await create('settled')
    const body = { name: 'settled', settings: { account: 'other' } }
    assert.equal(codeOf(await create('settled', { body })), 'idempotency_mismatch')
  })

  test('again, by a caller who waits, shows it connected', async () => {
    const body = { name: 'patient', settings: { after_seconds: 0.3 } }
    const first = await create('patient', { body })
    assert.equal((first.json as { status: string }).status, 'connecting')
    const second = await create('patient', { body, prefer: 'wait=10' })
    assert.deepEqual([idOf(second), isReplay(second)], [idOf(first), true])
    assert.equal((second.json as { status: string }).status, 'connected')
  })

  test('again after it was removed gives the first answer, not one about its successor', async () => {
    const first = await create('gone')
    await posthorn.admin.call(deleteInstance, { params: { name: 'gone' } })
    await posthorn.admin.call(createInstance, { body: { name: 'gone' }, waitSeconds: 10 })
    const late = await create('gone', { prefer: 'wait=10' })
    assert.deepEqual([late.text, isReplay(late)], [first.text, true])
  })
})

describe('a key that is none', () => {
  const wrong = {
    'empty quotes': '""',
    'a space inside': 'two words',
    'two keys': 'one, two',
    '256 characters': 'k'.repeat(256),
    'letters beyond ASCII': 'schlüssel',
    'a tab inside': 'one\ttwo',
  }
  for (const [name, value] of Object.entries(wrong)) {
    test(`${name} is refused by name`, async () => {
      const reply = await send({ key: value })
      assert.equal(codeOf(reply), 'invalid_request')
      const { errors } = reply.json as { errors: { pointer: string; code: string }[] }
      assert.deepEqual(
        errors.map(({ pointer, code }) => [pointer, code]),
        [['header/Idempotency-Key', 'wrong_form']],
      )
      assert.equal(await messagesOf(key), 0)
    })
  }

  test('255 characters are a key, and every visible character may be in it', async () => {
    assert.equal((await send({ key: 'k'.repeat(255) })).status, 202)
    const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('')
    const first = await send({ key: visible, body: textOf({ text: 'Visible' }) })
    const second = await send({ key: `"${visible}"`, body: textOf({ text: 'Visible' }) })
    assert.equal(idOf(second), idOf(first))
  })
})
