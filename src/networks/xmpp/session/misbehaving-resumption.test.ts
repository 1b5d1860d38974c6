import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Asked,
  archiveFeatures,
  behindSeven,
  ending,
  entry,
  forwarded,
  isAskedForPage,
  message,
  refusal,
} from '../../../../test/kit/networks/xmpp/scripted-archive.ts'
import { managed, type Peer, play } from '../../../../test/kit/networks/xmpp/scripted-server.ts'
import type { Outcome } from '../../driver/outcome.ts'

/*
 * A server ends a session, and tells afterwards how many stanzas of it it had received. It may have been about to stop, and have
 * done nothing with them: its archive decides.
 */

const options = { timeout: 20_000 }
const timeouts = { archive: 200, close: 100 }

/** Takes a message in a session that it files messages in, and cuts the line without a word about it. */
async function takesOne(peer: Peer): Promise<void> {
  await peer.begins(archiveFeatures)
  await peer.writes(ending(await isAskedForPage(peer), null))
  await peer.readsMessage('one')
  peer.socket.resetAndDestroy()
}

/** Refuses to go on with that session, counts the presence, the question to its archive, and the message, and begins another. */
async function counts(peer: Peer): Promise<void> {
  await peer.logsIn(managed)
  await peer.reads(/<resume [^>]*>/)
  await peer.writes(`<failed xmlns='urn:xmpp:sm:3' h='3'/>`)
  await peer.binds(archiveFeatures)
  await peer.reads(/<enable [^>]*>/)
  await peer.writes(`<enabled xmlns='urn:xmpp:sm:3' id='session-2' resume='true'/>`)
  await peer.reads(/<presence>.*?<\/presence>/)
}

/** A message of the account itself, as its archive has it. */
function own(id: string): string {
  const stamp = new Date().toISOString()
  return forwarded(message('one', 'gateway@far.test/posthorn').replace('sent-one', id), stamp)
}

async function lives(t: Parameters<typeof play>[0], ...after: ((peer: Peer, id: string) => Promise<void>)[]) {
  let id = ''
  const parts = after.map((part) => (peer: Peer) => part(peer, id))
  const server = await play(t, takesOne, ...parts)
  const first = server.connect({ ...behindSeven, timeouts })
  await first.sees('connection-opened')
  const one = first.send('ana@far.test', 'one')
  id = one.id
  const { resumption } = await first.sees('connection-lost')
  return { server, one, resumption }
}

function isCounted(outcome: Outcome): boolean {
  return outcome.kind === 'uncertain' && outcome.counted === true
}

test('the archive has it: accepted, before the connection opens', options, async (t) => {
  const { server, one, resumption } = await lives(t, async (peer, id) => {
    await counts(peer)
    const asked = await isAskedForPage(peer)
    await peer.writes(entry(asked, 'archive-8', own(id)) + ending(asked, null))
    await peer.writes(ending(await isAskedForPage(peer), null))
  })
  const second = server.connect({ ...behindSeven, resumption, timeouts })
  await second.sees('connection-opened')
  assert.deepEqual(one.settled, { kind: 'accepted' })
  await second.close()
})

test('it is searched for from the latest entry on, page by page', options, async (t) => {
  const asked: Asked[] = []
  const { server, one, resumption } = await lives(t, async (peer, id) => {
    await counts(peer)
    const latest = await isAskedForPage(peer)
    const first = `<first index='4'>archive-20</first>`
    await peer.writes(ending(latest, 'archive-29').replace('<last>', `${first}<last>`))
    const earlier = await isAskedForPage(peer)
    await peer.writes(entry(earlier, 'archive-19', own(id)) + ending(earlier, null))
    asked.push(latest, earlier)
    await peer.writes(ending(await isAskedForPage(peer), null))
  })
  const second = server.connect({ ...behindSeven, resumption, timeouts })
  assert.deepEqual(await one.outcome, { kind: 'accepted' })
  assert.deepEqual(
    asked.map(({ before }) => before),
    ['', 'archive-20'],
  )
  await second.sees('connection-opened')
  await second.close()
})

for (const [what, answers] of [
  ['lacks it', (asked: Asked) => ending(asked, null)],
  ['refuses to tell', (asked: Asked) => refusal(asked, 'forbidden')],
  [
    'has one that somebody else wrote',
    (asked: Asked) => entry(asked, 'archive-8', forwarded(message('one'))),
  ],
  ['is silent', () => ''],
] as const) {
  test(`the archive ${what}: counted, and not accepted`, options, async (t) => {
    const { server, one, resumption } = await lives(t, async (peer) => {
      await counts(peer)
      const asked = await isAskedForPage(peer)
      await peer.writes(answers(asked))
      if (what.startsWith('has')) await peer.writes(ending(asked, null))
      await peer.writes(ending(await isAskedForPage(peer), null))
    })
    const second = server.connect({ ...behindSeven, resumption, timeouts })
    await second.sees('connection-opened')
    assert.ok(one.settled && isCounted(one.settled))
    await second.close()
  })
}

test('the line breaks while the archive is asked: the next connection asks it again', options, async (t) => {
  const { server, one, resumption } = await lives(
    t,
    async (peer) => {
      await counts(peer)
      await isAskedForPage(peer)
      peer.socket.resetAndDestroy()
    },
    async (peer, id) => {
      await peer.logsIn(managed)
      await peer.reads(/<resume [^>]*>/)
      await peer.writes(`<failed xmlns='urn:xmpp:sm:3'/>`)
      await peer.binds(archiveFeatures)
      await peer.reads(/<enable [^>]*>/)
      await peer.writes(`<enabled xmlns='urn:xmpp:sm:3' id='session-3' resume='true'/>`)
      const asked = await isAskedForPage(peer)
      await peer.writes(entry(asked, 'archive-8', own(id)) + ending(asked, null))
      await peer.writes(ending(await isAskedForPage(peer), null))
    },
  )
  const second = server.connect({ ...behindSeven, resumption, timeouts })
  const lost = await second.sees('connection-lost')
  assert.equal(one.settled, null)
  const third = server.connect({ ...behindSeven, resumption: lost.resumption, timeouts })
  assert.deepEqual(await one.outcome, { kind: 'accepted' })
  await third.sees('connection-opened')
  await third.close()
})

test('while the archive is asked, the message is not handed over again', options, async (t) => {
  const handedOver: string[] = []
  const { server, one, resumption } = await lives(t, async (peer) => {
    await counts(peer)
    const asked = await isAskedForPage(peer)
    // The gateway sends while it waits.
    handedOver.push(await peer.readsMessage('two'))
    await peer.writes(ending(asked, null))
    await peer.writes(ending(await isAskedForPage(peer), null))
  })
  const slow = { ...timeouts, archive: 10_000, catchUp: 10 }
  const second = server.connect({ ...behindSeven, resumption, timeouts: slow })
  await second.sees('connection-opened')
  const repeated = second.connection.send(one.message, 2)
  second.send('ana@far.test', 'two')
  assert.ok(isCounted(await repeated))
  assert.ok(isCounted(await one.outcome))
  assert.equal(handedOver.join('').includes(one.id), false)
  await second.close()
})

test('nobody follows the connection: counted', options, async (t) => {
  const { server, one, resumption } = await lives(t, async (peer) => {
    await counts(peer)
    await isAskedForPage(peer)
    peer.socket.resetAndDestroy()
  })
  const second = server.connect({ ...behindSeven, resumption, timeouts })
  const lost = await second.sees('connection-lost')
  lost.resumption?.abandon()
  assert.ok(isCounted(await one.outcome))
})
