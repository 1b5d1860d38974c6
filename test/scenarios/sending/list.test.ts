import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import type { QueryOf } from '../../../src/contract/operation.ts'
import {
  createInstance,
  listInstances,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import {
  listMessages,
  sendMediaMessage,
  sendTemplateMessage,
} from '../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { create, eventually, inMs, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn()
})

after(() => posthorn.stop())

async function page(query: QueryOf<typeof listMessages>) {
  return (await posthorn.admin.call(listMessages, { query })).body
}

/** Every page from the first on; `between` is called after each. */
async function allPages(query: Parameters<typeof page>[0], between: () => Promise<unknown> = async () => {}) {
  const pages: Message[][] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { data, next_cursor } = await page({ ...query, ...(cursor === undefined ? {} : { cursor }) })
    pages.push(data)
    cursor = next_cursor
    await between()
  }
  return pages
}

const ids = (messages: readonly { readonly id: string }[]) => messages.map(({ id }) => id)

describe('the list of messages', () => {
  const accepted: Message[] = []

  before(async () => {
    for (const name of ['first', 'second']) await create(posthorn.admin, name)
    for (let index = 0; index < 24; index++) {
      const behaviour = ['delivers', 'refuses', 'accepts'][index % 3]
      const body = {
        instance: index % 2 === 0 ? 'first' : 'second',
        to: `ana@${behaviour}.sandbox`,
        client_ref: `order-${index % 4}`,
      }
      accepted.unshift(await text(posthorn.admin, body, 10))
    }
  })

  test('has the newest first', async () => {
    assert.deepEqual(ids((await page({})).data), ids(accepted))
  })

  test('of an instance, to an address, with a reference, of a status: each alone and all together', async () => {
    const filters = [
      { instance: 'first' },
      { to: 'ana@delivers.sandbox' },
      { client_ref: 'order-2' },
      { instance: 'first', to: 'ana@accepts.sandbox', client_ref: 'order-2' },
    ]
    for (const filter of filters) {
      const fits = accepted.filter((message) =>
        Object.entries(filter).every(([field, value]) => message[field as keyof Message] === value),
      )
      assert.ok(fits.length > 0)
      assert.deepEqual(ids((await page(filter)).data), ids(fits))
    }
    const refused = accepted.filter(({ to }) => to === 'ana@refuses.sandbox')
    assert.deepEqual(ids((await page({ status: 'failed' })).data), ids(refused))
    assert.deepEqual(
      ids((await page({ status: 'failed', instance: 'second' })).data),
      ids(refused.filter(({ instance }) => instance === 'second')),
    )
    assert.deepEqual((await page({ instance: 'third' })).data, [])
  })

  test('of a time: from its first moment on, and before its end, over pages too', async () => {
    const middle = accepted[11]?.created_at ?? ''
    const since = accepted.filter(({ created_at }) => created_at >= middle)
    const before = accepted.filter(({ created_at }) => created_at < middle)
    assert.deepEqual(ids((await page({ created_after: middle })).data), ids(since))
    assert.deepEqual(ids((await page({ created_before: middle })).data), ids(before))
    const both = { created_after: accepted[20]?.created_at ?? '', created_before: middle, instance: 'first' }
    const within = before.filter(
      ({ created_at, instance }) => created_at >= both.created_after && instance === 'first',
    )
    assert.ok(within.length > 0)
    assert.deepEqual(ids((await allPages({ ...both, limit: 2 })).flat()), ids(within))
    assert.deepEqual(await page({ created_after: inMs(60_000) }), { data: [], next_cursor: null })
    assert.deepEqual(await page({ created_before: '1969-12-31T23:59:60Z' }), { data: [], next_cursor: null })
    assert.deepEqual(await page({ created_after: middle, created_before: middle }), {
      data: [],
      next_cursor: null,
    })
  })

  test('over pages has every message once, even if others are accepted meanwhile', async () => {
    const pages = await allPages({ limit: 5 }, () =>
      text(posthorn.admin, { instance: 'first', to: 'bert@accepts.sandbox' }),
    )
    assert.ok(pages.length >= 5)
    assert.ok(pages.every((each) => each.length <= 5))
    assert.deepEqual(ids(pages.flat()), ids(accepted), 'no double, no gap among the old, none of the new')
  })

  test('over pages of a status has every message of it once, and ends', async () => {
    const pages = await allPages({ limit: 3, status: 'failed' })
    const refused = accepted.filter(({ to }) => to === 'ana@refuses.sandbox')
    assert.deepEqual(ids(pages.flat()), ids(refused))
  })

  test('with a text in what was written, whatever its case, alone and with other filters', async () => {
    const { admin } = posthorn
    const send = (text_: string, more: object = {}) =>
      text(admin, { instance: 'first', to: 'zoe@accepts.sandbox', text: text_, ...more })
    const street = await send('Deine Straße ist gesperrt.')
    const capitals = await send('DEINE STRASSE IST FREI', { to: 'yves@accepts.sandbox' })
    const form = new FormData()
    const fields = {
      instance: 'second',
      to: 'zoe@accepts.sandbox',
      kind: 'document',
      caption: 'Straßenkarte',
    }
    for (const [field, value] of Object.entries(fields)) form.set(field, value)
    form.set('file', new Blob(['a map']), 'map.txt')
    const caption = (await admin.call(sendMediaMessage, { body: form })).body
    const example = { type: 'body', parameters: [{ type: 'text', text: 'Straße' }] }
    const template = { instance: 'first', to: 'zoe@accepts.sandbox', name: 'order_update', language: 'en_US' }
    await admin.call(sendTemplateMessage, { body: { ...template, components: [example] } })
    const found = async (query: QueryOf<typeof listMessages>) => ids((await allPages(query)).flat())
    const all = ids([caption, capitals, street])
    for (const part of ['straße', 'STRASSE', 'Strasse'])
      assert.deepEqual(await found({ text: part }), all, part)
    assert.deepEqual(await found({ text: 'strasse', limit: 1 }), all)
    assert.deepEqual(
      await found({ text: 'strasse', conversation: 'zoe@accepts.sandbox' }),
      ids([caption, street]),
    )
    assert.deepEqual(await found({ text: 'strasse', instance: 'second' }), ids([caption]))
    assert.deepEqual(await found({ text: 'strasse', created_before: street.created_at }), [])
    assert.deepEqual(await found({ text: 'order_update' }), [], 'a template has no text of its own')
    assert.deepEqual(await found({ text: '%' }), [])
    for (const strange of ['', 'x'.repeat(201)])
      await assert.rejects(page({ text: strange }), { code: 'invalid_request' })
  })

  test('with a text of an instance that the key is not for: as if it were not there', async () => {
    const { key } = await posthorn.createKey('default', 'read', { instances: ['second'] })
    const { body } = await posthorn.client(key).call(listMessages, { query: { text: 'strasse' } })
    assert.deepEqual(
      body.data.map(({ instance }) => instance),
      ['second'],
    )
    assert.equal(body.next_cursor, null)
  })

  test('shows nothing of another organization', async () => {
    await posthorn.createOrganization('other')
    const { key } = await posthorn.createKey('other', 'admin')
    for (const query of [{}, { text: 'strasse' }, { created_after: '2000-01-01T00:00:00Z' }]) {
      const { body } = await posthorn.client(key).call(listMessages, { query })
      assert.deepEqual(body, { data: [], next_cursor: null })
    }
  })
})

describe('the list of instances', () => {
  const names = Array.from({ length: 11 }, (_, index) => `team-${String(index).padStart(2, '0')}`)

  before(async () => {
    for (const name of names.toReversed()) await create(posthorn.admin, name)
    for (const name of ['team-03', 'team-07']) await posthorn.admin.call(stopInstance, { params: { name } })
  })

  async function allNames(query: QueryOf<typeof listInstances>) {
    const found: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const given = { ...query, ...(cursor === undefined ? {} : { cursor }) }
      const { body } = await posthorn.admin.call(listInstances, { query: given })
      found.push(...body.data.map(({ name }) => name))
      cursor = body.next_cursor
    }
    return found
  }

  test('is by name, and over pages has every instance once', async () => {
    const everything = ['first', 'second', ...names]
    assert.deepEqual(await allNames({}), everything)
    assert.deepEqual(await allNames({ limit: 4 }), everything)
    assert.deepEqual(await allNames({ limit: 13 }), everything, 'a full last page ends the list')
  })

  test('keeps its place if instances come meanwhile', async () => {
    const { body: first } = await posthorn.admin.call(listInstances, { query: { limit: 4 } })
    await posthorn.admin.call(createInstance, { body: { name: 'aaa-came-late' } })
    const query = { limit: 4, cursor: first.next_cursor ?? '' }
    const { body: second } = await posthorn.admin.call(listInstances, { query })
    assert.deepEqual(
      [...first.data, ...second.data].map(({ name }) => name),
      ['first', 'second', ...names].slice(0, 8),
    )
  })

  test('of a status and of a network', async () => {
    assert.deepEqual(await allNames({ status: 'stopped' }), ['team-03', 'team-07'])
    assert.deepEqual(await allNames({ status: 'stopped', limit: 1 }), ['team-03', 'team-07'])
    assert.deepEqual(await allNames({ status: 'failed' }), [])
    assert.deepEqual(await allNames({ network: 'xmpp' }), [])
    assert.ok((await allNames({ network: 'sandbox' })).length >= 13)
  })

  test('of what their name, account or labels contain, in any case', async () => {
    assert.deepEqual(await allNames({ search: 'EAM-1' }), ['team-10'])
    assert.deepEqual(await allNames({ search: 'team-0', limit: 3 }), names.slice(0, 10))
    const body = { name: 'found-one', settings: { account: 'padaria' }, metadata: { city: 'São José 100%' } }
    await posthorn.admin.call(createInstance, { body })
    // Its address becomes known after it has connected.
    await eventually(
      'the address of its account',
      () => allNames({ search: 'padaria@' }),
      (found) => found.includes('found-one'),
    )
    for (const search of ['padaria@', 'SÃO josé', '100%', 'sandbox ACCOUNT'])
      assert.ok((await allNames({ search })).includes('found-one'), search)
    assert.deepEqual(await allNames({ search: 'são josé', status: 'stopped' }), [])
    for (const search of ['city', 'display_name', '_ound', '%'])
      assert.equal((await allNames({ search })).includes('found-one'), search === '%', search)
    const { key } = await posthorn.createKey('default', 'read', { instances: ['second'] })
    const limited = await posthorn.client(key).call(listInstances, { query: { search: 'o' } })
    assert.deepEqual(
      limited.body.data.map(({ name }) => name),
      ['second'],
    )
  })
})

test('a cursor that no page gave is refused by name', async () => {
  for (const operation of [listMessages, listInstances]) {
    await assert.rejects(
      posthorn.admin.call(operation, { query: { cursor: 'bm90LWEtY3Vyc29y' } }),
      (error) => error instanceof ProblemError && error.problem.errors?.[0]?.pointer === 'query/cursor',
    )
  }
})

test('the oldest message that waits is told with the depth of the queue', async () => {
  const { admin } = posthorn
  await create(admin, 'waiting')
  const oldest = await text(admin, { instance: 'waiting', to: 'ana@busy.sandbox' })
  await text(admin, { instance: 'waiting', to: 'ana@accepts.sandbox', send_at: inMs(60_000) })
  const { body } = await admin.call(listInstances, { query: { limit: 200 } })
  const queue = body.data.find(({ name }) => name === 'waiting')?.queue
  assert.deepEqual(queue, { depth: 2, oldest_at: oldest.created_at })
})
