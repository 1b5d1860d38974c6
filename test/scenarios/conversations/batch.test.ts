import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sendMessageBatch } from '../../../src/contract/operations/content-operations.ts'
import { deleteInstance, getInstance } from '../../../src/contract/operations/instance-operations.ts'
import type { BatchResult } from '../../../src/contract/problem-body.ts'
import type { TranscriptLine } from '../../../src/networks/sandbox/people/far-end.ts'
import { databaseFor } from '../../kit/database.ts'
import type { CheckedClient, RawReply } from '../../kit/http/checked-client.ts'
import { RawConnection } from '../../kit/http/raw-connection.ts'
import { create, eventually, everythingListed, reaches, startObserved, text } from '../../kit/play.ts'
import { freshFolder, type Posthorn, spawnPosthorn, startPosthorn } from '../../kit/posthorn.ts'
import { rowsIn } from '../../kit/rows.ts'

/* One request with many messages: one commit, an answer for each, and those that are wrong stop none of the others. */

const to = { instance: 'trial', to: 'ana@accepts.sandbox' }
const textTo = (given: object = {}) => ({ type: 'text', ...to, text: 'Hello', ...given })

/** Sends anything as the messages of a batch. */
function sendAny(
  client: CheckedClient,
  key: string,
  messages: unknown,
  headers: Record<string, string> = {},
): Promise<RawReply> {
  return client.rawRequest('POST', '/v1/messages/batch', {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ messages }),
  })
}

interface Results {
  readonly accepted: number
  readonly refused: number
  readonly data: readonly BatchResult[]
}
const resultsOf = ({ json }: RawReply) => json as Results
const codeOf = ({ json }: RawReply) => (json as { code: string }).code
/** Each answer in a word: its status, or the code of its problem. */
const inWords = ({ data }: Results) => data.map(({ status, problem }) => problem?.code ?? `${status}`)
const faultsOf = ({ problem }: BatchResult) =>
  problem?.errors?.map(({ pointer, code }) => `${pointer} ${code}`)

describe('a batch of messages', { timeout: 120_000 }, () => {
  let posthorn: Posthorn
  let transcript: () => TranscriptLine[]
  const send = (messages: unknown, headers: Record<string, string> = {}) =>
    sendAny(posthorn.client(), posthorn.adminKey, messages, headers)

  const exists = (name: string) =>
    posthorn.admin.call(getInstance, { params: { name } }).then(
      () => true,
      () => false,
    )

  before(async () => {
    const observed = await startObserved({ environment: { POSTHORN_QUEUE_LIMIT: '150' } })
    posthorn = observed.posthorn
    transcript = observed.transcript
    await create(posthorn.admin, 'trial')
    await create(posthorn.admin, 'other')
  })
  after(() => posthorn.stop())

  test('a hundred texts to one person are accepted, and arrive in their order', async () => {
    const messages = Array.from({ length: 100 }, (_, number) => ({
      type: 'text' as const,
      instance: 'trial',
      to: 'lane@accepts.sandbox',
      text: `number ${number}`,
    }))
    const { status, body } = await posthorn.admin.call(sendMessageBatch, { body: { messages } })
    assert.equal(status, 200)
    assert.deepEqual([body.accepted, body.refused], [100, 0])
    assert.deepEqual(
      body.data.map(({ message }) => message?.text),
      messages.map((message) => message.text),
    )
    await reaches(posthorn.admin, body.data.at(-1)?.message?.id ?? '', 'sent')
    const arrived = transcript().filter((line) => line.to === 'lane@accepts.sandbox')
    assert.deepEqual(
      arrived.map((line) => line.text),
      messages.map((message) => message.text),
    )
  })

  test('each type is sent as by its own operation, through the instance that it names', async () => {
    const reply = await send([
      textTo({ instance: 'other', client_ref: 'mixed' }),
      { type: 'media', ...to, kind: 'document', url: 'https://files.invalid/a.pdf', caption: 'A file' },
      { type: 'location', ...to, latitude: -23.5, longitude: -46.6, name: 'MASP' },
      { type: 'contacts', ...to, contacts: [{ name: 'Dr. Lima', phones: ['+55 11 98765-4321'] }] },
      { type: 'interactive', ...to, body: 'Tomorrow?', buttons: [{ id: 'yes', title: 'Yes' }] },
      { type: 'poll', ...to, question: 'Which day?', options: ['Monday', 'Tuesday'] },
      { type: 'template', ...to, name: 'welcome', language: 'en_US' },
    ])
    const answers = resultsOf(reply)
    assert.deepEqual(inWords(answers), Array(7).fill('202'))
    assert.deepEqual(
      answers.data.map(({ message }) => message?.kind),
      ['text', 'document', 'location', 'contacts', 'interactive', 'poll', 'template'],
    )
    assert.equal(answers.data[0]?.message?.instance, 'other')
    assert.equal(answers.data[1]?.message?.media?.size ?? null, null)
    for (const place of [0, 5]) await reaches(posthorn.admin, answers.data[place]?.message?.id ?? '', 'sent')
  })

  test('those that are wrong say why, and stop none of the others', async () => {
    const reply = await send([
      null,
      'a text',
      {},
      { type: 'fax' },
      textTo({ to: 'no address' }),
      textTo({ txt: 'Hello' }),
      { type: 'text', ...to, to: 'no address' },
      textTo({ instance: 'unknown' }),
      textTo({ text: 'x'.repeat(5_000) }),
      textTo({ reply_to: 'msg_06fdw2n1k7xg8qs3h5vbtc9m4r' }),
      { type: 'media', ...to, kind: 'image', url: 'data:image/png;base64,AAAA' },
      textTo({ client_ref: 'right' }),
    ])
    const answers = resultsOf(reply)
    assert.deepEqual([reply.status, answers.accepted, answers.refused], [200, 1, 11])
    assert.deepEqual(answers.data.map(faultsOf), [
      [' wrong_type'],
      [' wrong_type'],
      ['/type missing'],
      ['/type not_allowed'],
      ['/to recipient_invalid'],
      ['/txt unknown_field'],
      ['/text missing', '/to recipient_invalid'],
      undefined,
      ['/text too_long'],
      ['/reply_to not_found'],
      ['/url encoded_file'],
      undefined,
    ])
    assert.equal(answers.data[7]?.problem?.code, 'instance_not_found')
    const right = answers.data[11]?.message
    assert.equal(right?.client_ref, 'right')
    await reaches(posthorn.admin, right?.id ?? '', 'sent')
  })

  test('a list that cannot be one is refused as a whole', async () => {
    const faults = async (messages: unknown) =>
      ((await send(messages)).json as { errors: { pointer: string; code: string }[] }).errors.map(
        ({ pointer, code }) => `${pointer} ${code}`,
      )
    assert.deepEqual(await faults([]), ['/messages too_few'])
    assert.deepEqual(await faults(Array.from({ length: 101 }, () => textTo())), ['/messages too_many'])
    assert.deepEqual(await faults('text'), ['/messages wrong_type'])
    const large = await send([textTo({ metadata: { a: 'x'.repeat(512 * 1024) } })])
    assert.deepEqual([large.status, codeOf(large)], [413, 'body_too_large'])
    const fits = await send(Array.from({ length: 100 }, () => textTo({ to: 'x', text: 'x'.repeat(4_096) })))
    assert.equal(fits.status, 200)
  })

  test('a repetition gets the same answers, also of those that were refused, and sends nothing', async () => {
    const key = { 'idempotency-key': 'batch-1' }
    const messages = [
      textTo({ client_ref: 'once' }),
      textTo({ to: 'no address' }),
      textTo({ client_ref: 'once' }),
    ]
    const first = await send(messages, key)
    assert.deepEqual(inWords(resultsOf(first)), ['202', 'invalid_request', '202'])
    const second = await send(messages, key)
    assert.equal(second.text, first.text)
    assert.deepEqual(
      [first, second].map(({ headers }) => headers['idempotency-replayed']),
      [undefined, 'true'],
    )
    assert.equal((await everythingListed(posthorn.admin, { client_ref: 'once' })).length, 2)
    assert.equal(codeOf(await send([textTo()], key)), 'idempotency_mismatch')
    const nothing = { 'idempotency-key': 'batch-2' }
    const refused = await send([textTo({ to: 'no address' })], nothing)
    assert.equal((await send([textTo({ to: 'no address' })], nothing)).text, refused.text)
  })

  test('what the queue has no place for is refused, the same way when it is asked again', async () => {
    await create(posthorn.admin, 'full', {})
    const later = { send_at: new Date(Date.now() + 3_600_000).toISOString() }
    const hundred = (ref: string) =>
      Array.from({ length: 100 }, (_, at) =>
        textTo({ instance: 'full', client_ref: ref, to: `p${at}@accepts.sandbox`, ...later }),
      )
    assert.equal(resultsOf(await send(hundred('full-1'))).accepted, 100)
    const key = { 'idempotency-key': 'batch-full' }
    const second = await send(hundred('full-2'), key)
    assert.deepEqual(inWords(resultsOf(second)), [...Array(50).fill('202'), ...Array(50).fill('queue_full')])
    assert.equal(resultsOf(second).data[60]?.problem?.retryable, true)
    assert.equal((await everythingListed(posthorn.admin, { client_ref: 'full-2' })).length, 50)
    assert.equal((await send(hundred('full-2'), key)).text, second.text)
  })

  test('a name that means another instance by now is no reason to refuse, nor one that means none', async () => {
    await create(posthorn.admin, 'renewed')
    await text(posthorn.admin, { instance: 'renewed', to: 'ana@accepts.sandbox' })
    await posthorn.admin.call(deleteInstance, { params: { name: 'renewed' } })
    await eventually(
      'the name to be free',
      () => exists('renewed'),
      (isThere) => !isThere,
    )
    assert.deepEqual(inWords(resultsOf(await send([textTo({ instance: 'renewed' }), textTo()]))), [
      'instance_not_found',
      '202',
    ])
    await create(posthorn.admin, 'renewed')
    assert.deepEqual(inWords(resultsOf(await send([textTo({ instance: 'renewed' }), textTo()]))), [
      '202',
      '202',
    ])
  })

  test('of very many at once, some are refused for a moment, and nothing of them is done', async () => {
    const entries = Array.from({ length: 100 }, () => textTo({ to: 'no address', client_ref: 'crowd' }))
    const body = JSON.stringify({ messages: entries })
    const path = '/v1/messages/batch'
    const head = `POST ${path} HTTP/1.1\r\nhost: ${new URL(posthorn.url).host}\r\nauthorization: Bearer ${posthorn.adminKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    const crowd = async () => {
      const callers = await Promise.all(Array.from({ length: 150 }, () => RawConnection.open(posthorn.url)))
      for (const caller of callers) caller.write(head + body.slice(0, -1))
      while (callers.some(({ socket }) => socket.writableLength > 0)) await sleep(10)
      // The last byte of all of them comes at once, so that none is answered before the others have begun to wait.
      for (const caller of callers) caller.write(body.slice(-1))
      const replies = await Promise.all(callers.map((caller) => caller.reply('POST', path)))
      for (const caller of callers) caller.close()
      return replies.filter(({ status }) => status !== 200)
    }
    const refused = await eventually('a refusal', crowd, ({ length }) => length > 0)
    for (const { text: problem, headers } of refused)
      assert.deepEqual([JSON.parse(problem).code, headers['retry-after']], ['too_many_batches', '1'])
    assert.deepEqual(inWords(resultsOf(await send([textTo()]))), ['202'])
  })

  test('a key that is limited to instances sends through those only, and does not learn of others', async () => {
    const { key } = await posthorn.createKey('default', 'send', { instances: ['other'] })
    const reply = await sendAny(posthorn.client(), key, [
      textTo({ instance: 'other' }),
      textTo({ instance: 'trial' }),
      textTo({ instance: 'trial', to: 'no address' }),
      textTo({ instance: 'unknown' }),
    ])
    assert.deepEqual(inWords(resultsOf(reply)), ['202', ...Array(3).fill('instance_not_found')])
    const { key: reader } = await posthorn.createKey('default', 'read')
    assert.equal(codeOf(await sendAny(posthorn.client(), reader, [textTo()])), 'forbidden')
    await posthorn.createOrganization('elsewhere')
    const { key: foreign } = await posthorn.createKey('elsewhere', 'send')
    assert.deepEqual(inWords(resultsOf(await sendAny(posthorn.client(), foreign, [textTo()]))), [
      'instance_not_found',
    ])
  })
})

test('a batch counts as its number of messages in the rate of its key', { timeout: 60_000 }, async (t) => {
  const posthorn = await startPosthorn({ environment: { POSTHORN_RATE_LIMIT: '50/5' } })
  t.after(() => posthorn.stop())
  const send = (count: number) =>
    sendAny(
      posthorn.client(),
      posthorn.adminKey,
      Array.from({ length: count }, () => textTo({ instance: 'none' })),
    )
  const first = await send(100)
  assert.equal(first.status, 200)
  assert.match(first.headers.ratelimit ?? '', /r=0;t=1[0-9]$/)
  const second = await send(1)
  assert.deepEqual([second.status, codeOf(second)], [429, 'rate_limited'])
  // Fifty are owed, at ten in a second.
  assert.ok(Number(second.headers['retry-after']) >= 4, `Retry-After: ${second.headers['retry-after']}`)
})

async function storedIn(data: string): Promise<number> {
  const [row] = await rowsIn<{ count: number | string }>(data, 'select count(*) as count from messages')
  return Number(row?.count)
}

test('a batch whose server is killed meanwhile is there completely or not at all, and once', {
  timeout: 120_000,
}, async (t) => {
  const data = freshFolder()
  const settings = await databaseFor(data)
  let server = await spawnPosthorn(data, settings)
  t.after(async () => {
    await server.end('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  })
  await create(server.admin, 'trial')
  const messages = (round: number) =>
    Array.from({ length: 100 }, (_, at) => ({
      type: 'text' as const,
      instance: 'trial',
      to: `p${at % 7}@accepts.sandbox`,
      text: at === 99 ? 'The last' : `${at}`,
      client_ref: `round-${round}`,
    }))
  const answered: string[] = []
  for (let round = 0; round < 8; round++) {
    const body = { messages: messages(round) }
    const query = { client_ref: `round-${round}`, limit: 200 }
    const given = { body, idempotencyKey: `round-${round}` }
    const cut = server.admin.call(sendMessageBatch, given).then(
      (answer) => JSON.stringify(answer.body),
      () => undefined,
    )
    // Every other time, in the moment in which it is stored.
    if (round % 2 === 0) await sleep(10 + round * 5)
    else while ((await storedIn(data)) <= 100 * round) await sleep(1)
    await server.end('SIGKILL')
    const before = await cut
    server = await spawnPosthorn(data, settings)
    const stored = await everythingListed(server.admin, query)
    assert.ok(stored.length === 0 || stored.length === 100, `${stored.length} of a batch were stored`)
    const again = await server.admin.call(sendMessageBatch, given)
    if (before !== undefined) assert.equal(JSON.stringify(again.body), before)
    if (stored.length > 0) assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal(again.body.accepted, 100)
    const listed = await eventually(
      'the whole batch in the list',
      () => everythingListed(server.admin, query),
      ({ length }) => length >= 100,
    )
    assert.deepEqual(
      listed.map(({ id }) => id),
      again.body.data.map(({ message }) => message?.id),
    )
    answered.push(`${stored.length === 100 ? 'stored' : 'lost'}${before === undefined ? '' : ', answered'}`)
  }
  t.diagnostic(answered.join('; '))
})
