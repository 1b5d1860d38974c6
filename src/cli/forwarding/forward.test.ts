import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { type Client, ProblemError } from '../../contract/client/client.ts'
import { Problem } from '../../contract/problem.ts'
import type { Event } from '../../contract/resources/event.ts'
import { type Published, Unrouted } from './broker.ts'
import { CursorFile } from './cursor-file.ts'
import { type Forwarding, forwardEvents } from './forward.ts'

/* A forwarder between a feed and a broker that fail as they are told, one call after the other. */

const home = mkdtempSync(join(tmpdir(), 'posthorn-forward-'))
after(() => rmSync(home, { recursive: true, force: true }))

const path = join(home, 'cursor')
beforeEach(() => rmSync(path, { force: true }))

const event = (sequence: number) => ({ id: `evt_${sequence}`, sequence }) as Event
const pageOf = (...sequences: number[]) => ({
  data: sequences.map(event),
  next_cursor: `after_${sequences.at(-1)}`,
})
type Page = ReturnType<typeof pageOf>

/** Plays a forwarder until the feed has no further answer; returns the sets of events that the broker got. */
async function play(
  answers: readonly (Page | Problem | Error)[],
  outcomes: readonly (Published | Error)[] = [],
  more: Partial<Forwarding> = {},
): Promise<{ asked: (string | undefined)[]; published: number[][]; connections: number }> {
  const end = new AbortController()
  const feed = [...answers]
  const results = [...outcomes]
  const seen = { asked: [] as (string | undefined)[], published: [] as number[][], connections: 0 }
  const client = {
    async call(_operation: unknown, { query }: { query: { after?: string } }) {
      seen.asked.push(query.after)
      const answer = feed.shift()
      if (answer instanceof Problem) throw new ProblemError('listEvents', answer.body('req_1'), {})
      if (answer instanceof Error) throw answer
      if (!answer) end.abort()
      return { body: answer ?? { data: [], next_cursor: query.after } }
    },
  } as unknown as Client
  const connect = async () => {
    seen.connections++
    return {
      async publish(events: readonly Event[]) {
        seen.published.push(events.map(({ sequence }) => sequence))
        const result = results.shift() ?? { confirmed: events.length }
        if (result instanceof Error) throw result
        return result
      },
      close: async () => {},
    }
  }
  const cursorFile = new CursorFile(path, 'here')
  await forwardEvents({
    client,
    connect,
    cursorFile,
    choice: {},
    fromOldest: true,
    signal: end.signal,
    ...more,
  })
  return seen
}

const cursor = () => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).cursor : undefined)

describe('a forwarder', () => {
  test('publishes page after page, and goes on from its cursor', async () => {
    const { asked, published } = await play([pageOf(1, 2), pageOf(3)])
    assert.deepEqual(asked, [undefined, 'after_2', 'after_3'])
    assert.deepEqual(published, [[1, 2], [3]])
    assert.deepEqual((await play([])).asked, ['after_3'])
  })

  test('begins with new events, and remembers at once where', async () => {
    const { asked } = await play([{ data: [], next_cursor: 'the_end' }], [], { fromOldest: false })
    assert.deepEqual(asked, ['latest', 'the_end'])
    assert.equal(cursor(), 'the_end')
  })

  test('repeats only what was not confirmed, one alone until the broker takes it', async () => {
    const broken = new Error('the connection is gone')
    const { published, connections } = await play(
      [pageOf(1, 2, 3, 4)],
      [
        { confirmed: 1, fault: broken },
        { confirmed: 0, fault: broken },
      ],
    )
    assert.deepEqual(published, [[1, 2, 3, 4], [2], [2], [3, 4]])
    assert.equal(connections, 3)
    assert.equal(cursor(), 'after_4')
  })

  test('keeps its connection while an event has no queue', async () => {
    const { published, connections } = await play(
      [pageOf(1, 2)],
      [{ confirmed: 0, fault: new Unrouted('no queue') }],
    )
    assert.deepEqual(published, [[1, 2], [1], [2]])
    assert.equal(connections, 1)
  })

  test('that ends before the broker has confirmed saves nothing', async () => {
    const end = new AbortController()
    const connect = async () => ({
      publish: () => {
        end.abort()
        return new Promise<Published>(() => {})
      },
      close: () => new Promise<void>(() => {}),
    })
    await play([pageOf(1)], [], { connect, signal: end.signal })
    assert.equal(cursor(), undefined)
  })

  test('waits while the server is away or busy', async () => {
    const { asked } = await play([
      new Error('it does not respond'),
      new Problem('store_unavailable'),
      pageOf(1),
    ])
    assert.deepEqual(asked, [undefined, undefined, undefined, 'after_1'])
  })

  test('goes on at the place that a restored server names', async () => {
    const { asked } = await play([pageOf(9), new Problem('restored', { nextCursor: 'after_5' }), pageOf(6)])
    assert.deepEqual(asked, [undefined, 'after_9', 'after_5', 'after_6'])
  })

  test('ends if events were removed before it read them, and keeps its cursor', async () => {
    await assert.rejects(play([pageOf(1), new Problem('cursor_expired')]), /cursor_expired/)
    assert.equal(cursor(), 'after_1')
  })
})
