import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTcpProxy } from '../../../../test/kit/far-ends/tcp-proxy.ts'
import { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { XmppPerson } from '../../../../test/kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../../../test/kit/networks/xmpp/prosody.ts'
import { xmpp } from '../driver.ts'

describe('messages to a person at a real server', { ...needsProsody, timeout: 60_000 }, () => {
  let server: Prosody
  let ana: XmppPerson
  before(async () => {
    server = await startProsody({ starttls: 'off' })
    ana = await XmppPerson.join(server, 'ana')
  })
  after(async () => {
    await ana.leave()
    await server.remove()
  })

  /** A fresh account, so that no test hears the receipts of another. */
  let accounts = 0
  async function gateway(port = server.port): Promise<ObservedConnection> {
    accounts += 1
    await server.createUser(`gateway${accounts}`, 'gateway-secret')
    return await ObservedConnection.open(xmpp(), {
      settings: {
        address: server.address(`gateway${accounts}`),
        service: `xmpp://127.0.0.1:${port}`,
        allow_plaintext: true,
      },
      credentials: { password: 'gateway-secret' },
    })
  }

  test('arrives once, with the id of the message as its id and origin-id, asking to be told', async () => {
    const observed = await gateway()
    const sending = observed.send(ana.address, 'Olá & <welcome> 😀\n“second line”')
    assert.deepEqual(await sending.outcome, { kind: 'accepted' })
    const arrival = await ana.receives(({ id }) => id === sending.id)
    assert.equal(arrival.body, 'Olá & <welcome> 😀\n“second line”')
    assert.equal(arrival.originId, sending.id)
    assert.equal(arrival.type, 'chat')
    assert.equal(arrival.wantsReceipt, true)
    assert.equal(arrival.markable, true)
    await observed.close()
  })

  test('is accepted only when the server says so, even if it arrived long before', async () => {
    const proxy = await startTcpProxy(server)
    const observed = await gateway(proxy.port)
    proxy.hold('to-client')
    const sending = observed.send(ana.address, 'held')
    await ana.receives(({ id }) => id === sending.id)
    await proxy.sees('to-client', /<a [^>]*urn:xmpp:sm:3/)
    assert.equal(sending.settled, null)
    proxy.release()
    assert.deepEqual(await sending.outcome, { kind: 'accepted' })
    await observed.close()
    await proxy.stop()
  })

  test('many at once arrive in order, each settled without waiting for a debounce', async () => {
    const observed = await gateway()
    const began = performance.now()
    const texts = Array.from({ length: 320 }, (_, index) => `many ${index}`)
    for (let next = 0; next < texts.length; next += 16) {
      const window = texts.slice(next, next + 16).map((text) => observed.send(ana.address, text))
      const outcomes = await Promise.all(window.map(({ outcome }) => outcome))
      assert.ok(outcomes.every(({ kind }) => kind === 'accepted'))
    }
    // A client that asks for acknowledgements four times a second would need 5 seconds for these 20 windows.
    assert.ok(performance.now() - began < 3_000)
    await ana.receives(({ body }) => body === texts.at(-1))
    const arrived = ana.arrivals.map(({ body }) => body).filter((body) => body.startsWith('many '))
    assert.deepEqual(arrived, texts)
    await observed.close()
  })

  test('delivered: the recipient’s client returns a receipt, from the bare address', async () => {
    const observed = await gateway()
    const sending = observed.send(ana.address, 'tell me')
    const receipt = await observed.sees('receipt', ({ state }) => state === 'delivered')
    assert.equal(receipt.network_message_id, sending.id)
    assert.equal(receipt.from, 'ana@posthorn.test')
    await observed.close()
  })

  test('read: the recipient’s client marks the message as displayed', async () => {
    const observed = await gateway()
    const sending = observed.send(ana.address, 'look at me')
    await ana.displays(await ana.receives(({ id }) => id === sending.id))
    const receipt = await observed.sees('receipt', ({ state }) => state === 'read')
    assert.equal(receipt.network_message_id, sending.id)
    assert.equal(receipt.from, 'ana@posthorn.test')
    await observed.close()
  })

  test('a phone that returns no receipts gets the message all the same', async () => {
    const mute = await XmppPerson.join(server, 'mute', { receipts: false })
    const observed = await gateway()
    const sending = observed.send(mute.address, 'no answer needed')
    assert.deepEqual(await sending.outcome, { kind: 'accepted' })
    await mute.receives(({ id }) => id === sending.id)
    // The answer to a later probe comes behind everything that the server had to say before.
    observed.connection.probe()
    await observed.sees('connection-verified')
    assert.equal(observed.kinds().includes('receipt'), false)
    await observed.close()
    await mute.leave()
  })

  test('an absent recipient gets the message when they come back', async () => {
    await server.createUser('away', 'away-secret')
    const observed = await gateway()
    const sending = observed.send(server.address('away'), 'for later')
    assert.deepEqual(await sending.outcome, { kind: 'accepted' })
    const away = await XmppPerson.login(server, 'away', 'away-secret')
    const arrival = await away.receives(({ id }) => id === sending.id)
    assert.equal(arrival.body, 'for later')
    await observed.sees('receipt', ({ network_message_id }) => network_message_id === sending.id)
    await observed.close()
    await away.leave()
  })

  test('an unknown recipient is a permanent refusal of that message alone', async () => {
    const observed = await gateway()
    const bad = observed.send(server.address('nobody'), 'is anybody there?')
    const good = observed.send(ana.address, 'you are')
    assert.deepEqual(await bad.outcome, {
      kind: 'rejected',
      error: {
        code: 'recipient_unavailable',
        detail:
          'The recipient does not exist, or is offline and their server does not store messages. ' +
          'Check the address. If it is right, send a new message when they are back.',
        permanent: true,
        network_code: 'service-unavailable',
      },
    })
    assert.deepEqual(await good.outcome, { kind: 'accepted' })
    await observed.close()
  })

  test('an error that comes after the message was accepted gives it back', async () => {
    const observed = await gateway()
    const sending = observed.send(ana.address, 'hot potato')
    await sending.outcome
    const arrival = await ana.receives(({ id }) => id === sending.id)
    await ana.refuses(arrival, 'modify', 'not-acceptable')
    const returned = await observed.sees('message-returned')
    assert.equal(returned.network_message_id, sending.id)
    assert.equal(returned.from, 'ana@posthorn.test')
    assert.equal(returned.error.code, 'not_acceptable')
    assert.equal(returned.error.permanent, true)
    await observed.close()
  })

  test('a text that XML cannot carry is refused before it is written, and harms no other', async () => {
    const observed = await gateway()
    for (const text of ['bell \u0007', 'nothing \u0000', 'half a pair \ud83d', 'not a character \uffff']) {
      const outcome = await observed.send(ana.address, text).outcome
      assert.ok(outcome.kind === 'rejected')
      assert.equal(outcome.error.code, 'text_not_representable')
      assert.equal(outcome.error.permanent, true)
    }
    assert.deepEqual(await observed.send(ana.address, 'still here').outcome, { kind: 'accepted' })
    await observed.close()
  })
})

describe('messages at a real server without stream management', { ...needsProsody, timeout: 60_000 }, () => {
  test('a ping after each batch takes its place: accepted is still the server’s word', async () => {
    const server = await startProsody({ starttls: 'off', management: false })
    const ana = await XmppPerson.join(server, 'ana')
    await server.createUser('gateway', 'gateway-secret')
    const proxy = await startTcpProxy(server)
    const address = server.address('gateway')
    const service = `xmpp://127.0.0.1:${proxy.port}`
    const settings = { address, service, allow_plaintext: true }
    const credentials = { password: 'gateway-secret' }
    const observed = await ObservedConnection.open(xmpp(), { settings, credentials })
    const refused = observed.send(server.address('nobody'), 'nobody home')
    const taken = observed.send(ana.address, 'first')
    assert.equal((await refused.outcome).kind, 'rejected')
    assert.deepEqual(await taken.outcome, { kind: 'accepted' })

    proxy.hold('to-client')
    const unheard = observed.send(ana.address, 'second')
    await ana.receives(({ id }) => id === unheard.id)
    assert.equal(unheard.settled, null)
    proxy.cut()
    const lost = await observed.sees('connection-lost')
    assert.equal(lost.resumption, undefined)
    assert.equal((await unheard.outcome).kind, 'uncertain')

    await proxy.stop()
    await ana.leave()
    await server.remove()
  })
})
