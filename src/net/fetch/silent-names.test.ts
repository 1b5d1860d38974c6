import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { get } from 'node:https'
import { type TestContext, test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import {
  closedPort,
  farEnd,
  listed,
  nameServer,
  namesOf,
  reply,
} from '../../../test/kit/far-ends/fetching.ts'
import { webhookClient } from '../../events/delivery/attempt/webhook-client.ts'
import { accountOf } from '../../networks/xmpp/settings.ts'
import { dialXmpp } from '../../networks/xmpp/stream/dial.ts'
import { GuardedAgent } from '../dial/agent.ts'
import { outboundGuard } from '../guard/guard.ts'
import { httpClients } from '../http/client.ts'
import { guardedFetch } from './fetch.ts'

const { signal } = new AbortController()
const allowedBlocks = [`${listed}/32`]

/** Everything that connects to hosts that others name, for organizations of one server. Its name server knows no name under `silent.test`. */
async function server(t: TestContext) {
  const names = await nameServer(t, (name, type) => {
    if (name.endsWith('silent.test')) return 'silence'
    return type === 'A' ? [listed] : []
  })
  const time = new FakeTime()
  const lookUps = namesOf(names, time)
  const options = { ...time, names: lookUps, allowedBlocks }
  const clients = httpClients({ ...options, userAgent: 'Posthorn/test' })
  const posts = webhookClient({ ...options, userAgent: 'Posthorn/test', keptConnections: 1 })
  t.after(() => {
    clients.close()
    posts.close()
  })
  const reachOf = (party: string) => ({ guard: outboundGuard(allowedBlocks), names: lookUps.of(party) })
  const fetched = guardedFetch(options)
  return {
    names,
    reachOf,
    async connectsTo(party: string, host: string, port: number) {
      const account = accountOf({ address: 'ana@example.org', service: `xmpp://${host}:${port}` })
      const socket = await dialXmpp(account, { ca: undefined, ...reachOf(party) }, Math.random, signal)
      socket.destroy()
    },
    async fetches(party: string, url: string) {
      const { body } = await fetched({ url, party, largest: 1_000, redirects: 0, signal })
      await body.toArray()
    },
    async posts(party: string, url: string) {
      const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '7', 'webhook-signature': 'v1,AAAA' }
      const webhook = { url, headers, body: Buffer.from('{}'), webhookId: url, organization: party }
      assert.equal((await posts.post(webhook, signal)).kind, 'responded')
    },
    async asks(party: string, url: string) {
      const answer = await clients.of(party).request({ method: 'GET', url, maxBytes: 1_000, signal })
      assert.equal(answer.kind, 'responded')
    },
  }
}

test('an organization whose name servers are silent delays no connection of another, and no file', async (t) => {
  const { names, ...does } = await server(t)
  const far = await farEnd(t, ({ socket }) => socket.end(reply(200, {}, 'good')))
  let over = 0
  const attempts = (host: string, port: number, party: string) => {
    const url = `http://${host}:${port}/`
    return [
      does.connectsTo(party, host, port),
      does.fetches(party, url),
      does.posts(party, url),
      does.asks(party, url),
    ]
  }
  const attacks = Array.from({ length: 60 }, (_, at) => attempts(`${at}.silent.test`, 80, 'attacker')).flat()
  for (const attack of attacks)
    void attack.catch(() => {
      over++
    })
  const asked = () => new Set(names.asked.filter((each) => each.includes('silent'))).size
  while (asked() < 16) await names.nextQuestion()
  for (let at = 0; at < 5; at++) await Promise.all(attempts(`${at}.good.test`, far.port, 'neighbour'))
  assert.ok((await readFile(import.meta.filename)).length > 0)
  // Those at a time, for as long as the resolver repeats its questions; the others have not had their turn yet.
  assert.ok(over < attacks.length - 32, `${over} of ${attacks.length} attempts were over`)
})

test('the names of proxies are looked up in the same way', async (t) => {
  const { names, reachOf } = await server(t)
  const port = await closedPort(t)
  const agent = new GuardedAgent({ proxy: { url: `socks5://proxy.test:${port}` }, ...reachOf('org') })
  await assert.rejects(
    new Promise((resolve, reject) => get('https://web.test/', { agent }, resolve).on('error', reject)),
    { reason: 'unreachable' },
  )
  assert.deepEqual(names.asked.toSorted(), ['A proxy.test', 'AAAA proxy.test'])
})
