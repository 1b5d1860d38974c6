import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { bind, managed, play } from '../../../../test/kit/networks/xmpp/scripted-server.ts'

const options = { timeout: 20_000 }

test(
  'will not resume, tells how far it was and has no archive: counted, and not accepted',
  options,
  async (t) => {
    const server = await play(
      t,
      async (peer) => {
        await peer.begins()
        await peer.readsMessage('two')
        peer.socket.resetAndDestroy()
      },
      async (peer) => {
        await peer.logsIn(managed)
        const resume = await peer.reads(/<resume [^>]*>/)
        assert.match(resume, /previd="session-1"/)
        // The presence and the first message.
        await peer.writes(
          `<failed xmlns='urn:xmpp:sm:3' h='2'><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>`,
        )
        await peer.binds()
        await peer.reads(/<enable [^>]*>/)
        await peer.writes(`<enabled xmlns='urn:xmpp:sm:3' id='session-2' resume='true'/>`)
      },
    )
    const first = server.connect()
    await first.sees('connection-opened')
    const one = first.send('ana@far.test', 'one')
    const two = first.send('ana@far.test', 'two')
    const { resumption } = await first.sees('connection-lost')
    const second = server.connect({ resumption })
    await second.sees('connection-opened')
    const [counted, behind] = [await one.outcome, await two.outcome]
    assert.ok(counted.kind === 'uncertain' && counted.counted)
    assert.ok(behind.kind === 'uncertain' && !behind.counted)
    await second.close()
  },
)

test(
  'can no longer resume at all: what was under way is uncertain, and a new session begins',
  options,
  async (t) => {
    const server = await play(
      t,
      async (peer) => {
        await peer.begins()
        await peer.readsMessage('one')
        peer.socket.resetAndDestroy()
      },
      async (peer) => {
        await peer.logsIn(bind)
        await peer.binds()
      },
    )
    const first = server.connect()
    await first.sees('connection-opened')
    const one = first.send('ana@far.test', 'one')
    const { resumption } = await first.sees('connection-lost')
    const second = server.connect({ resumption })
    await second.sees('connection-opened')
    assert.equal((await one.outcome).kind, 'uncertain')
    await second.close()
  },
)

test('acknowledges what was never sent: lost for good, and uncertain', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.begins()
    await peer.readsMessage('one')
    await peer.writes(`<a xmlns='urn:xmpp:sm:3' h='17'/>`)
  })
  const observed = server.connect()
  await observed.sees('connection-opened')
  const one = observed.send('ana@far.test', 'one')
  const lost = await observed.sees('connection-lost')
  assert.equal(lost.reason.code, 'acknowledgement_out_of_range')
  assert.equal(lost.resumption, undefined)
  assert.equal((await one.outcome).kind, 'uncertain')
})

test('ends the stream over something we sent: not sent again on a resumed one', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.begins()
    await peer.readsMessage('too much')
    await peer.writes(
      `<stream:error><policy-violation xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>`,
    )
  })
  const observed = server.connect()
  await observed.sees('connection-opened')
  const sending = observed.send('ana@far.test', 'too much')
  const lost = await observed.sees('connection-lost')
  assert.equal(lost.reason.code, 'policy_violation')
  assert.equal(lost.resumption, undefined)
  assert.equal((await sending.outcome).kind, 'uncertain')
})

test('refuses for now: deferred, and nothing was delivered', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.begins()
    const id = /id="([^"]+)"/.exec(await peer.readsMessage('busy\\?'))?.[1]
    await peer.writes(
      `<message type='error' id='${id}' from='ana@far.test'><error type='wait'>` +
        `<resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message><a xmlns='urn:xmpp:sm:3' h='2'/>`,
    )
  })
  const observed = server.connect()
  await observed.sees('connection-opened')
  const before = Date.now()
  const outcome = await observed.send('ana@far.test', 'busy?').outcome
  assert.ok(outcome.kind === 'deferred')
  assert.equal(outcome.error.code, 'rate_limited')
  assert.ok(outcome.until >= before + 60_000)
  await observed.close()
})

test(
  'passes on errors of strangers, warnings and forged ids: none of them settles a message',
  options,
  async (t) => {
    const server = await play(t, async (peer) => {
      await peer.begins()
      const id = /id="([^"]+)"/.exec(await peer.readsMessage('mine'))?.[1]
      const gone = `<gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>`
      await peer.writes(
        `<message type='error' id='${id}' from='mallory@evil.test/x'><error type='cancel'>${gone}</error></message>` +
          `<message type='error' id='${id}' from='ana@far.test'><error type='continue'>${gone}</error></message>` +
          `<iq type='result' id='ack-1' from='mallory@evil.test/x'/>` +
          `<message from='ana@far.test/x' id='last' type='chat'><body>done</body></message>`,
      )
      await peer.reads(/<r [^>]*\/>/)
      await peer.writes(`<a xmlns='urn:xmpp:sm:3' h='2'/>`)
    })
    const observed = server.connect()
    await observed.sees('connection-opened')
    const mine = observed.send('ana@far.test', 'mine')
    await observed.sees('message-received', ({ text }) => text === 'done')
    assert.equal(mine.settled, null)
    observed.connection.probe()
    assert.deepEqual(await mine.outcome, { kind: 'accepted' })
    assert.equal(observed.kinds().includes('message-returned'), false)
    await observed.close()
  },
)

test('has no stream management, and strangers answer the ping: not believed', options, async (t) => {
  const server = await play(t, async (peer) => {
    await peer.logsIn(bind)
    await peer.binds()
    await peer.readsMessage('mine')
    await peer.reads(/<iq [^>]*id="ack-1".*?<\/iq>/)
    await peer.writes(
      `<iq type='result' id='ack-1' from='mallory@evil.test/x'/>` +
        `<message from='ana@far.test/x' id='last' type='chat'><body>done</body></message>`,
    )
    await peer.reads(/<iq [^>]*id="ack-1".*?<\/iq>/)
    await peer.writes(`<iq type='error' id='ack-1' from='far.test'><error type='cancel'/></iq>`)
  })
  const observed = server.connect()
  await observed.sees('connection-opened')
  const mine = observed.send('ana@far.test', 'mine')
  await observed.sees('message-received', ({ text }) => text === 'done')
  assert.equal(mine.settled, null)
  observed.connection.probe()
  assert.deepEqual(await mine.outcome, { kind: 'accepted' })
  await observed.close()
})

test(
  'refuses a message and acknowledges nothing: nothing waits, so nothing is missing',
  options,
  async (t) => {
    const server = await play(t, async (peer) => {
      await peer.begins()
      const id = /id="([^"]+)"/.exec(await peer.readsMessage('one'))?.[1]
      await peer.writes(
        `<message type='error' id='${id}' from='ana@far.test'><error type='cancel'>` +
          `<gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>`,
      )
      // Twice as long as an acknowledgement may take.
      await setTimeout(200)
      await peer.writes(
        `<message from='ana@far.test/x' id='m' type='chat'><body>still here?</body></message>`,
      )
      // The message after that is not answered at all.
    })
    const observed = server.connect({ timeouts: { acknowledgement: 100, close: 100 } })
    await observed.sees('connection-opened')
    assert.equal((await observed.send('ana@far.test', 'one').outcome).kind, 'rejected')
    await observed.sees('message-received', ({ text }) => text === 'still here?')
    const two = observed.send('ana@far.test', 'two')
    const lost = await observed.sees('connection-lost')
    assert.equal(lost.reason.code, 'acknowledgement_timeout')
    lost.resumption?.abandon()
    assert.equal((await two.outcome).kind, 'uncertain')
  },
)
