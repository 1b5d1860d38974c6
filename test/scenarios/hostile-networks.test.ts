import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { createInstance, getInstance, listInstances } from '../../src/contract/instance-operations.ts'
import { eventually } from '../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../kit/posthorn.ts'
import { residentMemory } from '../kit/resident-memory.ts'
import { bind, type Peer, play } from '../kit/scripted-server.ts'

/* The server of an instance attacks, each time that it is connected to: the process lives, and everybody else gets on. */

const token = 'metrics-token-of-this-very-test-0'

async function started(t: TestContext): Promise<PosthornProcess> {
  const data = freshFolder()
  const posthorn = await spawnPosthorn(data, {
    POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
    POSTHORN_METRICS_TOKEN: token,
  })
  t.after(async () => {
    await posthorn.end('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  })
  return posthorn
}

/** Writes a text over and over, for as long as somebody takes it. */
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
    const stage = await play(t, ...Array<typeof attack>(30).fill(attack))
    const before = residentMemory(posthorn.pid)
    const settings = {
      address: 'gateway@far.test',
      service: `xmpp://127.0.0.1:${stage.port}`,
      allow_plaintext: true,
    }
    const body = { name: 'shop', network: 'xmpp', settings, credentials: { password: 'secret' } }
    await admin.call(createInstance, { body })
    await eventually(
      'the end of the second connection',
      async () => {
        await admin.call(listInstances, {})
        const { status, reason } = (await admin.call(getInstance, { params: { name: 'shop' } })).body
        return { status, code: reason?.code, connections: stage.sockets.length }
      },
      (seen) => seen.connections >= 2 && seen.status === 'reconnecting' && seen.code === code,
    )
    const grown = residentMemory(posthorn.pid) - before
    t.diagnostic(`the process grew by ${Math.round(grown / 1024 / 1024)} MB`)
    assert.ok(grown < 64 * 1024 * 1024, `it grew by ${grown} bytes`)
    const metrics = await fetch(`${posthorn.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    const told = await metrics.text()
    assert.match(told, /^posthorn_connection_memory_bytes \d+$/m)
    if (code === 'memory_of_connection')
      assert.match(told, /^posthorn_connections_over_memory_total\{limit="connection"\} [1-9]/m)
  })
}
