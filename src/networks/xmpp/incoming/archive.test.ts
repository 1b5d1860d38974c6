import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import {
  archived,
  archiveFeatures,
  behindSeven,
  ending,
  entry,
  forwarded,
  isAskedForPage,
  last,
  message,
  refusal,
  reported,
  seesLast,
} from '../../../../test/kit/networks/xmpp/scripted-archive.ts'
import { managed, play } from '../../../../test/kit/networks/xmpp/scripted-server.ts'
import type { MessageReceived, Observation } from '../../driver/observation.ts'

const options = { timeout: 20_000 }

const { at } = await behindSeven.caughtUp()

function received({ observations }: ObservedConnection): readonly MessageReceived[] {
  return observations.filter((seen) => seen.kind === 'message-received')
}

test(
  'what was missed is read page by page and reported first, then what came meanwhile',
  options,
  async (t) => {
    const asked: string[] = []
    const server = await play(t, async (peer) => {
      await peer.begins(archiveFeatures)
      const first = await isAskedForPage(peer)
      await peer.writes(archived('live', 'archive-10') + entry(first, 'archive-8', forwarded(message('one'))))
      await peer.writes(ending(first, 'archive-8'))
      const second = await isAskedForPage(peer)
      await peer.writes(entry(second, 'archive-9', forwarded(message('two'))) + ending(second, null))
      asked.push(first.after, first.start, second.after, second.start)
    })
    const observed = server.connect(behindSeven)
    await observed.sees('connection-opened')
    assert.deepEqual(reported(observed), ['one', 'through archive-8', 'two', 'live', 'caught up', 'opened'])
    const [one, , live] = received(observed)
    assert.deepEqual(
      received(observed).map((seen) => seen.network_message_id),
      ['archive-8', 'archive-9', 'archive-10'],
    )
    assert.equal(one?.at, Date.UTC(2025, 0, 1, 10))
    assert.ok((live?.at ?? 0) > Date.UTC(2025, 5))
    assert.deepEqual(asked, ['archive-7', '', 'archive-8', ''])
    await observed.close()
  },
)

test('the archive no longer knows the message: read from a time on', options, async (t) => {
  let start = ''
  const server = await play(t, async (peer) => {
    await peer.begins(archiveFeatures)
    await peer.writes(refusal(await isAskedForPage(peer), 'item-not-found'))
    const first = await isAskedForPage(peer)
    assert.equal(first.after, '')
    await peer.writes(entry(first, 'archive-8', forwarded(message('one'))) + ending(first, 'archive-8'))
    const second = await isAskedForPage(peer)
    assert.deepEqual([second.after, second.start], ['archive-8', first.start])
    await peer.writes(ending(second, null))
    start = first.start
  })
  const observed = server.connect(behindSeven)
  await observed.sees('connection-opened')
  assert.deepEqual(reported(observed), ['one', 'through archive-8', 'caught up', 'opened'])
  assert.ok(Date.parse(start) <= at - 60_000 && Date.parse(start) >= at - 3_600_000, start)
  await observed.close()
})

test('a message that no server archived is not asked for: read from a time on', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.begins(archiveFeatures)
    const asked = await isAskedForPage(peer)
    assert.equal(asked.after, '')
    await peer.writes(ending(asked, null))
  })
  const caughtUp = async () => ({ mark: 'sha256-made-here', at })
  const observed = server.connect({ caughtUp })
  await observed.sees('connection-opened')
  await observed.close()
})

test(
  'an instance that was never connected before, or a server without an archive: nothing is read',
  options,
  async (t) => {
    for (const [features, caughtUp] of [
      [archiveFeatures, async () => null],
      [['urn:xmpp:sid:0'], behindSeven.caughtUp],
    ] as const) {
      const server = await play(t, async (peer) => {
        await peer.begins(features)
        await peer.writes(`<iq type='get' id='p1' from='far.test'><ping xmlns='urn:xmpp:ping'/></iq>`)
        const said = await peer.reads(/<iq [^>]*id="p1"[^>]*>/)
        await peer.writes(message(said.includes('mam') ? 'asked' : 'last'))
      })
      const observed = server.connect({ caughtUp })
      await seesLast(observed)
      assert.deepEqual(reported(observed).toSorted(), ['caught up', 'last', 'opened'])
      await observed.close()
    }
  },
)

test(
  'what waits is bounded: the archive is read again for the rest, and all comes in order',
  options,
  async (t) => {
    const live = Array.from({ length: 1_001 }, (_, index) => `live-${index}`)
    const server = await play(t, async (peer) => {
      await peer.begins(archiveFeatures)
      const asked = await isAskedForPage(peer)
      await peer.writes(live.map((text) => archived(text, text)).join(''))
      await peer.writes(entry(asked, 'archive-8', forwarded(message('one'))) + ending(asked, null))
      const again = await isAskedForPage(peer)
      await peer.writes(live.map((text) => entry(again, text, forwarded(message(text)))).join(''))
      await peer.writes(ending(again, null) + last)
    })
    const observed = server.connect({ ...behindSeven, timeouts: { catchUp: 15_000, close: 100 } })
    await seesLast(observed)
    await observed.sees('connection-opened')
    const texts = reported(observed)
    assert.deepEqual(texts.slice(0, 1_002), ['one', ...live])
    assert.deepEqual(texts.slice(1_002).toSorted(), ['caught up', 'last', 'opened'])
    await observed.close()
  },
)

test(
  'the line is cut while the archive is read: it is read anew on the resumed stream',
  options,
  async (t) => {
    const server = await play(
      t,
      async (peer) => {
        await peer.begins(archiveFeatures)
        const asked = await isAskedForPage(peer)
        await peer.writes(
          archived('live', 'archive-10') + entry(asked, 'archive-8', forwarded(message('one'))),
        )
        await peer.writes(`<r xmlns='urn:xmpp:sm:3'/>`)
        await peer.reads(/<a [^>]*>/)
        peer.socket.resetAndDestroy()
      },
      async (peer) => {
        await peer.logsIn(managed)
        await peer.reads(/<resume [^>]*>/)
        await peer.writes(`<resumed xmlns='urn:xmpp:sm:3' previd='session-1' h='1'/>`)
        for (;;) {
          const asked = await isAskedForPage(peer)
          // The question of the connection before is sent again, too; this connection did not ask for the entries that
          // answer it.
          if (asked.after === 'archive-7')
            await peer.writes(entry(asked, 'archive-8', forwarded(message('stale'))))
          else {
            const two = entry(asked, 'archive-9', forwarded(message('two')))
            await peer.writes(
              `${two}${entry(asked, 'archive-10', forwarded(message('live')))}${ending(asked, null)}`,
            )
          }
        }
      },
    )
    const first = server.connect(behindSeven)
    const { resumption } = await first.sees('connection-lost')
    assert.deepEqual(reported(first), ['one'])
    const second = server.connect({
      resumption,
      caughtUp: async () => ({ mark: 'archive-8', at }),
    })
    await second.sees('connection-opened')
    assert.deepEqual(reported(second), ['two', 'live', 'caught up', 'opened'])
    await second.close()
  },
)

test(
  'no more is read than can be kept: the next page is asked for when the one before is',
  options,
  async (t) => {
    let pages = 0
    const server = await play(t, async (peer) => {
      await peer.begins(archiveFeatures)
      for (const id of ['archive-8', 'archive-9', null]) {
        const asked = await isAskedForPage(peer)
        pages += 1
        await peer.writes(
          entry(asked, `archive-${7 + pages}`, forwarded(message(`page ${pages}`))) + ending(asked, id),
        )
      }
    })
    const waiting: (() => void)[] = []
    const isStored = async ({ kind }: Observation) => {
      if (kind === 'message-received') await new Promise<void>((kept) => waiting.push(kept))
      return true
    }
    const observed = server.connect({ ...behindSeven, isStored })
    for (const [page, through] of [
      [1, 'archive-8'],
      [2, 'archive-9'],
    ] as const) {
      await observed.sees('caught-up', (seen) => seen.through === through)
      while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
      // In this time, the server would have answered with another page.
      await new Promise((resolve) => setTimeout(resolve, 100))
      assert.deepEqual([pages, waiting.length], [page, 1])
      waiting.pop()?.()
    }
    await observed.sees('caught-up', (seen) => seen.through === null)
    assert.equal(pages, 3)
    await observed.close()
  },
)

test(
  'of what the account sent, only what is as late as the mark may be without an answer',
  options,
  async (t) => {
    const own = (id: string, inside = '') =>
      `<message xmlns='jabber:client' from='gateway@far.test/posthorn' to='ana@far.test' type='chat' id='${id}'><body>x</body>${inside}</message>`
    const server = await play(t, async (peer) => {
      await peer.begins(archiveFeatures)
      const asked = await isAskedForPage(peer)
      const entries = [
        entry(asked, 'a1', forwarded(own('long-before'), '2024-12-31T23:00:00Z')),
        entry(asked, 'a2', forwarded(own('just-before'), '2024-12-31T23:59:00Z')),
        entry(asked, 'a3', forwarded(own('after'), '2025-01-01T00:10:00Z')),
        entry(asked, 'a4', forwarded(own('not plain'), '2025-01-01T00:10:00Z')),
        entry(asked, 'a5', forwarded(own('timeless'), 'never')),
      ]
      await peer.writes(entries.join('') + ending(asked, null))
    })
    const observed = server.connect(behindSeven)
    await observed.sees('connection-opened')
    const proven = observed.observations.flatMap((seen) =>
      seen.kind === 'message-acknowledged' ? [seen.network_message_id] : [],
    )
    assert.deepEqual(proven, ['just-before', 'after'])
    await observed.close()
  },
)
