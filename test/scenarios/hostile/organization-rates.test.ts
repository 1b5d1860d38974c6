import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { listMessages, sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { type CheckedClient, createCheckedClient } from '../../kit/http/checked-client.ts'
import { readMetrics } from '../../kit/http/metrics.ts'
import { type Peer, play } from '../../kit/networks/xmpp/scripted-server.ts'
import { eventually } from '../../kit/play.ts'
import { freshFolder, operatorOf, spawnPosthorn, testConfig } from '../../kit/posthorn.ts'

/* Thirty hostile servers of one organization send all that is taken: everybody else gets on, and what they send waits with them. */

const token = 'metrics-token-of-this-very-test-1'
const hostile = 30

async function started(t: TestContext) {
  const data = freshFolder()
  const posthorn = await spawnPosthorn(data, {
    POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
    POSTHORN_METRICS_TOKEN: token,
    POSTHORN_ORGANIZATION_INCOMING_RATE: '500/1',
  })
  const operator = operatorOf(testConfig(data))
  t.after(async () => {
    operator.leave()
    await posthorn.end('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  })
  const organization = async (name: string) => {
    await operator.createOrganization(name)
    const { key } = await operator.createKey(name, 'admin')
    return createCheckedClient({ baseUrl: posthorn.url, key })
  }
  const metrics = () => readMetrics(posthorn.url, token)
  return { organization, metrics }
}

/** Connects an instance to a server of its own, and returns the server's end of the connection. */
async function connect(t: TestContext, client: CheckedClient, name: string): Promise<Peer> {
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
  return begun.promise
}

/** Long ones, so that few of them are on the way. */
const chat = (name: string, id: string) =>
  `<message type='chat' id='${id}' from='eve@far.test/x' to='${name}@far.test'><body>${id.padEnd(3_000)}</body></message>`

/** Sends chats for as long as the other side takes them, until it is told to stop. */
async function floods(peer: Peer, name: string, signal: AbortSignal): Promise<void> {
  for (let sent = 0; !signal.aborted && !peer.socket.destroyed; ) {
    let text = ''
    for (let more = 0; more < 10; more++) text += chat(name, `${name}-${sent++}`)
    if (peer.socket.write(text)) await setImmediate()
    else
      await new Promise<void>((resolve) => {
        peer.socket.once('drain', resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
  }
}

/** Everything that came from the network and is stored, by the text. */
async function received(client: CheckedClient, instance: string): Promise<Set<string>> {
  const texts = new Set<string>()
  for (let cursor: string | undefined; ; ) {
    const query = { instance, direction: 'inbound' as const, limit: 200, ...(cursor && { cursor }) }
    const { data, next_cursor } = (await client.call(listMessages, { query })).body
    for (const { text } of data) if (text) texts.add(text.trim())
    if (next_cursor === null) return texts
    cursor = next_cursor
  }
}

test('thirty servers that send without end: a slow one of the same organization and a neighbour get on, and nothing is lost', {
  timeout: 240_000,
}, async (t) => {
  const { organization, metrics } = await started(t)
  const attacked = await organization('attacked')
  const neighbour = await organization('neighbour')
  await neighbour.call(createInstance, { body: { name: 'shop' }, waitSeconds: 10 })
  const names = Array.from({ length: hostile }, (_, at) => `hostile-${at}`)
  const peers = await Promise.all(names.map((name) => connect(t, attacked, name)))
  const slow = await connect(t, attacked, 'slow')

  const stop = new AbortController()
  const flooding = peers.map((peer, at) => floods(peer, names[at] as string, stop.signal))
  await eventually('the rate to be reached', metrics, (text) =>
    /^posthorn_organization_rates_reached_total\{limit="messages"\} [1-9]/m.test(text),
  )

  const begun = performance.now()
  for (let count = 0; count < 10; count++) {
    await slow.writes(chat('slow', `slow-${count}`))
    // Meanwhile the neighbour's texts are sent, one after the other.
    const body = { instance: 'shop', to: 'ana@accepts.sandbox', text: `text ${count}` }
    const { status } = (await neighbour.call(sendTextMessage, { body, waitSeconds: 30 })).body
    assert.ok(status !== 'queued' && status !== 'sending', status)
    await eventually(
      'the message of the slow one',
      () => received(attacked, 'slow'),
      (texts) => texts.has(`slow-${count}`),
    )
  }

  stop.abort()
  await Promise.all(flooding)
  const stored = await Promise.all(names.map((name) => received(attacked, name)))
  t.diagnostic(`ten messages of the slow one took ${Math.round(performance.now() - begun)} ms`)
  t.diagnostic(`stored of each: ${stored.map(({ size }) => size).join(' ')}`)
  for (const texts of stored) assert.ok(texts.size > 0, 'each of them gets on')

  // Chats that were not taken yet are with their server, and come in their turn, with no gap; an acknowledged one gets
  // stored. The other servers take back those in the buffers of the system: storing all of them at the rate could take
  // minutes.
  for (const other of peers.slice(1)) other.socket.resetAndDestroy()
  const [peer, name] = [peers[0] as Peer, names[0] as string]
  await peer.writes(`<r xmlns='urn:xmpp:sm:3'/>`)
  const handled = await peer.reads(/<a [^>]*h="\d+"[^>]*>/)
  const acknowledged = Number(/ h="(\d+)"[^>]*>$/.exec(handled)?.[1])
  assert.ok(acknowledged > 0)
  const kept = await eventually(
    'everything that was acknowledged',
    () => received(attacked, name),
    (texts) => texts.size >= acknowledged,
  )
  for (let at = 0; at < acknowledged; at++) assert.ok(kept.has(`${name}-${at}`), `${at} of ${acknowledged}`)
})
