import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listConversations } from '../../../src/contract/operations/conversation-operations.ts'
import { markMessageRead } from '../../../src/contract/operations/message-operations.ts'
import type { Conversation } from '../../../src/contract/resources/conversation.ts'
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

  test('reactions do not count', async () => {
    await answerFrom('eve@reacts.sandbox', '👍')
    await becomes('eve@reacts.sandbox', 0)
  })
})
