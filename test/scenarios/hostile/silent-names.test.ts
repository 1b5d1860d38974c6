import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { sendMediaMessage } from '../../../src/contract/operations/message-operations.ts'
import { createWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import { farEnd, nameServer, reply } from '../../kit/far-ends/fetching.ts'
import { sumOfMetrics } from '../../kit/http/metrics.ts'
import { create, eventually } from '../../kit/play.ts'
import { startPosthorn } from '../../kit/posthorn.ts'

/* One organization names hosts about which no name server says anything; another one's hosts are found as ever. */

const token = 'metrics-token-of-this-very-test-0'
const thisMachine = '127.0.0.0/8'

test('instances, webhooks and files at hosts of silent name servers delay those of nobody else', async (t) => {
  const names = await nameServer(t, (name, type) => {
    if (name.endsWith('silent.test')) return 'silence'
    return type === 'A' ? ['127.0.0.1'] : []
  })
  const posthorn = await startPosthorn({
    environment: {
      POSTHORN_METRICS_TOKEN: token,
      POSTHORN_NAME_SERVERS: names.address,
      POSTHORN_CONNECT_ALLOW_CIDRS: thisMachine,
      POSTHORN_FETCH_ALLOW_CIDRS: thisMachine,
      POSTHORN_WEBHOOK_ALLOW_CIDRS: thisMachine,
    },
  })
  t.after(() => posthorn.stop())
  const server = await farEnd(t, () => {})
  const web = await farEnd(t, ({ socket }) => socket.end(reply(200, {}, 'a file')))
  await posthorn.createOrganization('attacker')
  const attacker = posthorn.client((await posthorn.createKey('attacker', 'admin')).key)
  const begins = async (
    client: typeof attacker,
    count: number,
    domain: string,
    xmpp: number,
    http: number,
  ) => {
    await create(client, 'sandbox')
    for (let at = 0; at < count; at++) {
      const host = `${at}.${domain}`
      const url = `http://${host}:${http}/`
      const settings = { address: `ana-${at}@example.org`, service: `xmpp://${host}:${xmpp}` }
      const credentials = { password: 'secret' }
      await client.call(createInstance, {
        body: { name: `xmpp-${at}`, network: 'xmpp', settings, credentials },
      })
      if (at < 20) await client.call(createWebhook, { body: { url } })
      const message = { instance: 'sandbox', to: `${at}@delivers.sandbox`, kind: 'document', url } as const
      await client.call(sendMediaMessage, { body: message })
    }
  }
  await begins(attacker, 30, 'silent.test', 5222, 80)
  const asked = () => new Set(names.asked.filter((each) => each.includes('silent'))).size
  while (asked() < 30) await names.nextQuestion()
  const metric = (name: string) => sumOfMetrics(posthorn.url, token, name)
  assert.ok((await metric('posthorn_name_lookups')) > 0)
  assert.equal(await metric('posthorn_name_lookups_refused_total'), 0)
  await begins(posthorn.admin, 1, 'good.test', server.port, web.port)
  const seen = await eventually(
    'everything of the neighbour that goes out',
    async () => ({
      instances: server.connections,
      heads: web.asked.map(({ head }) => head.split(' ')[0] as string),
    }),
    ({ instances, heads }) => instances > 0 && heads.includes('GET') && heads.includes('POST'),
  )
  assert.ok(seen.heads.every((verb) => ['GET', 'POST'].includes(verb)))
})
