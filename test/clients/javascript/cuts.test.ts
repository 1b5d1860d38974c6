import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Posthorn } from '../../../clients/javascript/src/index.ts'
import { eventually, everythingListed, startObserved } from '../../kit/play.ts'
import { randomOf } from '../../kit/random.ts'
import { startCuttingProxy } from '../cutting-proxy.ts'

/*
 * A thousand calls over connections that are cut at random places: before the request, in it, and in the response. The sandbox tells
 * what arrived, and the client is not asked.
 */

const calls = 1_000
const atOnce = 100

test('a thousand calls over connections that are cut: nothing is lost, and nothing doubled', {
  timeout: 280_000,
}, async (context) => {
  const { posthorn: server, transcript } = await startObserved()
  context.after(() => server.stop())
  const seed = Number(process.env.POSTHORN_TEST_SEED ?? Date.now() % 1_000_000)
  context.diagnostic(`POSTHORN_TEST_SEED=${seed}`)
  const proxy = await startCuttingProxy(server.url, randomOf(seed))
  context.after(() => proxy.stop())

  const direct = new Posthorn({ baseUrl: server.url, key: server.adminKey })
  await direct.instances.create({ name: 'trial', network: 'sandbox' }, { waitSeconds: 20 })
  const posthorn = new Posthorn({ baseUrl: proxy.url, key: server.adminKey, maxRetries: 50 })
  const ids = new Map<string, string>()
  const numbers = Array.from({ length: calls }, (_, number) => number).values()
  await Promise.all(
    Array.from({ length: atOnce }, async (_, line) => {
      for (const number of numbers) {
        const text = `Number ${number}`
        ids.set(text, (await send(posthorn, line, text)).id)
      }
    }),
  )

  context.diagnostic(`cuts: ${JSON.stringify(proxy.cuts)}`)
  for (const [place, count] of Object.entries(proxy.cuts)) assert.ok(count > 20, `${place}: ${count}`)
  const arrived = await eventually(
    'all to arrive',
    async () => transcript(),
    ({ length }) => length >= calls,
  )
  const listed = await everythingListed(server.admin, { direction: 'outbound', limit: 200 })
  const texts = arrived.map(({ text }) => text)
  assert.deepEqual([...new Set(texts)].sort(), [...ids.keys()].sort(), 'each text arrived')
  assert.equal(texts.length, calls, 'each text arrived once')
  assert.deepEqual(
    new Set(listed.map(({ id }) => id)),
    new Set(ids.values()),
    'the server has these messages and no others',
  )
})

/** Sends a text or, every tenth time, a file. */
function send(posthorn: Posthorn, line: number, text: string) {
  const to = { instance: 'trial', to: `p${line}@delivers.sandbox` }
  if (!text.endsWith('0')) return posthorn.messages.sendText({ ...to, text })
  const file = new Blob([text.repeat(50)])
  return posthorn.messages.sendMedia({
    ...to,
    kind: 'document',
    file,
    filename: 'numbers.txt',
    caption: text,
  })
}
