import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call } from '../../contract/handler.ts'
import type { Operation, ResponseOf } from '../../contract/operation.ts'
import type { listMessages as operation } from '../../contract/operations/message-operations.ts'
import { deliveredMessage } from '../../contract/resources/examples.ts'
import { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import { readCursor, writeCursor } from '../../runtime/text/cursor.ts'
import type { Listed, ListedPart } from '../list/message-list.ts'
import type { MessageOperationsContext } from '../sending/context.ts'
import { listMessages } from './list-messages.ts'

type MessagePage = ResponseOf<typeof operation>['body']

const idAt = (number: number) => `msg_${String(number).padStart(26, '0')}`

/** A store of endless messages, of which one read looks at so many, and of which every so manyth matches. */
function storeOf({ ofRead, one }: { ofRead: number; one: number }) {
  const reads: ListedPart[] = []
  let underWay = 0
  const read = async (_: unknown, part: ListedPart): Promise<Listed> => {
    assert.equal(underWay++, 0, 'searches take turns')
    reads.push(part)
    await new Promise(setImmediate)
    underWay--
    const before = part.before === null ? 10_000_000 : Number(part.before.slice('msg_'.length))
    const from = part.place?.below ?? before
    const data: Listed['data'] = []
    for (let at = from - 1; at >= from - ofRead && data.length < part.limit; at--)
      if (at % one === 0) data.push({ ...deliveredMessage, id: idAt(at) })
    const below = data.length === part.limit ? Number(data.at(-1)?.id.slice(4)) : from - ofRead
    return { data, goOn: { below, downTo: 0, id: idAt(below) }, looked: ofRead, bytes: 0, isFull: false }
  }
  return { reads, read }
}

async function list(
  store: object,
  query: object,
  searches = new FairSemaphore({ limit: 1 }),
): Promise<MessagePage> {
  const context = { store, searches } as unknown as MessageOperationsContext
  const caller = { organizationId: 'org_a', instances: null }
  const reply = await listMessages(context).handle({ caller, query } as unknown as Call<Operation>)
  return (reply as unknown as { body: MessagePage }).body
}

test('a search of what is rare answers after a part of the messages, and the next page goes on there', async () => {
  const store = storeOf({ ofRead: 1_000, one: 700_000 })
  const found: string[] = []
  let cursor: string | null = null
  for (let pages = 1; found.length < 3; pages++) {
    const before: number = store.reads.length
    const page: MessagePage = await list(store, { text: 'rare', ...(cursor && { cursor }) })
    assert.ok(store.reads.length - before <= 30, 'a call looks at no more')
    found.push(...page.data.map(({ id }) => id))
    assert.ok(page.next_cursor !== null)
    assert.ok(
      cursor === null ||
        (readCursor(page.next_cursor, 'string') ?? '') < (readCursor(cursor, 'string') ?? ''),
    )
    cursor = page.next_cursor
    assert.ok(pages < 500)
  }
  assert.deepEqual(found.slice(0, 3), [9_800_000, 9_100_000, 8_400_000].map(idAt))
})

test('a page of what is not so rare takes as many reads as it needs, and ends with its last message', async () => {
  const store = storeOf({ ofRead: 1_000, one: 500 })
  const page = await list(store, { status: 'failed', limit: 5 })
  assert.deepEqual(
    page.data.map(({ id }) => id),
    [9_999_500, 9_999_000, 9_998_500, 9_998_000, 9_997_500].map(idAt),
  )
  assert.equal(page.next_cursor, writeCursor(idAt(9_997_500)))
  assert.equal(store.reads.length, 3)
})

test('searches of several callers take turns, read by read', async () => {
  const store = storeOf({ ofRead: 1_000, one: 700_000 })
  const turns = new FairSemaphore({ limit: 1 })
  await Promise.all(['one', 'two', 'three'].map((text) => list(store, { text }, turns)))
  const first = store.reads.slice(0, 6).map(({ text }) => text)
  assert.deepEqual(first, ['one', 'two', 'three', 'one', 'two', 'three'])
})
