import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Operation } from '../../../src/contract/operation.ts'
import { listConversations } from '../../../src/contract/operations/conversation-operations.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import { createInstance, listInstances } from '../../../src/contract/operations/instance-operations.ts'
import { createKey, listKeys } from '../../../src/contract/operations/key-operations.ts'
import { listMessages } from '../../../src/contract/operations/message-operations.ts'
import { createWebhook, listWebhooks } from '../../../src/contract/operations/webhook-operations.ts'
import { text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* An organization stores what is as long as it may be, and lists it with the highest limit. */

const most = 1_000_000
/** In JSON, each of these characters takes six bytes. */
const escaped = '\u0001'.repeat(4096)
const wide = '字'
const labels = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [wide.repeat(60) + index, wide.repeat(500)]),
)
const names = Array.from({ length: 200 }, (_, index) => `${'n'.repeat(60)}${index}`.slice(0, 63))

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn({ environment: { POSTHORN_WEBHOOK_LIMIT: 'off' } })
  await posthorn.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
})

after(() => posthorn.stop())

interface Listed {
  readonly data: readonly unknown[]
  readonly next_cursor: string | null
}

/** Reads every page, and returns what was on each. No page is too long or empty. */
async function allPages(operation: Operation, cursorName = 'cursor'): Promise<unknown[][]> {
  const pages: unknown[][] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 200, ...(cursor === undefined ? {} : { [cursorName]: cursor }) }
    const { body } = await posthorn.admin.call(operation, { query } as never)
    const { data, next_cursor } = body as unknown as Listed
    const isEndOfFeed = cursorName === 'after' && data.length === 0
    if (isEndOfFeed) return pages
    assert.ok(data.length > 0, 'every page has something')
    const bytes = Buffer.byteLength(JSON.stringify(body))
    assert.ok(bytes < most * 1.02, `a page of ${data.length} has ${bytes} bytes`)
    pages.push([...data])
    cursor = next_cursor
  }
  return pages
}

/** Returns the names of all entries; each is there once, on several pages. */
async function allOf(operation: Operation, nameOf: (entry: never) => unknown, cursorName?: string) {
  const pages = await allPages(operation, cursorName)
  const entries = pages.flat().map((entry) => nameOf(entry as never))
  assert.equal(new Set(entries).size, entries.length, 'nothing is listed twice')
  assert.ok(pages.length > 1, 'all of it would be too long for a page')
  return entries
}

describe('a page is never much longer than a megabyte, and the lists are whole', () => {
  test('of messages, conversations and events', async () => {
    const sent: string[] = []
    for (let index = 0; index < 90; index += 30) {
      const send = (_: unknown, at: number) =>
        text(posthorn.admin, { instance: 'trial', to: `r${index + at}@accepts.sandbox`, text: escaped })
      sent.push(...(await Promise.all(Array.from({ length: 30 }, send))).map(({ id }) => id))
    }
    const ids = new Set(sent)
    const idOf = ({ id }: { id: string }) => id
    assert.deepEqual(new Set(await allOf(listMessages, idOf)), ids)
    const last = ({ last_message: message }: { last_message: { id: string } }) => message.id
    assert.deepEqual(new Set(await allOf(listConversations, last)), ids)
    const numbers = (await allOf(
      listEvents,
      ({ sequence }: { sequence: number }) => sequence,
      'after',
    )) as number[]
    assert.deepEqual(
      numbers,
      Array.from({ length: numbers.length }, (_, index) => index + 1),
      'no event is left out',
    )
  })

  test('of instances with many labels', async () => {
    const create = (_: unknown, index: number) =>
      posthorn.admin.call(createInstance, { body: { name: `labelled-${index}`, metadata: labels } })
    await Promise.all(Array.from({ length: 60 }, create))
    const listed = await allOf(listInstances, ({ name }: { name: string }) => name)
    assert.equal(listed.length, 61)
    assert.deepEqual(listed, listed.toSorted())
  })

  test('of keys and webhooks for many instances', async () => {
    for (let index = 0; index < 90; index++)
      await posthorn.admin.call(createKey, { body: { role: 'read', name: 'one', instances: names } })
    assert.equal((await allOf(listKeys, ({ id }: { id: string }) => id)).length, 91)
    for (let index = 0; index < 90; index++) {
      const url = `https://example.org/${index}`
      await posthorn.admin.call(createWebhook, { body: { url, instances: names } })
    }
    assert.equal((await allOf(listWebhooks, ({ id }: { id: string }) => id)).length, 90)
  })
})
