import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { revokeKey } from '../../../src/contract/operations/key-operations.ts'
import { Browser } from '../../kit/http/browser.ts'
import { eventually } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Pages of the console that only listen, and whose session ends meanwhile. */

let posthorn: Posthorn
before(async () => {
  posthorn = await startPosthorn()
})

after(() => posthorn.stop())

async function signedIn(key = posthorn.adminKey): Promise<Browser> {
  const browser = new Browser(posthorn.url)
  const reply = await browser.signIn({ key })
  assert.equal(reply.status, 204, reply.text)
  return browser
}

/** The stream of events, as the page of a browser has it. */
async function listen({ cookie }: Browser): Promise<Response> {
  const headers = { cookie, accept: 'text/event-stream', 'sec-fetch-site': 'same-origin' }
  const stream = await fetch(`${posthorn.url}/v1/events`, { headers })
  assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  return stream
}

const create = (browser: Browser, name: string) => browser.ask('POST', '/v1/instances', { name })
const signOut = (browser: Browser, where = '') => browser.ask('DELETE', `/console/session${where}`)

describe('a page that listens', () => {
  // Without being told, the streams would notice at their next sign of life, after 15 seconds.
  const ends: readonly [
    what: string,
    end: (browser: Browser, id: string, key: string) => Promise<unknown>,
  ][] = [
    ['an admin revokes its key', (_, id) => posthorn.admin.call(revokeKey, { params: { id } })],
    ['it signs out in another tab', (browser) => signOut(browser)],
    ['another browser signs all out', async (_, __, key) => signOut(await signedIn(key), '?everywhere=true')],
  ]
  for (const [what, end] of ends)
    test(`is told no more, at once, when ${what}`, { timeout: 10_000 }, async () => {
      const { id, key } = await posthorn.createKey('default', 'read')
      const browser = await signedIn(key)
      const stream = await listen(browser)
      await end(browser, id, key)
      await stream.text()
    })

  test('goes on listening when another browser with its key signs out', async () => {
    const { key } = await posthorn.createKey('default', 'read')
    const stream = await listen(await signedIn(key))
    await signOut(await signedIn(key))
    await create(await signedIn(), 'told')
    let told = ''
    for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? assert.fail()) {
      told += text
      if (told.includes('"told"')) return
    }
    assert.fail(`the stream ended: ${told}`)
  })

  test('is told nothing after another process revoked its key', async () => {
    const { id, key } = await posthorn.createKey('default', 'read')
    const response = await listen(await signedIn(key))
    let hasEnded = false
    const told = response.text().finally(() => {
      hasEnded = true
    })
    const browser = await signedIn()
    await create(browser, 'before')
    await posthorn.revokeKey(id)
    let made = 0
    await eventually(
      'the stream to end',
      async () => {
        await create(browser, `after-${++made}`)
        return hasEnded
      },
      (ended) => ended,
    )
    assert.match(await told, /"before"/)
    assert.ok(!(await told).includes(`"after-${made}"`))
    assert.doesNotMatch(await told, /still here/, 'it took until the next sign of life')
  })
})
