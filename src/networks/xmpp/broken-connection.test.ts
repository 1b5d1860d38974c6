import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { startTcpProxy, type TcpProxy } from '../../../test/kit/far-ends/tcp-proxy.ts'
import { ObservedConnection } from '../../../test/kit/networks/observed-connection.ts'
import { XmppPerson } from '../../../test/kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../../test/kit/networks/xmpp/prosody.ts'
import type { Resumption } from '../driver/abilities/resumption.ts'
import { type XmppOptions, xmpp } from './driver.ts'

/**
 * The gateway speaks to the server through a proxy that can hold back either direction, reset the connection or go
 * silent; the recipient is connected directly, and what she sees is the truth.
 */
describe('a connection that breaks', { ...needsProsody, timeout: 60_000 }, () => {
  let server: Prosody
  let ana: XmppPerson
  let proxy: TcpProxy
  before(async () => {
    server = await startProsody({ starttls: 'off' })
    await server.createUser('gateway', 'gateway-secret')
    await server.createUser('ana', 'ana-secret')
  })
  after(() => server.remove())
  beforeEach(async () => {
    proxy = await startTcpProxy(server)
    ana = await XmppPerson.login(server, 'ana', 'ana-secret')
  })
  afterEach(async () => {
    await proxy.stop()
    await ana.leave()
  })

  function connect(
    options: XmppOptions = {},
    resumption?: Resumption,
    port = proxy.port,
  ): ObservedConnection {
    const address = server.address('gateway')
    const service = `xmpp://127.0.0.1:${port}`
    const settings = { address, service, allow_plaintext: true }
    return new ObservedConnection(xmpp(options), {
      settings,
      credentials: { password: 'gateway-secret' },
      resumption,
    })
  }

  async function open(options: XmppOptions = {}, resumption?: Resumption): Promise<ObservedConnection> {
    const observed = connect(options, resumption)
    await observed.sees('connection-opened')
    return observed
  }

  const bodies = () => ana.arrivals.map(({ body }) => body)

  test('the server received, its word was lost: resumed, accepted, and nothing doubled', async () => {
    const first = await open()
    proxy.hold('to-client')
    const sendings = ['one', 'two', 'three'].map((text) => first.send(ana.address, text))
    await ana.receives(({ body }) => body === 'three')
    proxy.cut()
    const lost = await first.sees('connection-lost')
    assert.equal(lost.reason.code, 'connection_reset')
    assert.ok(lost.resumption)
    assert.deepEqual(
      sendings.map(({ settled }) => settled),
      [null, null, null],
    )
    const second = await open({}, lost.resumption)
    for (const { outcome } of sendings) assert.deepEqual(await outcome, { kind: 'accepted' })
    await second.send(ana.address, 'after').outcome
    await ana.receives(({ body }) => body === 'after')
    assert.deepEqual(bodies(), ['one', 'two', 'three', 'after'])
    await second.close()
  })

  test('the server did not receive: resumed, sent again with the same id, and nothing lost', async () => {
    const first = await open()
    proxy.hold('to-server')
    const sendings = ['one', 'two', 'three'].map((text) => first.send(ana.address, text))
    await proxy.sees('to-server', /three/)
    proxy.cut()
    const lost = await first.sees('connection-lost')
    assert.deepEqual(bodies(), [])
    const second = await open({}, lost.resumption)
    for (const { outcome } of sendings) assert.deepEqual(await outcome, { kind: 'accepted' })
    await ana.receives(({ body }) => body === 'three')
    assert.deepEqual(bodies(), ['one', 'two', 'three'])
    assert.deepEqual(
      ana.arrivals.map(({ id, originId }) => [id, originId]),
      sendings.map(({ id }) => [id, id]),
    )
    await second.close()
  })

  test('the server received some: resumed, the others sent, in order and each once', async () => {
    const first = await open()
    proxy.hold('to-client')
    const received = ['one', 'two', 'three'].map((text) => first.send(ana.address, text))
    await ana.receives(({ body }) => body === 'three')
    proxy.hold('to-client', 'to-server')
    const lostOnes = ['four', 'five'].map((text) => first.send(ana.address, text))
    await proxy.sees('to-server', /five/)
    proxy.cut()
    const lost = await first.sees('connection-lost')
    const second = await open({}, lost.resumption)
    for (const { outcome } of [...received, ...lostOnes])
      assert.deepEqual(await outcome, { kind: 'accepted' })
    await ana.receives(({ body }) => body === 'five')
    assert.deepEqual(bodies(), ['one', 'two', 'three', 'four', 'five'])
    await second.close()
  })

  test('cut again and again under load: every message once, in order, and accepted', async () => {
    const texts = Array.from({ length: 200 }, (_, index) => `load ${index}`)
    let observed = await open()
    const sendings = []
    for (const [index, text] of texts.entries()) {
      const sending = observed.send(ana.address, text)
      sendings.push(sending)
      if (index % 40 === 17) {
        // Let one direction stall now and then, so that the cut finds stanzas and acknowledgements on the way.
        proxy.hold(index % 80 === 17 ? 'to-client' : 'to-server')
      }
      if (index % 40 === 23) {
        await proxy.sees('to-server', new RegExp(`load ${index}<`))
        proxy.cut()
        const lost = await observed.sees('connection-lost')
        observed = await open({}, lost.resumption)
      }
      if (index % 7 === 0 && index % 40 < 17) await sending.outcome
    }
    for (const { outcome } of sendings) assert.deepEqual(await outcome, { kind: 'accepted' })
    await ana.receives(({ body }) => body === texts.at(-1))
    assert.deepEqual(bodies(), texts)
    await observed.close()
  })

  test('what was written to us meanwhile comes once after the resumption', async () => {
    const first = await open()
    await ana.says(server.address('gateway'), 'before the cut', 'before')
    await first.sees('message-received', ({ text }) => text === 'before the cut')
    proxy.hold('to-client')
    await ana.says(server.address('gateway'), 'into the void', 'void')
    await proxy.sees('to-client', /into the void/)
    proxy.cut()
    const lost = await first.sees('connection-lost')
    const second = await open({}, lost.resumption)
    await second.sees('message-received', ({ text }) => text === 'into the void')
    await ana.says(server.address('gateway'), 'afterwards', 'after')
    await second.sees('message-received', ({ text }) => text === 'afterwards')
    const texts = [...first.observations, ...second.observations].flatMap((seen) =>
      seen.kind === 'message-received' ? [seen.text] : [],
    )
    assert.deepEqual(texts, ['before the cut', 'into the void', 'afterwards'])
    await second.close()
  })

  test('nobody connects again: abandoned, what was under way is uncertain', async () => {
    const observed = await open()
    proxy.hold('to-client')
    const sending = observed.send(ana.address, 'who knows')
    await ana.receives(({ body }) => body === 'who knows')
    proxy.cut()
    const lost = await observed.sees('connection-lost')
    assert.equal(sending.settled, null)
    lost.resumption?.abandon()
    assert.equal((await sending.outcome).kind, 'uncertain')
    lost.resumption?.abandon()
  })

  test('the server is killed: the resumption is handed on until the server is back, then uncertain', async () => {
    const first = await open()
    proxy.hold('to-client')
    const sending = first.send(ana.address, 'last words')
    await ana.receives(({ body }) => body === 'last words')
    await server.kill()
    proxy.cut()
    const lost = await first.sees('connection-lost')
    const second = connect({}, lost.resumption, server.port)
    const lostAgain = await second.sees('connection-lost')
    assert.equal(lostAgain.reason.code, 'server_unreachable')
    assert.equal(lostAgain.resumption, lost.resumption)
    assert.equal(sending.settled, null)
    await server.start()
    const third = await open({}, lostAgain.resumption)
    assert.equal((await sending.outcome).kind, 'uncertain')
    assert.deepEqual(await third.send(server.address('gateway'), 'still works').outcome, { kind: 'accepted' })
    await third.close()
  })

  test('a half-open connection fails its probe within the limit', async () => {
    const observed = await open({ timeouts: { probe: 250 } })
    observed.connection.probe()
    await observed.sees('connection-verified')
    proxy.hold('to-client', 'to-server')
    const asked = performance.now()
    observed.connection.probe()
    const lost = await observed.sees('connection-lost')
    assert.equal(lost.reason.code, 'probe_timeout')
    const waited = performance.now() - asked
    assert.ok(waited >= 240 && waited < 2_000, `waited ${waited} ms`)
  })

  test('a half-open connection does not hold a message for ever, nor lose it', async () => {
    const first = await open({ timeouts: { acknowledgement: 250 } })
    proxy.hold('to-client', 'to-server')
    const sending = first.send(ana.address, 'into silence')
    const lost = await first.sees('connection-lost')
    assert.equal(lost.reason.code, 'acknowledgement_timeout')
    proxy.cut()
    const second = await open({}, lost.resumption)
    assert.deepEqual(await sending.outcome, { kind: 'accepted' })
    await ana.receives(({ body }) => body === 'into silence')
    assert.deepEqual(bodies(), ['into silence'])
    await second.close()
  })

  test('closing waits for the server’s last word on what is under way', async () => {
    const observed = await open()
    proxy.hold('to-client')
    const sending = observed.send(ana.address, 'just in time')
    await ana.receives(({ body }) => body === 'just in time')
    const closed = observed.close()
    proxy.release()
    await closed
    assert.deepEqual(await sending.outcome, { kind: 'accepted' })
  })

  test('closing a half-open connection gives up in time, and what was under way is uncertain', async () => {
    const observed = await open({ timeouts: { close: 200 } })
    proxy.hold('to-client', 'to-server')
    const sending = observed.send(ana.address, 'never mind')
    await observed.close()
    assert.equal((await sending.outcome).kind, 'uncertain')
  })

  for (const [way, end] of [
    ['close', (observed: ObservedConnection) => observed.close()],
    ['abort', async (observed: ObservedConnection) => observed.abort.abort()],
  ] as const) {
    test(`after ${way} nothing more is reported, whatever happens`, async () => {
      const observed = await open({ timeouts: { close: 200, probe: 50 } })
      const said = observed.observations.length
      const ended = end(observed)
      await ana.says(server.address('gateway'), 'hello?', 'late')
      proxy.cut()
      observed.connection.probe()
      await ended
      await observed.close()
      assert.equal(observed.observations.length, said)
      // The account is free at the server: a new login replaces no session and hears what came in between.
      const next = await open()
      await next.close()
      assert.equal(observed.observations.length, said)
    })
  }

  test('a connection that is closed while it is being opened says nothing at all', async () => {
    proxy.hold('to-client')
    const observed = connect()
    await proxy.sees('to-server', /<stream:stream/)
    await observed.close()
    assert.deepEqual(observed.observations, [])
  })
})
