import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
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
import { managed, type Peer, play } from '../../../../test/kit/networks/xmpp/scripted-server.ts'
import { openLog } from '../../../runtime/log.ts'

const options = { timeout: 20_000 }

/** A log, and a promise of the first warning in it. */
function watchedLog() {
  const { promise, resolve } = Promise.withResolvers<string>()
  const destination = new Writable({
    write(line: Buffer, _encoding, done) {
      resolve(line.toString())
      done()
    },
  })
  return { log: openLog('warn', destination), warning: promise }
}

for (const [what, page] of [
  ['refuses', (peer: Peer, asked: string) => peer.writes(refusal({ id: asked } as never, 'forbidden'))],
  ['is silent', async () => {}],
  ['answers something else', (peer: Peer, asked: string) => peer.writes(`<iq type='result' id='${asked}'/>`)],
] as const) {
  test(
    `an archive that ${what} holds up nothing, and what came meanwhile is reported`,
    options,
    async (t) => {
      const server = await play(t, async (peer) => {
        await peer.begins(archiveFeatures)
        for (;;) {
          const asked = await isAskedForPage(peer)
          await peer.writes(archived('live', 'archive-10'))
          await page(peer, asked.id)
        }
      })
      const { log, warning } = watchedLog()
      const observed = server.connect({ ...behindSeven, log, timeouts: { archive: 100, close: 100 } })
      await observed.sees('connection-opened')
      await observed.sees('message-received', ({ text }) => text === 'live')
      assert.equal(reported(observed).includes('caught up'), false)
      assert.match(await warning, /archive.*gateway@far\.test|gateway@far\.test.*archive/)
      await observed.close()
    },
  )
}

for (const [what, lead] of [
  ['leads back to where it began', 'archive-7'],
  ['leads nowhere', ''],
] as const) {
  test(`a page that ${what} is the last one`, options, async (t) => {
    const server = await play(t, async (peer) => {
      await peer.begins(archiveFeatures)
      const asked = await isAskedForPage(peer)
      await peer.writes(entry(asked, 'archive-8', forwarded(message('one'))) + ending(asked, lead))
    })
    const observed = server.connect(behindSeven)
    await observed.sees('connection-opened')
    assert.deepEqual(reported(observed), ['one', 'caught up', 'opened'])
    await observed.close()
  })
}

test('a slow archive holds up the opening for a moment only; the rest comes after it', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.begins(archiveFeatures)
    const asked = await isAskedForPage(peer)
    await peer.writes(archived('live', 'archive-10') + entry(asked, 'archive-8', forwarded(message('one'))))
    // The gateway sends while it waits.
    await peer.readsMessage('meanwhile')
    await peer.writes(entry(asked, 'archive-9', forwarded(message('two'))) + ending(asked, null) + last)
  })
  const observed = server.connect({ ...behindSeven, timeouts: { catchUp: 50, close: 100 } })
  await observed.sees('connection-opened')
  observed.send('ana@far.test', 'meanwhile')
  await seesLast(observed)
  await observed.sees('caught-up')
  const order = reported(observed).filter((text) => text !== 'last')
  assert.deepEqual(order, ['one', 'opened', 'two', 'live', 'caught up'])
  await observed.close()
})

test('an archive without an end: as many are read as may be, and the log says so', options, async (t) => {
  const began: string[] = []
  const server = await play(t, async (peer) => {
    await peer.begins(archiveFeatures)
    for (;;) {
      const asked = await isAskedForPage(peer)
      began.push(asked.start)
      const stamp = '2025-01-02T00:00:00Z'
      const entries = Array.from({ length: 1_000 }, (_, index) =>
        entry(asked, `archive-${index}`, forwarded(message('more', 'gateway@far.test/desk'), stamp)),
      )
      await peer.writes(entries.join('') + ending(asked, `page-${began.length}`))
    }
  })
  const { log, warning } = watchedLog()
  const observed = server.connect({ ...behindSeven, log, timeouts: { catchUp: 15_000, close: 100 } })
  await observed.sees('connection-opened')
  // Five pages after the message, then from the time that was reached.
  const stamps = [...Array<string>(5).fill(''), ...Array<string>(5).fill('2025-01-02T00:00:00.000Z')]
  assert.deepEqual(began, stamps)
  assert.match(await warning, /more messages/)
  const marks = Array.from({ length: 10 }, (_, index) => `through page-${index + 1}`)
  assert.deepEqual(reported(observed), [...marks, 'opened'], 'and nobody says that this is all')
  await observed.close()
})

test(
  'the store is away: the connection opens without it, and the archive is read when it is back',
  options,
  async (t) => {
    const server = await play(t, async (peer) => {
      await peer.begins(archiveFeatures)
      await peer.writes(archived('live', 'archive-10'))
      const asked = await isAskedForPage(peer)
      await peer.writes(entry(asked, 'archive-8', forwarded(message('one'))) + ending(asked, null))
    })
    const back = Promise.withResolvers<void>()
    const caughtUp = async () => {
      await back.promise
      return await behindSeven.caughtUp()
    }
    const observed = server.connect({ caughtUp, timeouts: { catchUp: 50, close: 100 } })
    await observed.sees('connection-opened')
    assert.deepEqual(reported(observed), ['opened'])
    back.resolve()
    await observed.sees('caught-up')
    assert.deepEqual(reported(observed), ['opened', 'one', 'live', 'caught up'])
    await observed.close()
  },
)

test('the archive cannot be read: the session that is resumed tries again', options, async (t) => {
  const server = await play(
    t,
    async (peer) => {
      await peer.begins(archiveFeatures)
      for (const _ of [1, 2]) await peer.writes(refusal(await isAskedForPage(peer), 'internal-server-error'))
      await peer.writes(message('last'))
      await peer.reads(/<r [^>]*>/)
      peer.socket.resetAndDestroy()
    },
    async (peer) => {
      await peer.logsIn(managed)
      await peer.reads(/<resume [^>]*>/)
      await peer.writes(`<resumed xmlns='urn:xmpp:sm:3' previd='session-1' h='3'/>`)
      const asked = await isAskedForPage(peer)
      await peer.writes(entry(asked, 'archive-8', forwarded(message('one'))) + ending(asked, null))
    },
  )
  const first = server.connect(behindSeven)
  await seesLast(first)
  await first.sees('connection-opened')
  first.connection.probe()
  const { resumption } = await first.sees('connection-lost')
  assert.deepEqual(reported(first).toSorted(), ['last', 'opened'])
  const second = server.connect({ resumption, ...behindSeven })
  await second.sees('connection-opened')
  assert.deepEqual(reported(second), ['one', 'caught up', 'opened'])
  await second.close()
})
