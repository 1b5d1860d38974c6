import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { deleteInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import {
  cancelMessage,
  listMessages,
  sendMediaMessage,
  sendTextMessage,
} from '../../../src/contract/operations/message-operations.ts'
import { getQuotas } from '../../../src/contract/operations/quota-operations.ts'
import type { QuotaEventData } from '../../../src/contract/resources/event.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { journalOf } from '../../kit/journal.ts'
import { create, eventually, inMs, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { checkUsage } from '../../kit/usage.ts'

/* One organization uses up its quotas, is told so, and its neighbours notice nothing. */

async function quotas(client: CheckedClient) {
  return (await client.call(getQuotas, {})).body
}

/** The code of the problem that a text gets; undefined if it is accepted. */
async function refusalOf(sending: Promise<unknown>): Promise<string | undefined> {
  try {
    await sending
    return undefined
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

/** Returns the detail of the problem that a text gets. */
async function detailOf(sending: Promise<unknown>): Promise<string> {
  try {
    await sending
    return 'accepted'
  } catch (error) {
    return (error as { problem?: { detail?: string } }).problem?.detail ?? String(error)
  }
}

async function metric(posthorn: Posthorn, name: string): Promise<number> {
  const token = readFileSync(join(posthorn.data, 'metrics.token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}` }
  const { text } = await posthorn.client().rawRequest('GET', '/metrics', { headers })
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  )
}

describe('the unsettled messages of an organization', () => {
  let posthorn: Posthorn
  let neighbour: CheckedClient

  before(async () => {
    posthorn = await startPosthorn({ environment: { POSTHORN_UNSETTLED_LIMIT: '5' } })
    for (const name of ['one', 'two']) await create(posthorn.admin, name)
    await posthorn.createOrganization('neighbour')
    neighbour = posthorn.client((await posthorn.createKey('neighbour', 'admin')).key)
    await create(neighbour, 'one')
  })

  after(() => posthorn.stop())

  const sending = (instance: string, client = posthorn.admin) =>
    text(client, { instance, to: 'ana@stuck.sandbox', send_at: inMs(3_600_000) })
  const send = (instance: string, client = posthorn.admin) => refusalOf(sending(instance, client))

  test('are counted over its instances, and no more are taken than it may have', async () => {
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) => send(index % 2 ? 'one' : 'two')),
    )
    assert.equal(replies.filter((code) => code === undefined).length, 5)
    assert.equal(replies.filter((code) => code === 'unsettled_quota_exceeded').length, 25)
    const { unsettled_messages } = await quotas(posthorn.admin)
    assert.deepEqual(unsettled_messages, { used: 5, limit: 5, remaining: 0 })
    assert.equal(
      await metric(posthorn, 'posthorn_quota_exhausted_organizations{quota="unsettled_messages"}'),
      1,
    )
    assert.equal(await metric(posthorn, 'posthorn_quota_used{quota="unsettled_messages"}'), 5)
  })

  test('are told with the problem, and what to do about them', async () => {
    const detail = await detailOf(sending('one'))
    assert.match(
      detail,
      /^Your organization has 5 unsettled messages, and may have 5\. Wait until .* cancel some/,
    )
  })

  test('are no concern of another organization', async () => {
    assert.equal(await send('one', neighbour), undefined)
    assert.deepEqual((await quotas(neighbour)).unsettled_messages, { used: 1, limit: 5, remaining: 4 })
  })

  test('are fewer as soon as one is canceled, or an instance removed', async () => {
    const { admin } = posthorn
    const [message] = (await admin.call(listMessages, { query: { limit: 1 } })).body.data
    await admin.call(cancelMessage, { params: { id: message?.id ?? '' } })
    assert.equal((await quotas(admin)).unsettled_messages.used, 4)
    assert.equal(await send('one'), undefined)
    assert.equal(await send('one'), 'unsettled_quota_exceeded')
    await admin.call(deleteInstance, { params: { name: 'two' } })
    const read = async () => {
      const { data } = (await admin.call(listMessages, { query: { status: 'queued' } })).body
      return {
        queued: data.map(({ instance }) => instance),
        used: (await quotas(admin)).unsettled_messages.used,
      }
    }
    await eventually(
      'the queue of the instance to be canceled',
      read,
      ({ queued, used }) => !queued.includes('two') && used === queued.length,
    )
    assert.equal(await send('one'), undefined)
  })

  test('are still known after a restart', async () => {
    const before = await quotas(posthorn.admin)
    posthorn = await posthorn.restart()
    assert.deepEqual(await quotas(posthorn.admin), before)
    await checkUsage(posthorn.data)
  })
})

describe('what an organization had sent', () => {
  let posthorn: Posthorn
  let neighbour: CheckedClient
  const room = 64 * 1024

  before(async () => {
    posthorn = await startPosthorn({ environment: { POSTHORN_STORED_LIMIT: String(room) } })
    await create(posthorn.admin, 'one')
    await posthorn.createOrganization('neighbour')
    neighbour = posthorn.client((await posthorn.createKey('neighbour', 'admin')).key)
    await create(neighbour, 'one')
  })

  after(() => posthorn.stop())

  const long = (index: number) => `${index} ${'é'.repeat(2_000)}`
  const sending = (index: number, client = posthorn.admin) => {
    const [instance, to, metadata] = ['one', 'ana@accepts.sandbox', { order: String(index) }]
    const body = { instance, to, text: long(index), metadata }
    return client.call(sendTextMessage, { body, waitSeconds: 10 })
  }
  const send = (index: number, client = posthorn.admin) => refusalOf(sending(index, client))

  test('takes no more than it may, however much of it is settled', async () => {
    const replies: (string | undefined)[] = []
    for (let index = 0; index < 20; index++) replies.push(await send(index))
    const taken = replies.filter((code) => code === undefined).length
    assert.deepEqual(replies, [...Array(taken), ...Array(20 - taken).fill('stored_quota_exceeded')])
    const { stored_bytes, unsettled_messages } = await quotas(posthorn.admin)
    assert.equal(unsettled_messages.used, 0, 'all of it is sent')
    assert.ok(stored_bytes.used >= 10 * (1024 + 4000) && stored_bytes.used <= room)
    assert.deepEqual(stored_bytes, {
      used: stored_bytes.used,
      limit: room,
      remaining: room - stored_bytes.used,
    })
    assert.equal(await metric(posthorn, 'posthorn_quota_used{quota="stored_bytes"}'), stored_bytes.used)
    const refused = await metric(posthorn, 'posthorn_quota_refusals_total{quota="stored_bytes"}')
    assert.equal(refused, 20 - taken)
    const told = await eventually(
      'the event of the first refusal',
      async () => (await journalOf(posthorn.data)).filter(({ type }) => type === 'quota.exceeded'),
      ({ length }) => length > 0,
    )
    const data = told[0]?.data as unknown as QuotaEventData | undefined
    assert.deepEqual(data?.quota, { name: 'stored_bytes', used: stored_bytes.used, limit: room })
  })

  test('is told with the problem, beside what one more message needs, and what to do', async () => {
    const { used } = (await quotas(posthorn.admin)).stored_bytes
    const detail = await detailOf(sending(1))
    const [, ...said] =
      /^The messages of your organization use ([\d,]+) bytes, and may use ([\d,]+): this one needs ([\d,]+)\. /.exec(
        detail,
      ) ?? assert.fail(detail)
    const [usedBytes, limit, needed = 0] = said.map((number) => Number(number.replaceAll(',', '')))
    assert.deepEqual([usedBytes, limit], [used, room])
    assert.ok(needed > 1024 + 4000 && used + needed > room, `${needed} bytes`)
    assert.match(detail, /Wait until old ones are removed/)
  })

  test('is no concern of another organization', async () => {
    assert.equal(await send(0, neighbour), undefined)
  })

  test('is counted exactly, also after a restart, and is less once old messages are removed', async () => {
    const before = await quotas(posthorn.admin)
    posthorn = await posthorn.restart()
    assert.deepEqual(await quotas(posthorn.admin), before)
    await checkUsage(posthorn.data)
    assert.equal(await send(1), 'stored_quota_exceeded')
    await posthorn.forgetEvents(Date.now() + 1)
    assert.ok((await posthorn.forgetMessages(Date.now() + 1)) > 0)
    assert.equal((await quotas(posthorn.admin)).stored_bytes.used, 0)
    assert.equal(await send(1), undefined)
    await checkUsage(posthorn.data)
  })
})

describe('the files of an organization', () => {
  let posthorn: Posthorn
  let neighbour: CheckedClient
  const size = 300_000

  before(async () => {
    posthorn = await startPosthorn({ environment: { POSTHORN_FILES_LIMIT: '1MB' } })
    await create(posthorn.admin, 'one')
    await posthorn.createOrganization('neighbour')
    neighbour = posthorn.client((await posthorn.createKey('neighbour', 'admin')).key)
    await create(neighbour, 'one')
  })

  after(() => posthorn.stop())

  interface Wishes {
    readonly client?: CheckedClient
    readonly idempotencyKey?: string
    readonly fields?: Readonly<Record<string, string>>
  }

  /** Sends a file an hour later. */
  async function upload(bytes: Uint8Array, { client = posthorn.admin, fields, ...options }: Wishes = {}) {
    const form = new FormData()
    const said = { instance: 'one', to: 'ana@delivers.sandbox', kind: 'document', send_at: inMs(3_600_000) }
    for (const [name, value] of Object.entries({ ...said, ...fields })) form.set(name, value)
    form.set('file', new Blob([new Uint8Array(bytes)]), 'file.bin')
    return (await client.call(sendMediaMessage, { body: form, ...options })).body
  }

  const used = async (client = posthorn.admin) => (await quotas(client)).file_bytes.used
  const waiting: string[] = []

  test('are the same file if they have the same bytes', async () => {
    const bytes = randomBytes(size)
    waiting.push((await upload(bytes)).id, (await upload(bytes)).id)
    const { file_bytes } = await quotas(posthorn.admin)
    assert.deepEqual(file_bytes, { used: size, limit: 1_048_576, remaining: 1_048_576 - size })
  })

  test('that come at once have no more room than one after the other', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => upload(randomBytes(size))))
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : []))
    assert.deepEqual(new Set(refusals), new Set(['files_quota_exceeded']))
    assert.equal(refusals.length, 18)
    assert.equal(await used(), 3 * size)
    waiting.push(...outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value.id : [])))
    await checkUsage(posthorn.data)
  })

  test('that are turned away are told by one event, and counted', async () => {
    const events = (await journalOf(posthorn.data)).filter(({ type }) => type === 'quota.exceeded')
    assert.equal(events.length, 1)
    const [notice] = events.map(({ data }) => data as unknown as QuotaEventData)
    assert.deepEqual([notice?.quota.name, notice?.quota.limit, notice?.refused], ['file_bytes', 1_048_576, 1])
    assert.equal(await metric(posthorn, 'posthorn_quota_refusals_total{quota="file_bytes"}'), 18)
  })

  test('leave those of another organization their room', async () => {
    await upload(randomBytes(size), { client: neighbour })
    assert.equal(await used(neighbour), size)
  })

  test('are not even promised to be fetched without room', async () => {
    await upload(randomBytes(100_000))
    const rest = 1_048_576 - (await used())
    // The other parts of the form need some of the room while they come with the file.
    await assert.rejects(upload(randomBytes(rest)), { code: 'files_quota_exceeded' })
    for (let left = rest; left > 0; left = 1_048_576 - (await used()))
      await chunked(randomBytes(Math.min(left, 60_000)))
    const url = 'https://example.org/file.bin'
    const body = { instance: 'one', to: 'ana@delivers.sandbox', kind: 'document' as const, url }
    await assert.rejects(posthorn.admin.call(sendMediaMessage, { body }), { code: 'files_quota_exceeded' })
  })

  /** Without a word about the length: room is taken as the bytes come. */
  async function chunked(bytes: Uint8Array): Promise<number> {
    const form = new FormData()
    const said = { instance: 'one', to: 'ana@delivers.sandbox', kind: 'document', send_at: inMs(3_600_000) }
    for (const [name, value] of Object.entries(said)) form.set(name, value)
    form.set('file', new Blob([new Uint8Array(bytes)]), 'file.bin')
    const { body, headers } = new Response(form)
    const response = await fetch(`${posthorn.url}/v1/messages/media`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${posthorn.adminKey}`,
        'content-type': headers.get('content-type') ?? '',
      },
      body,
      duplex: 'half',
    })
    return response.status
  }

  test('that come in pieces are cut off where the room ends', async () => {
    assert.equal(await chunked(randomBytes(1_000)), 409)
    assert.equal(await used(), 1_048_576)
    await checkUsage(posthorn.data)
  })

  test('free their room as soon as their messages are canceled', async () => {
    const [same, again, other] = waiting
    await posthorn.admin.call(cancelMessage, { params: { id: other ?? '' } })
    assert.equal(await used(), 1_048_576 - size)
    await posthorn.admin.call(cancelMessage, { params: { id: same ?? '' } })
    assert.equal(await used(), 1_048_576 - size, 'another message uses the same file')
    await posthorn.admin.call(cancelMessage, { params: { id: again ?? '' } })
    assert.equal(await used(), 1_048_576 - 2 * size)
    await checkUsage(posthorn.data)
  })

  test('are answered as the first time if the request is repeated without room', async () => {
    const bytes = randomBytes(200_000)
    const fields = { send_at: inMs(3_600_000) }
    const first = await upload(bytes, { idempotencyKey: 'the-same', fields })
    while ((await refusalOf(upload(randomBytes(50_000)))) === undefined);
    const second = await upload(bytes, { idempotencyKey: 'the-same', fields })
    assert.equal(second.id, first.id)
    await assert.rejects(upload(randomBytes(200_000), { idempotencyKey: 'the-same', fields }), {
      code: 'idempotency_mismatch',
    })
    await assert.rejects(upload(bytes, { idempotencyKey: 'another' }), { code: 'files_quota_exceeded' })
  })

  test('free their room when their messages expire, and when their instance is removed', async () => {
    const { admin } = posthorn
    await admin.call(deleteInstance, { params: { name: 'one' } })
    const freed = () => eventually('the room to be free', used, (bytes) => bytes === 0)
    await freed()
    await create(admin, 'one')
    await admin.call(stopInstance, { params: { name: 'one' } })
    await upload(randomBytes(size), { fields: { send_at: inMs(0), expires_at: inMs(1_500) } })
    assert.equal(await used(), size)
    await freed()
    await checkUsage(posthorn.data)
  })
})
