import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import type { RawReply } from '../../kit/http/checked-client.ts'
import { eventually, Follower } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

function codeOf(reply: RawReply): string {
  return (reply.json as { code?: string } | undefined)?.code ?? `${reply.status}`
}

describe('the waiting requests and event streams of an organization', () => {
  let posthorn: Posthorn

  before(async () => {
    posthorn = await startPosthorn({ environment: { POSTHORN_WAITING_LIMIT: '2' } })
    await posthorn.admin.call(createInstance, { body: { name: 'watched' }, waitSeconds: 10 })
  })

  after(() => posthorn.stop())

  test('are two over all of its keys, and no third, until one of them ends; nothing that does not wait is concerned', async () => {
    const [{ key: first }, { key: second }] = [
      await posthorn.createKey('default', 'send'),
      await posthorn.createKey('default', 'send'),
    ]
    const ask = (key: string, method: 'GET' | 'POST', path: string, headers = {}, body?: object) =>
      posthorn.client().rawRequest(method, path, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      })
    const waits = { prefer: 'wait=30' }
    const followers = [first, second].map((key) => new Follower(posthorn.client(key), 'watched'))
    for (const follower of followers) await follower.status('connected')
    const refused = await ask(first, 'GET', '/v1/events?after=latest', waits)
    assert.deepEqual([codeOf(refused), refused.headers['retry-after']], ['too_many_waits', '5'])
    assert.match(refused.text, /organization has 2 .*which is its limit/)
    const stream = await ask(first, 'GET', '/v1/instances/watched/status', { accept: 'text/event-stream' })
    assert.equal(codeOf(stream), 'too_many_streams')
    const text = { instance: 'watched', to: 'ana@accepts.sandbox', text: 'Hello' }
    assert.equal(codeOf(await ask(first, 'POST', '/v1/messages/text', waits, text)), 'too_many_waits')
    assert.equal((await ask(first, 'POST', '/v1/messages/text', {}, text)).status, 202)
    assert.equal((await ask(first, 'GET', '/v1/events')).status, 200)

    followers[0]?.leave()
    await followers[0]?.ended
    // The server hears of the end a moment later than the listener.
    const sent = await eventually(
      'a place for a request that waits',
      () => ask(second, 'POST', '/v1/messages/text', waits, text),
      ({ status }) => status === 202,
    )
    assert.ok(['sent', 'delivered', 'read'].includes(JSON.parse(sent.text).status))
    followers[1]?.leave()
    await followers[1]?.ended
  })
})
