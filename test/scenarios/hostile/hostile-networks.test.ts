import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import {
  createInstance,
  getInstance,
  listInstances,
} from '../../../src/contract/operations/instance-operations.ts'
import { type CheckedClient, createCheckedClient } from '../../kit/http/checked-client.ts'
import { readMetrics } from '../../kit/http/metrics.ts'
import { bind, type Peer, play } from '../../kit/networks/xmpp/scripted-server.ts'
import { eventually } from '../../kit/play.ts'
import {
  freshFolder,
  operatorOf,
  type PosthornProcess,
  spawnPosthorn,
  testConfig,
} from '../../kit/posthorn.ts'
import { residentMemory } from '../../kit/resident-memory.ts'

/* The server of an instance attacks, each time that it is connected to: the process lives, and everybody else gets on. */

const token = 'metrics-token-of-this-very-test-0'

async function started(
  t: TestContext,
  environment: Record<string, string> = {},
): Promise<PosthornProcess & { data: string }> {
  const data = freshFolder()
  const posthorn = await spawnPosthorn(data, {
    POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
    POSTHORN_METRICS_TOKEN: token,
    ...environment,
  })
  t.after(async () => {
    await posthorn.end('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  })
  return { ...posthorn, data }
}

/** Writes a text over and over, for as long as the other side takes it. */
async function floods({ socket }: Peer, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  while (!socket.destroyed) {
    if (socket.write(bytes)) continue
    await new Promise<void>((resolve) => {
      socket.once('drain', resolve)
      socket.once('close', () => resolve())
    })
  }
}

const metricsOf = ({ url }: PosthornProcess) => readMetrics(url, token)

const ping = `<iq type='get' id='1' from='far.test'><ping xmlns='urn:xmpp:ping'/></iq>`

for (const [what, text, code] of [
  ['text between stanzas', `${'x'.repeat(4_000)}<a/>`, 'stream_malformed'],
  ['one stanza without end', `<message><body>${'x'.repeat(60_000)}`, 'stanza_too_large'],
  ['pings whose answers it never acknowledges', ping, 'memory_of_connection'],
] as const) {
  test(`${what}: the reason is told, and the process is as it was`, { timeout: 60_000 }, async (t) => {
    const posthorn = await started(t)
    const { admin } = posthorn
    const attack = async (peer: Peer) => {
      if (text === ping) await peer.begins()
      else {
        // Without stream management: the next connection would take up the session where this one ended.
        await peer.logsIn(bind)
        await peer.binds()
      }
      await floods(peer, text)
    }
    const server = await play(t, ...Array<typeof attack>(30).fill(attack))
    const before = residentMemory(posthorn.pid)
    const settings = {
      address: 'gateway@far.test',
      service: `xmpp://127.0.0.1:${server.port}`,
      allow_plaintext: true,
    }
    const body = { name: 'shop', network: 'xmpp', settings, credentials: { password: 'secret' } }
    await admin.call(createInstance, { body })
    await eventually(
      'the end of the second connection',
      async () => {
        await admin.call(listInstances, {})
        const { status, reason } = (await admin.call(getInstance, { params: { name: 'shop' } })).body
        return { status, code: reason?.code, connections: server.sockets.length }
      },
      (seen) => seen.connections >= 2 && seen.status === 'reconnecting' && seen.code === code,
    )
    const grown = residentMemory(posthorn.pid) - before
    t.diagnostic(`the process grew by ${Math.round(grown / 1024 / 1024)} MB`)
    assert.ok(grown < 64 * 1024 * 1024, `it grew by ${grown} bytes`)
    const metrics = await metricsOf(posthorn)
    assert.match(metrics, /^posthorn_connection_memory_bytes \d+$/m)
    if (code === 'memory_of_connection')
      assert.match(metrics, /^posthorn_connections_over_memory_total\{limit="connection"\} [1-9]/m)
  })
}

test('what the connections of one organization hold, and what all hold, is capped, and its largest connection ends', async (t) => {
  const posthorn = await started(t, {
    POSTHORN_CONNECTION_MEMORY_MB: '4',
    POSTHORN_ORGANIZATION_MEMORY_MB: '2',
    POSTHORN_CONNECTIONS_MEMORY_MB: '3',
  })
  const operator = operatorOf(testConfig(posthorn.data))
  t.after(() => operator.leave())
  await operator.createOrganization('other')
  const { key } = await operator.createKey('other', 'admin')
  const other = createCheckedClient({ baseUrl: posthorn.url, key })
  const held = async () =>
    Number(/^posthorn_connection_memory_bytes (\d+)$/m.exec(await metricsOf(posthorn))?.[1]) / 1024 / 1024

  /** An instance whose server takes no answer, and never lets it in again. */
  const connect = async (client: CheckedClient, name: string) => {
    const begun = Promise.withResolvers<Peer>()
    const server = await play(t, async (peer) => {
      peer.account = `${name}@far.test`
      await peer.begins()
      begun.resolve(peer)
    })
    const service = `xmpp://127.0.0.1:${server.port}`
    const settings = { address: `${name}@far.test`, service, allow_plaintext: true }
    const body = { name, network: 'xmpp', settings, credentials: { password: 'secret' } }
    await client.call(createInstance, { body })
    const peer = await begun.promise
    const pings = ping.replace(`id='1'`, `id='${'x'.repeat(2_000)}'`).repeat(10)
    return {
      /** Asks for answers until so much is held in all, or something else is true. */
      async fills(enough: () => Promise<boolean>) {
        while (!(await enough())) await peer.writes(pings)
      },
      async state() {
        const { status, reason } = (await client.call(getInstance, { params: { name } })).body
        return reason ? `${status}: ${reason.code}` : status
      },
      connections: () => server.sockets.length,
    }
  }
  const first = await connect(posthorn.admin, 'first')
  const second = await connect(posthorn.admin, 'second')
  const neighbour = await connect(other, 'neighbour')

  await neighbour.fills(async () => (await held()) > 0.5)
  await first.fills(async () => (await held()) > 0.5 + 1.2)
  await second.fills(async () => (await first.state()) !== 'connected')
  assert.equal(await first.state(), 'reconnecting: memory_of_organization')
  assert.deepEqual([await second.state(), await neighbour.state()], ['connected', 'connected'])

  const share = await held()
  await neighbour.fills(async () => (await held()) > share + 0.8)
  await second.fills(async () => (await second.state()) !== 'connected')
  assert.equal(await second.state(), 'reconnecting: memory_of_server')
  assert.deepEqual([await neighbour.state(), neighbour.connections()], ['connected', 1])
  const metrics = await metricsOf(posthorn)
  for (const limit of ['organization', 'server'])
    assert.match(metrics, new RegExp(`^posthorn_connections_over_memory_total\\{limit="${limit}"\\} 1$`, 'm'))
})
