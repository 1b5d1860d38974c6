import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { QueryOf } from '../../../src/contract/operation.ts'
import { listConversations } from '../../../src/contract/operations/conversation-operations.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { create, eventually, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn()
  for (const name of ['first', 'second']) await create(posthorn.admin, name)
})

after(() => posthorn.stop())

async function page(query: QueryOf<typeof listConversations>, client: CheckedClient = posthorn.admin) {
  return (await client.call(listConversations, { query })).body
}

async function everyConversation(query: QueryOf<typeof listConversations>, client?: CheckedClient) {
  const found: string[] = []
  for (let cursor: string | null = null; ; ) {
    const { data, next_cursor }: Awaited<ReturnType<typeof page>> = await page(
      { ...query, ...(cursor && { cursor }) },
      client,
    )
    found.push(...data.map(({ instance, conversation }) => `${instance} ${conversation}`))
    if (next_cursor === null) return found
    cursor = next_cursor
  }
}

test('conversations are listed by their last messages, however many messages came in between', async () => {
  const { admin } = posthorn
  // More than the list looks through message by message.
  const people = Array.from({ length: 300 }, (_, index) => `p${index}@accepts.sandbox`)
  const send = (to: string, instance = 'first') => text(admin, { instance, to })
  for (let index = 0; index < people.length; index += 50)
    await Promise.all(people.slice(index, index + 50).map((to) => send(to)))
  const twice = await send('p7@accepts.sandbox')
  const newest = await send('p7@accepts.sandbox', 'second')
  const { data, next_cursor } = await page({ limit: 2 })
  assert.deepEqual(
    data.map(({ instance, conversation, aliases, last_message }) => [
      instance,
      conversation,
      aliases,
      last_message.id,
    ]),
    [
      ['second', 'p7@accepts.sandbox', [], newest.id],
      ['first', 'p7@accepts.sandbox', [], twice.id],
    ],
  )
  assert.ok(next_cursor !== null)
  for (const limit of [7, 200]) {
    const all = await everyConversation({ limit })
    assert.equal(all.length, 301)
    assert.equal(new Set(all).size, 301)
    const own = await everyConversation({ limit, instance: 'first' })
    assert.deepEqual(new Set(own), new Set(people.map((to) => `first ${to}`)))
    assert.equal(own.length, 300)
  }
  assert.deepEqual(await everyConversation({ instance: 'second' }), ['second p7@accepts.sandbox'])
  assert.deepEqual(await everyConversation({ instance: 'third' }), [])
})

test('a key sees the conversations of its instances, and nobody those of another organization', async () => {
  const limited = await posthorn.createKey('default', 'read', { instances: ['second'] })
  const client = posthorn.client(limited.key)
  assert.deepEqual(await everyConversation({ limit: 1 }, client), ['second p7@accepts.sandbox'])
  assert.deepEqual(await everyConversation({ instance: 'first' }, client), [])
  await posthorn.createOrganization('other')
  const { key } = await posthorn.createKey('other', 'admin')
  assert.deepEqual(await page({}, posthorn.client(key)), { data: [], next_cursor: null })
  const { next_cursor } = await page({ limit: 1 })
  assert.deepEqual(await page({ cursor: next_cursor ?? '' }, posthorn.client(key)), {
    data: [],
    next_cursor: null,
  })
})

test('a person with two addresses is listed once', async () => {
  const { admin } = posthorn
  await create(admin, 'window', { reply_window_seconds: 3_600 })
  const [one, other] = ['ana@two-addresses.sandbox', 'ana@other-address.sandbox'] as const
  const sent = await text(admin, { instance: 'window', to: one, text: 'Hello' })
  await reaches(admin, sent.id, 'delivered')
  const read = async () => (await page({ instance: 'window' })).data
  const [answer, ...more] = await eventually(
    'the answer',
    read,
    ([last]) => last?.last_message.direction === 'inbound',
  )
  assert.deepEqual([answer?.conversation, answer?.aliases, more], [other, [one], []])
})

test('conversations are found by a part of a name or an address, by their kind, and by what is unread', async () => {
  await create(posthorn.admin, 'third')
  const send = (to: string) => text(posthorn.admin, { instance: 'third', to }, 20)
  for (const to of ['Carla@replies.sandbox', 'carlo@accepts.sandbox', 'crew@group.sandbox']) await send(to)
  const third = { instance: 'third' } as const
  await eventually(
    'the answer of Carla',
    () => everyConversation({ ...third, unread: true }),
    (found) => found.length === 1,
  )
  const found = (query: QueryOf<typeof listConversations>) =>
    everyConversation({ ...third, limit: 1, ...query })
  assert.deepEqual(await found({ unread: true }), ['third carla@replies.sandbox'])
  assert.deepEqual((await found({ search: 'CARL' })).toSorted(), [
    'third carla@replies.sandbox',
    'third carlo@accepts.sandbox',
  ])
  assert.deepEqual(await found({ kind: 'group' }), ['third crew@group.sandbox'])
  assert.deepEqual(await found({ kind: 'group', search: 'carl' }), [])
  assert.equal((await found({ kind: 'person' })).length, 2)
  assert.deepEqual(await everyConversation({ search: 'p299@', limit: 5 }), ['first p299@accepts.sandbox'])
})
