import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createInstance, getInstanceStatus } from '../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import {
  createWebhook,
  listDeliveries,
  rotateWebhookSecret,
} from '../../../src/contract/operations/webhook-operations.ts'
import { operations } from '../../../src/contract/operations.ts'
import { newApiKey } from '../../../src/organizations/keys.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { pagesOf } from '../../kit/http/feed.ts'
import { eventually } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/*
 * Secrets are planted wherever a caller or an operator can put one; then everything is searched that leaves the process:
 * the log at its most talkative, the replies, the metrics, what webhooks are sent, and the files in the data folder.
 */

let posthorn: Posthorn
let log = ''
let linkValue = ''
let receiver: WebhookReceiver
const webhookSecrets: string[] = []
/** Everything that was answered, with the request that it answered. */
const replies: { readonly asked: string; readonly said: string }[] = []

const token = 'token-Xq7Zr2Lm9Vb4Nc8K'
const foreignPassword = 'password-Hw3Yt6Pd1Jf5Gs0A'
const idempotencyKey = 'idempotency-Rk8Ue2Wq6Ti4Oz1X'
const messageText = 'text-Bv5Mx9Cn3Ql7Dy2E'
const strangeKey = newApiKey().key

before(async () => {
  const write = (line: string): void => {
    log += line
  }
  const local = '127.0.0.1/32'
  const environment = { POSTHORN_FETCH_ALLOW_CIDRS: local, POSTHORN_WEBHOOK_ALLOW_CIDRS: local }
  posthorn = await startPosthorn({ log: { write }, environment })
  receiver = await WebhookReceiver.start()
  const webhook = await subscribe()
  await play()
  await misbehave()
  const query = { status: 'pending', limit: 1 } as const
  const pending = async () =>
    (await posthorn.admin.call(listDeliveries, { params: { webhook }, query })).body.data
  await eventually('everything to be delivered', pending, (left) => left.length === 0)
})

after(async () => {
  await posthorn.stop()
  await receiver.stop()
})

/** A webhook for everything, with a secret that was changed, so that deliveries are signed with two. */
async function subscribe(): Promise<string> {
  const { body } = await posthorn.admin.call(createWebhook, { body: { url: receiver.url } })
  const params = { webhook: body.id }
  const { body: rotated } = await posthorn.admin.call(rotateWebhookSecret, { params })
  webhookSecrets.push(body.secret, rotated.secret)
  return body.id
}

async function ask(
  method: string,
  path: string,
  body?: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const all = {
    authorization: `Bearer ${posthorn.adminKey}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  }
  const text = typeof body === 'object' ? JSON.stringify(body) : body
  const reply = await posthorn.client().rawRequest(method, path, {
    headers: all,
    ...(text === undefined ? {} : { body: text }),
  })
  const said = JSON.stringify([reply.headers, reply.text])
  replies.push({ asked: `${method} ${path}`, said })
  return reply.text
}

/** A partner's good day, with secrets where they belong. */
async function play(): Promise<void> {
  const keyed = { 'idempotency-key': idempotencyKey, prefer: 'wait=10' }
  await ask('POST', '/v1/instances', { name: 'trial', credentials: { token } }, keyed)
  await ask('POST', '/v1/instances', { name: 'trial', credentials: { token } }, keyed)
  const linked = { name: 'linked', settings: { link: 'qr', links_after_seconds: 600 } }
  await posthorn.admin.call(createInstance, { body: linked, waitSeconds: 10 })
  const status = await posthorn.admin.call(getInstanceStatus, { params: { name: 'linked' } })
  linkValue = status.body.link?.value ?? ''
  assert.ok(linkValue.length >= 8, 'the sandbox shows a link')
  await ask('GET', '/v1/instances/linked')
  for (const to of ['ana@reads.sandbox', 'bo@refuses.sandbox', 'cy@replies.sandbox', 'di@drops.sandbox']) {
    const body = { instance: 'trial', to, text: messageText }
    await posthorn.admin.call(sendTextMessage, {
      body,
      idempotencyKey: `${idempotencyKey}-${to}`,
      waitSeconds: 3,
    })
  }
  for (const path of [
    '/v1/instances',
    '/v1/instances/trial',
    '/v1/instances/trial/status',
    '/v1/openapi.json',
    '/v1/webhooks',
  ]) {
    await ask('GET', path)
  }
  for (const order of ['restart', 'stop', 'start']) await ask('POST', `/v1/instances/trial/${order}`)
  await ask('GET', '/metrics', undefined, { authorization: `Bearer ${secretIn('metrics.token')}` })
}

/** Mistakes, with secrets where they do not belong: each of these is refused. */
async function misbehave(): Promise<void> {
  const unknown = { authorization: `Bearer ${strangeKey}` }
  await ask('GET', '/v1/instances', undefined, unknown)
  await ask('GET', `/v1/instances?api_key=${strangeKey}`)
  await ask('GET', `/v1/messages?client_ref=${messageText}&limit=x`)
  await ask('GET', `/v1/instances/${strangeKey}`)
  await ask('GET', `/${strangeKey}/instances`)
  for (const encoded of encodings(strangeKey)) {
    await ask('GET', `/v1/instances/${encoded}`)
    await ask('GET', `/v1/messages/${encoded}/${encoded}`)
    await ask('GET', `/${encoded}?key=${encoded}`)
    await ask('POST', `/problems/${encoded}`)
  }
  for (const file of ['operator.token', 'metrics.token']) await ask('GET', `/metrics/${secretIn(file)}`)
  await ask('POST', '/v1/instances', {
    name: 'other',
    network: 'xmpp',
    credentials: { password: foreignPassword },
  })
  await ask('POST', '/v1/instances', { name: 'other', credentials: { password: foreignPassword } })
  await ask('POST', '/v1/instances', { name: 'other', credentials: { token: [foreignPassword] } })
  await ask('POST', '/v1/instances', { name: 'other', network: foreignPassword })
  await ask('POST', '/v1/instances', { name: 'trial', credentials: { token } })
  await ask('POST', '/v1/instances', `{"name":"other","credentials":{"token":"${foreignPassword}"`)
  const other = { name: 'another', credentials: { token: foreignPassword } }
  await ask('POST', '/v1/instances', other, { 'idempotency-key': idempotencyKey })
  await ask('POST', '/v1/instances', other, { 'idempotency-key': `${idempotencyKey} ${idempotencyKey}` })
  const text = { instance: 'trial', to: `${messageText}`, text: messageText }
  await ask('POST', '/v1/messages/text', text)
  await ask('POST', '/v1/messages/text', { ...text, text: messageText.repeat(500) })
  await ask('POST', '/v1/messages/text', { ...text, text: { [messageText]: messageText } })
}

/** A secret as it could stand in a path that is never decoded, decoded once, or decoded more often than it should be. */
function encodings(secret: string): string[] {
  const encode = (text: string) => [...text].map((letter) => `%${hex(letter)}`).join('')
  return [
    secret.replace('p', '%70'),
    secret.replace('k', '%6B').replace('_', '%5f'),
    secret.replace('p', '%2570'),
    secret.replace('p', encode(encode('%70'))),
    secret.replace('_', '%zz_'),
    secret.replace('_', '_%2f'),
    secret.replace('_', ';'),
    secret.replace('phk', '%EF%BD%90hk'),
    encode(secret),
    encode(secret.slice(0, 40)),
  ]
}

function hex(letter: string): string {
  return letter.charCodeAt(0).toString(16)
}

/** A text in which percent-encoding hides nothing. */
function decoded(text: string): string {
  const next = text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  )
  return next === text ? text : decoded(next)
}

function secretIn(file: string): string {
  return readFileSync(join(posthorn.data, file), 'utf8').trim()
}

/** A text in the forms in which it could stand in a file, a log or a reply. */
function formsOf(secret: string): Buffer[] {
  const bytes = Buffer.from(secret)
  // Base64 depends on where the text begins; the middle of each of the three alignments is the same everywhere.
  const aligned = [0, 1, 2].map((shift) => Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64'))
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...aligned.map((text) => text.slice(4, -4)),
    ...aligned.map((text) => text.slice(4, -4).replaceAll('+', '-').replaceAll('/', '_')),
    [...secret].reverse().join(''),
  ]
  return [...forms.map((form) => Buffer.from(form)), Buffer.from(secret, 'utf16le'), swapped(secret)]
}

function swapped(secret: string): Buffer {
  return Buffer.from(secret, 'utf16le').swap16()
}

function holds(where: Buffer | string, secret: string): boolean {
  const bytes = Buffer.from(where)
  return formsOf(secret).some((form) => bytes.includes(form))
}

function secrets(): Readonly<Record<string, string>> {
  return {
    'the admin key': posthorn.adminKey,
    "the operator's token": secretIn('operator.token'),
    'the token for metrics': secretIn('metrics.token'),
    'the master key': secretIn('master.key'),
    'the token of an instance': token,
    'a password that was refused': foreignPassword,
    'a link': linkValue,
    'an unknown key': strangeKey,
    'the secret of a webhook': webhookSecrets[0]?.slice('whsec_'.length) ?? '',
    'the new secret of a webhook': webhookSecrets[1]?.slice('whsec_'.length) ?? '',
  }
}

test('the search finds what is there, in every form', () => {
  for (const form of formsOf(token)) assert.ok(holds(Buffer.concat([Buffer.from('xx'), form]), token))
  assert.ok(holds(Buffer.from(`a${token}b`).toString('base64'), token))
  assert.ok(!holds('nothing of the kind', token))
})

describe('the log', () => {
  test('is written at all, down to single requests', () => {
    assert.match(log, /"level":"debug"/)
    assert.match(log, /"request_id":"req_/)
    assert.ok(log.split('\n').length > 20)
  })

  test('holds no secret, no text of a message and no Idempotency-Key', () => {
    const never = { ...secrets(), 'a text': messageText, 'an Idempotency-Key': idempotencyKey }
    for (const [name, secret] of Object.entries(never)) assert.ok(!holds(log, secret), name)
  })

  test('holds no key that was in a path, not even a part that no encoding hid', () => {
    const part = strangeKey.slice(4, 36)
    assert.ok(!holds(log, part) && !holds(decoded(log), part))
    assert.match(log, /"path":"\/v1\/instances\/\[redacted\]"/)
  })
})

describe('replies', () => {
  test('hold no secret, whatever was asked', () => {
    for (const { asked, said } of replies) {
      for (const [name, secret] of Object.entries(secrets()))
        assert.ok(!holds(said, secret), `${name}: ${asked}`)
      assert.ok(!holds(said, idempotencyKey), `the Idempotency-Key: ${asked}`)
      assert.ok(!holds(said, messageText), `the text of a message: ${asked}`)
    }
    assert.ok(replies.length > 20)
  })

  test('problems tell nothing of files, code and addresses', () => {
    for (const { asked, said } of replies.filter((reply) =>
      reply.said.includes('"content-type":"application/problem'),
    )) {
      assert.doesNotMatch(said, /node_modules|\.ts\b|\/work\/|\/tmp\/|sqlite|SELECT|127\.0\.0\.1/i, asked)
    }
  })

  test('a link is shown where it is documented; what else tells of one has nothing to show', () => {
    const links = operations.flatMap(({ id, responses: documented }) =>
      Object.values(documented).flatMap(({ body, media = {} }) => {
        const streamed = Object.values(media).flatMap(({ events = {} }) => Object.values(events))
        return [body, ...streamed].flatMap(linksIn).map((fields) => `${id}: ${fields}`)
      }),
    )
    assert.deepEqual(
      new Set(links),
      new Set([
        'getInstanceStatus: kind, value, expires_at',
        'getLink: kind, value, expires_at',
        'startLink: kind, value, expires_at',
        'answerLink: kind, value, expires_at',
        'logOutInstance: kind, value, expires_at',
        'listEvents: kind, expires_at',
        'getEvent: kind, expires_at',
      ]),
    )
  })
})

/** The fields of everything that is called `link` in a schema. */
function linksIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { link } = ('properties' in schema ? schema.properties : {}) as {
    link?: { anyOf?: object[]; properties?: object }
  }
  const shapes = link ? (link.anyOf ?? [link]) : []
  const here = shapes.flatMap((shape) =>
    'properties' in shape ? [Object.keys(shape.properties as object).join(', ')] : [],
  )
  return [...here, ...Object.values(schema).flatMap(linksIn)]
}

describe('the feed of events', () => {
  test('tells of messages and links, and holds no secret and nothing to link an account with', async () => {
    let feed = ''
    for await (const page of pagesOf(posthorn.admin, { limit: 5 })) feed += JSON.stringify(page)
    assert.match(feed, /"type":"instance\.link_changed"/)
    assert.ok(feed.includes(messageText))
    const never = { ...secrets(), 'an Idempotency-Key': idempotencyKey }
    for (const [name, secret] of Object.entries(never)) assert.ok(!holds(feed, secret), name)
  })
})

describe('what webhooks are sent', () => {
  test('is everything that happened', () => {
    const types = new Set(receiver.received.map(({ event }) => event.type))
    for (const type of [
      'instance.created',
      'instance.status_changed',
      'instance.link_changed',
      'message.read',
    ])
      assert.ok(types.has(type as never), type)
    assert.ok(receiver.received.some(({ body }) => body.includes(messageText)))
  })

  test('holds no secret', () => {
    for (const { body, headers, event } of receiver.received)
      for (const [name, secret] of Object.entries({ ...secrets(), 'an Idempotency-Key': idempotencyKey }))
        assert.ok(!holds(JSON.stringify(headers) + body, secret), `${name}: ${event.type}`)
  })
})

describe('the data folder', () => {
  const own: Readonly<Record<string, string>> = {
    'the admin key': 'admin.key',
    "the operator's token": 'operator.token',
    'the token for metrics': 'metrics.token',
    'the master key': 'master.key',
  }

  function files(folder = posthorn.data): string[] {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  }

  test('holds each secret in its own file alone, and credentials nowhere in the open', () => {
    const names = files().map((file) => file.slice(posthorn.data.length + 1))
    assert.ok(names.includes('posthorn.db') && names.includes('posthorn.db-wal'), names.join(', '))
    for (const file of files()) {
      const bytes = readFileSync(file)
      for (const [name, secret] of Object.entries(secrets())) {
        if (file === join(posthorn.data, own[name] ?? '…')) continue
        assert.ok(!holds(bytes, secret), `${name} stands in ${file}`)
      }
    }
  })

  test('what can be read there is what was not to be sealed', () => {
    const database = Buffer.concat(
      ['posthorn.db', 'posthorn.db-wal'].map((file) => readFileSync(join(posthorn.data, file))),
    )
    assert.ok(database.includes(messageText))
  })

  test('lets nobody but its owner read the secrets', () => {
    for (const file of Object.values(own)) {
      assert.equal(statSync(join(posthorn.data, file)).mode & 0o777, 0o600, file)
    }
  })
})
