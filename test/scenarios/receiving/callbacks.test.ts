import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  deleteInstance,
  getInstance,
  listInstances,
  replaceCredentials,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { rowsIn } from '../../kit/rows.ts'
import { createCalledBack, postCallback, signatureOf, written } from '../../kit/sandbox-callbacks.ts'

/* Callbacks of a network: stored before they are answered, and handled while the instance is connected. */

const textsIn = async (posthorn: Posthorn, name: string) =>
  (await everythingReceived(posthorn.admin, name)).map(({ text }) => text)

const waitingIn = async ({ data }: Posthorn) =>
  Number((await rowsIn<{ count: number }>(data, 'select count(*) as count from callbacks'))[0]?.count)

/** Nothing waits any longer. */
const drained = (posthorn: Posthorn) =>
  eventually(
    'every callback to be handled',
    () => waitingIn(posthorn),
    (count) => count === 0,
  )

describe('a network that calls back', () => {
  let posthorn: Posthorn
  let path: string

  before(async () => {
    posthorn = await startPosthorn({ environment: { POSTHORN_CALLBACK_RATE: 'off' } })
    path = await createCalledBack(posthorn.admin, 'trial')
  })
  after(() => posthorn.stop())

  const post = (text: string, signature?: string) =>
    postCallback(posthorn.url, path, written(text), signature)

  test('is answered with 200, and what it posted becomes an incoming message', async () => {
    const reply = await post('Good morning')
    assert.deepEqual([reply.status, await reply.text()], [200, ''])
    await eventually(
      'the message',
      () => textsIn(posthorn, 'trial'),
      (texts) => texts.includes('Good morning'),
    )
    await drained(posthorn)
  })

  test('has everything that it posts in one moment stored once, in the order in which it was answered', async () => {
    const texts = Array.from({ length: 200 }, (_, index) => `Text ${index}`)
    for (const text of texts.slice(0, 100)) assert.equal((await post(text)).status, 200)
    const together = await Promise.all(texts.slice(100).map((text) => post(text)))
    assert.ok(together.every(({ status }) => status === 200))
    await drained(posthorn)
    const received = await textsIn(posthorn, 'trial')
    assert.deepEqual(received.slice(1, 101), texts.slice(0, 100))
    assert.deepEqual(received.slice(1).toSorted(), texts.toSorted())
  })

  test('is refused without the right signature, and nothing is stored', async () => {
    for (const signature of ['', 'sha256=', signatureOf(written('forged'), 'wrong'), signatureOf('other')]) {
      const reply = await post('forged', signature)
      assert.equal(reply.status, 401)
      assert.match(await reply.text(), /X-Sandbox-Signature/)
    }
    const unfit: readonly [body: unknown, said: RegExp][] = [
      [{ from: 'nobody', text: 'forged' }, / \/from: An address of the sandbox looks like /],
      [{ from: 'ana@delivers.sandbox', text: '' }, / \/text: The text must have at least 1 character\./],
      [{ text: 'forged' }, / \/from: The value is required\./],
      [{ from: 'ana@delivers.sandbox' }, /Without both, /],
      [{ from: 'ana@delivers.sandbox', text: 'a', '<secret>': 1 }, / the body: There is a field/],
      [{ from: 'ana@delivers.sandbox', content: { '<secret>': 1 } }, / \/content: There is a field/],
      [{ from: 'ana@delivers.sandbox', text: 'a\0' }, / \/text: The text has U\+0000/],
      [{ marketing: { from: 'nobody', choice: 'opted_out' } }, / \/marketing\/from: /],
      [{ template: { name: 'a', language: 'en', status: 'lost' } }, / \/template\/status: /],
      ['forged', /must be a JSON object/],
    ]
    for (const [body, said] of unfit) {
      const reply = await postCallback(posthorn.url, path, JSON.stringify(body))
      const text = await reply.text()
      assert.deepEqual([reply.status, text.includes('<secret>')], [400, false])
      assert.match(text, said)
    }
    assert.equal((await postCallback(posthorn.url, path, '{')).status, 400)
    assert.equal(await waitingIn(posthorn), 0)
    assert.ok(!(await textsIn(posthorn, 'trial')).includes('forged'))
  })

  test('finds nothing under a token that was made up, that of another network, or a path beside it', async () => {
    const changed = path.slice(0, -1) + (path.endsWith('0') ? '1' : '0')
    const bodies = new Set<string>()
    for (const other of [changed, path.replace('/sandbox/', '/xmpp/'), '/v1/callbacks/sandbox/cb_x']) {
      const reply = await postCallback(posthorn.url, other, written('lost'))
      const { request_id: _, ...problem } = (await reply.json()) as Record<string, unknown>
      assert.deepEqual([reply.status, problem.code], [404, 'route_not_found'])
      bodies.add(JSON.stringify(problem))
    }
    assert.equal(bodies.size, 1)
    const reply = await fetch(`${posthorn.url}${path}`, { method: 'PUT' })
    assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'GET, HEAD, POST'])
  })

  test('may ask by GET whether the URL works', async () => {
    const reply = await fetch(`${posthorn.url}${path}?hub=a&hub=b`)
    assert.deepEqual([reply.status, await reply.text()], [200, 'ok'])
  })

  test('may not post more than the network ever does, said beforehand or not', async () => {
    const large = written('x'.repeat(70_000))
    assert.equal((await postCallback(posthorn.url, path, large)).status, 413)
    const body = new Blob([large]).stream()
    const headers = { 'x-sandbox-signature': signatureOf(large) }
    const init = { method: 'POST', body, headers, duplex: 'half' }
    const reply = await fetch(`${posthorn.url}${path}`, init as RequestInit)
    assert.equal(reply.status, 413)
    const packed = { method: 'POST', body: 'x', headers: { 'content-encoding': 'gzip' } }
    assert.equal((await fetch(`${posthorn.url}${path}`, packed)).status, 415)
  })

  test('is kept waiting by an instance that is stopped, until that starts again', async () => {
    const params = { name: 'trial' }
    await posthorn.admin.call(stopInstance, { params, waitSeconds: 10 })
    assert.equal((await post('While you were out')).status, 200)
    assert.equal(await waitingIn(posthorn), 1)
    posthorn = await posthorn.restart()
    assert.equal(await waitingIn(posthorn), 1)
    await posthorn.admin.call(startInstance, { params, waitSeconds: 10 })
    await drained(posthorn)
    assert.equal((await textsIn(posthorn, 'trial')).at(-1), 'While you were out')
  })

  test('signs with the credentials that the instance has now', async () => {
    await posthorn.admin.call(replaceCredentials, {
      params: { name: 'trial' },
      body: { credentials: { token: 'fresh' } },
      waitSeconds: 10,
    })
    assert.equal((await post('Old')).status, 401)
    assert.equal((await post('New', signatureOf(written('New'), 'fresh'))).status, 200)
    await drained(posthorn)
    const body = { credentials: { token: 'open-sesame' } }
    await posthorn.admin.call(replaceCredentials, { params: { name: 'trial' }, body, waitSeconds: 10 })
  })

  test('is known by its URL only to those who manage instances', async () => {
    const params = { name: 'trial' }
    const shown = async (role: 'admin' | 'send' | 'read') => {
      const client = posthorn.client((await posthorn.createKey('default', role)).key)
      const { body } = await client.call(getInstance, { params })
      const listed = (await client.call(listInstances, {})).body.data.find(({ name }) => name === 'trial')
      assert.equal(listed?.callback_url, body.callback_url)
      return body.callback_url
    }
    assert.deepEqual([await shown('admin'), await shown('send'), await shown('read')], [path, null, null])
  })

  test('finds nothing once its instance is removed, and what waited is gone', async () => {
    const gone = await createCalledBack(posthorn.admin, 'gone')
    const params = { name: 'gone' }
    await posthorn.admin.call(stopInstance, { params, waitSeconds: 10 })
    assert.equal((await postCallback(posthorn.url, gone, written('Hello'))).status, 200)
    await posthorn.admin.call(deleteInstance, { params })
    assert.equal(await waitingIn(posthorn), 0)
    assert.equal((await postCallback(posthorn.url, gone, written('Hello'))).status, 404)
  })
})

describe('more callbacks than may wait', () => {
  let posthorn: Posthorn

  before(async () => {
    posthorn = await startPosthorn({ environment: { POSTHORN_CALLBACK_LIMIT: '3' } })
  })
  after(() => posthorn.stop())

  test('are answered with 503 until those before them are handled, and no other instance notices', async () => {
    const path = await createCalledBack(posthorn.admin, 'slow')
    const neighbour = await createCalledBack(posthorn.admin, 'quick')
    const params = { name: 'slow' }
    await posthorn.admin.call(stopInstance, { params, waitSeconds: 10 })
    const post = (text: string) => postCallback(posthorn.url, path, written(text))
    for (const text of ['one', 'two', 'three']) assert.equal((await post(text)).status, 200)
    const refused = await post('four')
    assert.equal(refused.status, 503)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal(((await refused.json()) as { code: string }).code, 'callback_not_accepted')
    assert.equal((await postCallback(posthorn.url, neighbour, written('Hello'))).status, 200)
    await posthorn.admin.call(startInstance, { params, waitSeconds: 10 })
    await drained(posthorn)
    assert.equal((await post('four')).status, 200)
    await drained(posthorn)
    assert.deepEqual(await textsIn(posthorn, 'slow'), ['one', 'two', 'three', 'four'])
  })
})

test('a stranger who knows no token, or cannot sign, is slowed down, and the network is not', async () => {
  const posthorn = await startPosthorn({ environment: { POSTHORN_ADDRESS_RATE: '5/600' } })
  try {
    const path = await createCalledBack(posthorn.admin, 'trial')
    const unknown = () => postCallback(posthorn.url, '/v1/callbacks/sandbox/cb_x', written('x'))
    for (let count = 0; count < 3; count++) assert.equal((await unknown()).status, 404)
    for (let count = 0; count < 2; count++)
      assert.equal((await postCallback(posthorn.url, path, written('x'), 'forged')).status, 401)
    assert.equal((await unknown()).status, 429)
    assert.equal((await postCallback(posthorn.url, path, written('x'), 'forged')).status, 429)
    assert.equal((await postCallback(posthorn.url, path, written('Hello'))).status, 200)
  } finally {
    await posthorn.stop()
  }
})

test('an instance that is called back too often answers 429, and says when it takes more', async () => {
  const posthorn = await startPosthorn({ environment: { POSTHORN_CALLBACK_RATE: '2/600' } })
  try {
    const path = await createCalledBack(posthorn.admin, 'trial')
    const statuses: number[] = []
    for (const text of ['one', 'two', 'three'])
      statuses.push((await postCallback(posthorn.url, path, written(text))).status)
    assert.deepEqual(statuses, [200, 200, 429])
  } finally {
    await posthorn.stop()
  }
})

test('the token is in no line of the log, whatever happens to the request', async () => {
  const lines: string[] = []
  const posthorn = await startPosthorn({ log: { write: (line) => void lines.push(line) } })
  try {
    const path = await createCalledBack(posthorn.admin, 'trial')
    const token = path.split('/').at(-1) ?? ''
    for (const body of [written('Hello'), 'x'.repeat(70_000), 'no JSON'])
      await postCallback(posthorn.url, path, body)
    await postCallback(posthorn.url, path, written('x'), 'forged')
    await postCallback(posthorn.url, `${path.slice(0, -2)}00`, written('x'))
    await fetch(`${posthorn.url}${path}`, { method: 'DELETE' })
    assert.ok(lines.length > 5)
    assert.equal(lines.filter((line) => line.includes(token.slice(0, -2))).length, 0)
  } finally {
    await posthorn.stop()
  }
})
