import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { cancelMessages } from '../../../src/contract/operations/cancellation-operations.ts'
import {
  forgetContact,
  getContact,
  listContacts,
  listConversations,
} from '../../../src/contract/operations/conversation-operations.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import {
  listMessages,
  markMessageRead,
  sendTextMessage,
} from '../../../src/contract/operations/message-operations.ts'
import type { Conversation } from '../../../src/contract/resources/conversation.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { create, eventually, everythingReceived, startObserved, text } from '../../kit/play.ts'
import type { Posthorn } from '../../kit/posthorn.ts'

describe('people who write, in the sandbox', { timeout: 120_000 }, () => {
  let posthorn: Posthorn

  before(async () => {
    posthorn = (await startObserved()).posthorn
    await create(posthorn.admin, 'trial')
  })
  after(() => posthorn.stop())

  const conversationWith = async (address: string): Promise<Conversation | undefined> => {
    const { body } = await posthorn.admin.call(listConversations, {
      query: { instance: 'trial', limit: 100 },
    })
    return body.data.find(({ conversation, aliases }) => [conversation, ...aliases].includes(address))
  }
  const becomes = (address: string, unread: number) =>
    eventually(
      `${unread} unread messages from ${address}`,
      () => conversationWith(address),
      (conversation) => conversation?.unread === unread,
    ) as Promise<Conversation>
  /** Sends a text to a person who answers, and returns the answer. */
  const answerFrom = async (to: string, words: string) => {
    await text(posthorn.admin, { instance: 'trial', to, text: words })
    return await eventually(
      'the answer',
      async () =>
        (await everythingReceived(posthorn.admin, 'trial')).find((message) => message.text === words),
      (message) => message !== undefined,
    )
  }

  test('a conversation has the name of its person, and the number of messages that they sent', async () => {
    const to = 'ana@replies.sandbox'
    for (const words of ['one', 'two', 'three']) await answerFrom(to, words)
    const { name, username } = await becomes(to, 3)
    assert.deepEqual([name, username], ['Ana', null])
  })

  test('a message that is marked as read counts with those before it, and an older mark changes nothing', async () => {
    const to = 'bob@replies.sandbox'
    const answers = []
    for (const words of ['bob 1', 'bob 2', 'bob 3']) answers.push(await answerFrom(to, words))
    await becomes(to, 3)
    const [first, second, third] = answers as { id: string }[]
    const marked = async (message: { id: string } | undefined, left: number) => {
      await posthorn.admin.call(markMessageRead, { params: { id: String(message?.id) } })
      assert.equal((await conversationWith(to))?.unread, left)
    }
    await marked(second, 1)
    await marked(first, 1)
    await marked(third, 0)
    await answerFrom(to, 'bob 4')
    await becomes(to, 1)
  })

  test('a conversation says the names of the people whom its last message mentions, as far as they are known', async () => {
    const [known, unknown] = ['mia@replies.sandbox', 'noa@accepts.sandbox']
    await answerFrom(known, 'mia 1')
    const to = 'crew@group.sandbox'
    const body = { instance: 'trial', to, text: 'Dear @mia and @noa', mentions: [known, unknown] }
    await posthorn.admin.call(sendTextMessage, { body })
    const mentioned = await conversationWith(to)
    assert.deepEqual(mentioned?.mentioned, [{ address: known, name: 'Mia' }])
    await posthorn.admin.call(forgetContact, { params: { name: 'trial', address: known } })
    await eventually(
      'the name to be forgotten',
      () => conversationWith(to),
      (conversation) => conversation?.mentioned === undefined,
    )
    await text(posthorn.admin, { instance: 'trial', to, text: 'Dear all' })
    assert.ok(!('mentioned' in ((await conversationWith(to)) ?? {})))
  })

  test('a conversation that the account reads in another client has nothing unread', async () => {
    const to = 'cleo@read-elsewhere.sandbox'
    await answerFrom(to, 'cleo 1')
    await becomes(to, 0)
  })

  test('a person with two addresses has one name and one count', async () => {
    const answer = await answerFrom('dora@two-addresses.sandbox', 'dora 1')
    await answerFrom('dora@other-address.sandbox', 'dora 2')
    assert.equal((await becomes('dora@two-addresses.sandbox', 2)).name, 'Dora')
    await posthorn.admin.call(markMessageRead, { params: { id: String(answer?.id) } })
    await becomes('dora@other-address.sandbox', 1)
  })

  const contacts = async (search?: string) => {
    const query = { limit: 2, ...(search !== undefined && { search }) }
    const all = []
    for (let cursor: string | undefined; ; ) {
      const { body } = await posthorn.admin.call(listContacts, {
        params: { name: 'trial' },
        query: cursor === undefined ? query : { ...query, cursor },
      })
      all.push(...body.data)
      if (body.next_cursor === null) return all
      cursor = body.next_cursor
    }
  }
  const contactAt = async (address: string) =>
    (await posthorn.admin.call(getContact, { params: { name: 'trial', address } })).body

  const everyEvent = async () => {
    const all = []
    for (let after: string | undefined; ; ) {
      const query = { limit: 100, ...(after !== undefined && { after }) }
      const { body } = await posthorn.admin.call(listEvents, { query })
      all.push(...body.data)
      if (body.data.length === 0) return all
      after = body.next_cursor
    }
  }

  test('people are listed page by page, and found by their names', async () => {
    const all = await contacts()
    assert.equal(new Set(all.map(({ address }) => address)).size, all.length)
    assert.ok(all.length >= 4)
    const [dora, ...others] = await contacts('DORA')
    assert.deepEqual(
      [dora?.address, dora?.aliases, dora?.name, others],
      ['dora@other-address.sandbox', ['dora@two-addresses.sandbox'], 'Dora', []],
    )
    assert.deepEqual(await contactAt('dora@two-addresses.sandbox'), dora)
    assert.ok(dora?.last_message_at)
    const { problem } = await problemOf(contactAt('zoe@replies.sandbox'))
    assert.equal(problem.code, 'contact_not_found')
  })

  test('a person who is forgotten leaves ids, and nothing that they said', async () => {
    const to = 'frida@replies.sandbox'
    const [first, second] = [await answerFrom(to, 'my secret'), await answerFrom(to, 'another secret')]
    const later = await text(posthorn.admin, {
      ...{ instance: 'trial', to, text: 'a third secret', metadata: { name: 'Frida' } },
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    const { body } = await posthorn.admin.call(forgetContact, { params: { name: 'trial', address: to } })
    assert.equal(body.name, null)
    await eventually(
      'the end of forgetting',
      async () => (await contacts('frida')).length,
      (left) => left === 0,
    )
    assert.equal((await problemOf(contactAt(to))).problem.code, 'contact_not_found')
    const { body: left } = await posthorn.admin.call(listMessages, {
      query: { conversation: to, instance: 'trial' },
    })
    assert.equal(left.data.length, 5)
    for (const message of left.data) {
      assert.deepEqual([message.forgotten, message.text, message.metadata], [true, '', {}])
      assert.equal(message.sender, undefined)
    }
    const ids = left.data.map(({ id }) => id)
    for (const message of [first, second, later]) assert.ok(message && ids.includes(message.id))
    assert.equal(left.data.find(({ id }) => id === later.id)?.status, 'canceled')
    const { body: found } = await posthorn.admin.call(listMessages, { query: { text: 'secret' } })
    assert.deepEqual(found.data, [])
    const events = JSON.stringify(await everyEvent())
    assert.ok(!events.includes('secret') && events.includes(String(first?.id)))
    // Those of others stay as they are.
    assert.equal((await contactAt('ana@replies.sandbox')).name, 'Ana')
    await answerFrom(to, 'here again')
    assert.equal((await contactAt(to)).name, 'Frida')
  })

  test('the address of a group is no contact, and nothing that was said there is emptied', async () => {
    const to = 'choir@group.sandbox'
    const { id } = await text(posthorn.admin, { instance: 'trial', to, text: 'for all of you' })
    const inGroup = async () =>
      (await posthorn.admin.call(listMessages, { query: { conversation: to, instance: 'trial' } })).body.data
    await eventually(
      'the end of the message',
      inGroup,
      ([newest]) => newest?.id === id && newest.status !== 'queued' && newest.status !== 'sending',
    )
    for (const address of [to, 'Choir@GROUP.sandbox']) {
      const params = { name: 'trial', address }
      const { problem } = await problemOf(posthorn.admin.call(forgetContact, { params }))
      assert.equal(problem.code, 'contact_not_found')
      assert.match(problem.detail, /group/)
      assert.equal((await problemOf(contactAt(address))).problem.code, 'contact_not_found')
    }
    const left = await inGroup()
    assert.ok(left.every(({ forgotten }) => !forgotten))
    assert.equal(left.find((message) => message.id === id)?.text, 'for all of you')
    const { problem } = await problemOf(
      posthorn.admin.call(getContact, { params: { name: 'nowhere', address: to } }),
    )
    assert.equal(problem.code, 'instance_not_found')
  })

  test('a person is found and forgotten by any spelling of their address', async () => {
    const address = '+4915112345678'
    const later = { send_at: new Date(Date.now() + 3_600_000).toISOString() }
    await text(posthorn.admin, { instance: 'trial', to: '+49 151 12345678', text: 'yours', ...later })
    const params = { name: 'trial', address: '0049 (151) 123456-78' }
    const { body } = await posthorn.admin.call(forgetContact, { params })
    assert.equal(body.address, address)
    await eventually(
      'the message to be forgotten',
      async () =>
        (await posthorn.admin.call(listMessages, { query: { to: address, instance: 'trial' } })).body.data,
      ([message]) => message?.forgotten === true,
    )
    assert.equal((await contactAt('ANA@Replies.sandbox')).address, 'ana@replies.sandbox')
  })

  test('messages are listed and canceled by any spelling of an address, with an instance and without', async () => {
    const later = { send_at: new Date(Date.now() + 3_600_000).toISOString() }
    const queue = async (to: string) =>
      (await text(posthorn.admin, { instance: 'trial', to, text: 'Later', ...later })).id
    const spellings: [string, string][] = [
      ['+49 151 22222222', '0049 (151) 222-222.22'],
      ['Hal@Replies.sandbox', 'HAL@replies.SANDBOX'],
    ]
    for (const [written, other] of spellings) {
      const id = await queue(written)
      for (const where of [{ instance: 'trial' }, {}]) {
        for (const query of [
          { to: written },
          { to: other },
          { conversation: other },
          { to: other, conversation: written },
        ]) {
          const { body } = await posthorn.admin.call(listMessages, { query: { ...query, ...where } })
          assert.deepEqual(
            body.data.map((message) => message.id),
            [id],
          )
        }
      }
      const cancel = async (body: { to: string; instance?: string }) =>
        (await posthorn.admin.call(cancelMessages, { body })).body.canceled
      assert.equal(await cancel({ to: '+49 151 33333333' }), 0)
      assert.equal(await cancel({ to: written, instance: 'trial' }), 1)
      await queue(written)
      assert.equal(await cancel({ to: other }), 1)
    }
  })

  test('a follower whose events are in memory is shown nothing that a forgotten person said', async () => {
    const to = 'gina@replies.sandbox'
    const { body: end } = await posthorn.admin.call(listEvents, { query: { after: 'latest' } })
    const after = end.next_cursor
    const stop = new AbortController()
    const followed = (async () => {
      for await (const _ of posthorn.admin.stream(listEvents, { query: { after }, signal: stop.signal }));
    })().catch(() => {})
    const shown = async () => {
      const { body } = await posthorn.admin.call(listEvents, { query: { after, limit: 100 }, waitSeconds: 1 })
      return JSON.stringify(body.data)
    }
    await answerFrom(to, 'a whispered word')
    await eventually('the words', shown, (events) => events.includes('whispered'))
    await posthorn.admin.call(forgetContact, { params: { name: 'trial', address: to } })
    await eventually(
      'the end of forgetting',
      async () => (await contacts('gina')).length,
      (left) => left === 0,
    )
    await eventually('events without the words', shown, (events) => !events.includes('whispered'))
    stop.abort()
    await followed
  })

  test('reactions do not count', async () => {
    await answerFrom('eve@reacts.sandbox', '👍')
    await becomes('eve@reacts.sandbox', 0)
  })
})
