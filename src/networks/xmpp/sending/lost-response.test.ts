import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { xml } from '@xmpp/client'
import { newFile } from '../../../../test/conformance/networks/files.ts'
import { startTcpProxy, type TcpProxy } from '../../../../test/kit/far-ends/tcp-proxy.ts'
import { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { XmppPerson } from '../../../../test/kit/networks/xmpp/person.ts'
import { needsProsody, type Prosody, startProsody } from '../../../../test/kit/networks/xmpp/prosody.ts'
import type { TargetMessage } from '../../driver/message.ts'
import { xmpp } from '../driver.ts'

/** The server ends sessions soon, and says how much it received in them. It files messages, or only says so. */
for (const [what, policy, expected] of [
  ['has it: accepted', 'true', { kind: 'accepted' }],
  ['never archived it: counted, and left alone', 'false', { kind: 'uncertain', counted: true }],
] as const) {
  test(`a message that only a count speaks for, and the archive ${what}`, {
    ...needsProsody,
    timeout: 60_000,
  }, async (t) => {
    const configuration = `smacks_hibernation_time = 1\ndefault_archive_policy = ${policy}`
    const server = await startProsody({ starttls: 'off', archive: true, configuration })
    t.after(() => server.remove())
    await server.createUser('gateway', 'gateway-secret')
    const ana = await XmppPerson.join(server, 'ana')
    t.after(() => ana.leave())
    const line = await startTcpProxy(server)
    t.after(() => line.stop())
    const account = {
      settings: {
        address: server.address('gateway'),
        service: `xmpp://127.0.0.1:${line.port}`,
        allow_plaintext: true,
      },
      credentials: { password: 'gateway-secret' },
    }
    const driver = xmpp({ ca: server.certificate })
    const first = await ObservedConnection.open(driver, account)
    line.hold('to-client')
    const taken = first.send(ana.address, 'taken')
    await ana.receives(({ id }) => id === taken.id)
    line.cut()
    const { resumption } = await first.sees('connection-lost')
    await server.logs(/Destroying session for hibernating too long/)
    const second = await ObservedConnection.open(driver, { ...account, resumption })
    assert.match(line.arrived('to-client'), /<failed [^>]*h='\d+'/)
    assert.partialDeepStrictEqual(taken.settled, expected)
    await second.close()
  })
}

/** The server took a message and its word was lost, with the session. Its archive proves what it has. */
describe('an answer that was lost for good', { ...needsProsody, timeout: 60_000 }, () => {
  let server: Prosody
  let ana: XmppPerson
  let line: TcpProxy
  let began: number

  before(async () => {
    server = await startProsody({ starttls: 'off', archive: true, uploads: {} })
    await server.createUser('gateway', 'gateway-secret')
    ana = await XmppPerson.join(server, 'ana')
  })
  after(async () => {
    await ana.leave()
    await server.remove()
  })
  beforeEach(async () => {
    began = Date.now()
    line = await startTcpProxy(server)
  })
  afterEach(() => line.stop())

  /** A connection of a process that knows nothing of the sessions before. */
  async function opens(at = began): Promise<ObservedConnection> {
    return await ObservedConnection.open(xmpp({ ca: server.certificate }), {
      settings: {
        address: server.address('gateway'),
        service: `xmpp://127.0.0.1:${line.port}`,
        allow_plaintext: true,
      },
      credentials: { password: 'gateway-secret' },
      caughtUp: async () => ({ mark: null, at }),
    })
  }

  async function breaks(observed: ObservedConnection): Promise<void> {
    line.cut()
    const { resumption } = await observed.sees('connection-lost')
    resumption?.abandon()
  }

  /** Returns the ids of the messages that the server is proven to have when the connection opens. */
  function proven({ observations }: ObservedConnection): readonly string[] {
    const opened = observations.findIndex(({ kind }) => kind === 'connection-opened')
    return observations
      .slice(0, opened)
      .flatMap((seen) => (seen.kind === 'message-acknowledged' ? [seen.network_message_id] : []))
  }

  test('is proven by the archive before the connection opens, and only what arrived is', async () => {
    const first = await opens()
    line.hold('to-client')
    const taken = first.send(ana.address, 'taken')
    await ana.receives(({ id }) => id === taken.id)
    line.hold('to-client', 'to-server')
    const lost = first.send(ana.address, 'lost')
    await line.sees('to-server', />lost</)
    await breaks(first)
    assert.deepEqual([(await taken.outcome).kind, (await lost.outcome).kind], ['uncertain', 'uncertain'])
    const second = await opens()
    assert.ok(proven(second).includes(taken.id))
    assert.ok(!proven(second).includes(lost.id))
    await second.close()
  })

  test('a file is proven with its caption, and not without', async () => {
    const first = await opens()
    const media = { kind: 'document', file: newFile(2_000), caption: 'our view' } as const
    const whole = first.sendFile(ana.address, media)
    assert.equal((await whole.outcome).kind, 'accepted')
    // Of another one, a server has only the first half: the file, without the caption after it.
    const half = `${whole.id}half`
    await first.close()
    const { body, data } = await ana.receives(({ id }) => id === whole.id)
    const desk = await XmppPerson.login(server, 'gateway', 'gateway-secret')
    await desk.shares(ana.address, data?.url ?? '', body, half, 'our view')
    await ana.receives(({ id }) => id === half)
    await desk.leave()
    const second = await opens()
    const mentioned = proven(second).filter((id) => id.startsWith(whole.id))
    assert.deepEqual(mentioned, [whole.id])
    await second.close()
  })

  test('a reaction, which has no body, and a place with its name are proven, and only as a whole', async () => {
    const first = await opens()
    const ours = { sender_message_id: null, from: null, topic: null, text: 'One' }
    const target: TargetMessage = { ...ours, network_message_id: 'one', kind: 'text' }
    const to = ana.address
    const location = { latitude: 1, longitude: 2, name: 'Sea', address: null }
    const sent = [
      first.sendMessage({ to, kind: 'reaction', target, emoji: '👍' }),
      first.sendMessage({ to, kind: 'location', location }),
      first.sendMessage({ to, kind: 'retraction', target: { ...target, kind: 'image' } }),
    ]
    for (const { outcome } of sent) assert.equal((await outcome).kind, 'accepted')
    await first.close()
    // Of other ones, a server has only the first halves.
    const desk = await XmppPerson.login(server, 'gateway', 'gateway-secret')
    const place = xml('geoloc', { xmlns: 'http://jabber.org/protocol/geoloc' }, xml('description', {}, 'Sea'))
    await desk.says(to, 'geo:1,2', 'halfplace', place)
    const retract = xml('retract', { xmlns: 'urn:xmpp:message-retract:1', id: 'one-caption' })
    const half = { to, type: 'chat', id: 'halfretraction-caption' }
    await desk.sends(half, retract, xml('store', { xmlns: 'urn:xmpp:hints' }))
    await ana.receives(({ id }) => id === half.id)
    await desk.leave()
    const second = await opens()
    const shown = proven(second)
    assert.deepEqual(
      sent.filter(({ id }) => !shown.includes(id)),
      [],
    )
    assert.deepEqual(
      shown.filter((id) => id.startsWith('half')),
      [],
    )
    await second.close()
  })
})
