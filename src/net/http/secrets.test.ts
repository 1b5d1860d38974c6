import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Authority } from '../../../test/kit/far-ends/certificates.ts'
import { closedPort, farEnd, listed, reply } from '../../../test/kit/far-ends/fetching.ts'
import { Requesting } from '../../../test/kit/far-ends/requesting.ts'

const secret = '123456:TheSecretOfTheseTests'

/** Everything that can be seen of a value, with what is hidden in it. */
function everythingOf(value: unknown): string {
  const error = value instanceof Error ? `${value.stack} ${value.message}` : ''
  return `${inspect(value, { depth: 20, showHidden: true, getters: true })} ${error}`
}

/** A response that repeats the request in every place that it has. */
function echo(head: string): string {
  const path = head.split(' ')[1] ?? ''
  return reply(302, {
    Location: path,
    Link: `<${path}>`,
    'Set-Cookie': `a=${secret}`,
    'Content-Type': 'text/plain',
  })
}

test('nothing that comes out repeats the URL or a header, whatever goes wrong', async (t) => {
  const requesting = await Requesting.start(t, (name, type) =>
    type === 'A' && name === 'api.test' ? [listed] : [],
  )
  const untrusted = new Authority('Nobody').certify({ hosts: ['api.test'] })
  const tls = await farEnd(t, () => {}, { certified: untrusted })
  const lost = await farEnd(t, ({ socket }) => socket.resetAndDestroy())
  const garbage = await farEnd(t, ({ head, socket }) => socket.end(head))
  const cut = await farEnd(t, ({ socket }) => socket.end(reply(200, { 'Content-Length': '9' }, 'x')))
  const large = await farEnd(t, ({ socket }) => socket.end(reply(200, {}, 'x'.repeat(2_000_000))))
  const redirect = await farEnd(t, ({ head, socket }) => socket.end(echo(head)))
  const path = `/bot${secret}/send?token=${secret}`
  const urls = [
    `https://api.test:${tls.port}`,
    ...[lost, garbage, cut, large, redirect].map(({ port }) => `http://api.test:${port}`),
    `http://api.test:${await closedPort(t)}`,
    'http://gone.test',
    'https://10.0.0.1',
    'nonsense://api.test',
    `https://user:${secret}@api.test`,
    `https://api.test/${'x'.repeat(3_000)}`,
    'not a URL ',
  ].map((origin) => `${origin}${path}`)
  const said: unknown[] = []
  t.mock.method(process, 'emitWarning', (warning: unknown) => said.push(warning))
  const headers = { Authorization: `Bearer ${secret}` }
  const bad = { Authorization: `Bearer ${secret}\n`, [secret]: 'x' }
  const ended = AbortSignal.abort(new Error('ended'))
  for (const url of urls) {
    for (const wishes of [{ headers }, { headers: bad }, { headers, signal: ended }]) {
      const wantedHeaders = ['content-type']
      said.push(await requesting.request(url, { ...wishes, wantedHeaders }))
      const opened = await requesting.open(url, { ...wishes, wantedHeaders })
      said.push(opened)
      if (opened.kind === 'responded') said.push(await opened.body.toArray().catch((caught) => caught))
      if (opened.kind === 'responded') said.push(opened)
    }
  }
  const unreadable = () => new Readable({ read: () => assert.fail('unreadable') })
  const file = { name: 'a', filename: 'b', type: 'c/d', size: 1, open: unreadable }
  const body = { form: { fields: {}, file } }
  said.push(await requesting.request(`http://api.test:${lost.port}${path}`, { headers, body }))
  said.push(requesting.client)
  assert.ok(said.length > 80)
  for (const each of said) {
    const text = everythingOf(each)
    assert.ok(!text.includes('TheSecret'), text)
    assert.ok(!text.includes('/bot'), text)
  }
})
