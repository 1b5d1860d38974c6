import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { operations } from '../../../src/contract/operations.ts'
import { RawConnection } from '../../kit/http/raw-connection.ts'
import { create } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* A caller who asks by HEAD, as monitors do, is told what GET would tell, without the body. */

let posthorn: Posthorn
const tokens: Record<string, string> = {}

before(async () => {
  posthorn = await startPosthorn()
  for (const access of ['operator', 'metrics'])
    tokens[access] = readFileSync(join(posthorn.data, `${access}.token`), 'utf8').trim()
  await create(posthorn.admin, 'trial')
})

after(() => posthorn.stop())

interface Path {
  readonly path: string
  readonly access: string
}

/**
 * Returns a response without its body: its status, whether it has a length, and the headers that do not differ from one to
 * the next.
 */
async function ask(method: string, { path, access }: Path, accept = '*/*') {
  const authorization = `Bearer ${tokens[access] ?? posthorn.adminKey}`
  const headers = { authorization, accept }
  const reply = await fetch(`${posthorn.url}${path}`, { method, headers, redirect: 'manual' })
  await reply.text()
  // This client closes its connection after HEAD.
  const changing = ['date', 'request-id', 'ratelimit', 'content-length', 'connection', 'keep-alive']
  const kept = [...reply.headers].filter(([name]) => !changing.includes(name))
  return [reply.status, Number(reply.headers.get('content-length')) > 0, kept]
}

const files = ['/', '/docs', '/docs/', '/docs/start.js', '/console', '/console/', '/console/session', '/link']
const readable: readonly Path[] = [
  ...files.map((path) => ({ path, access: 'open' })),
  ...operations
    .filter(({ method }) => method === 'GET')
    .map(({ path, access }) => ({ path: path.replaceAll(/\{\w+\}/g, 'trial'), access })),
]

describe('HEAD is answered as GET, without the body', () => {
  for (const each of readable)
    test(each.path, async () => {
      const [head, get] = [await ask('HEAD', each), await ask('GET', each)]
      assert.deepEqual(head, get)
    })

  for (const path of ['/v1/events', '/v1/instances/trial/status'])
    test(`${path}, even if it is asked for a stream`, async () => {
      const said = await ask('HEAD', { path, access: 'read' }, 'text/event-stream')
      assert.match(JSON.stringify(said), /^\[200,.*"text\/event-stream; charset=utf-8"/)
    })

  test('and the next request on the connection is answered as ever', async () => {
    const connection = await RawConnection.open(posthorn.url)
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET'])
      connection.write(`${method} /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    const replies = []
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET'])
      replies.push(await connection.reply(method, '/readyz'))
    assert.deepEqual(
      replies.map(({ status, text }) => [status, text]),
      [
        [200, ''],
        [200, '{"status":"ok"}'],
        [200, ''],
        [200, '{"status":"ok"}'],
      ],
    )
    connection.close()
  })

  test('and tells strangers as little', async () => {
    assert.equal((await fetch(`${posthorn.url}/v1/instances`, { method: 'HEAD' })).status, 401)
  })
})
