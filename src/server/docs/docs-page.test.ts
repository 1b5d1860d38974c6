import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { docsPage, docsPaths, docsResponse } from './docs-page.ts'

describe('the reference under /docs', () => {
  test('serves exactly the paths that it announces', async () => {
    const { routes } = await docsPage()
    assert.deepEqual(routes.map(({ path }) => path).sort(), [...docsPaths].sort())
    for (const { body, contentType, headers } of routes) {
      assert.ok(body.length > 0)
      assert.match(contentType, /^(text\/(html|css|javascript); charset=utf-8|image\/svg\+xml)$/)
      assert.match(String(headers.etag), /^W\/"[\w-]{43}"$/)
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
  })

  test('loads nothing from elsewhere, and forbids it', async () => {
    const { headers, body } = await docsResponse('/docs', {})
    const sources = [...body.toString().matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => String(match[1]))
    assert.ok(sources.length >= 4)
    for (const source of sources) assert.match(source, /^(docs|v1)\/[\w.]+(\?[\w-]+)?$/)
    assert.doesNotMatch(body.toString(), /<script(?! src=)|<style|\son\w+=/)
    const policy = new Map(
      String(headers['content-security-policy'])
        .split('; ')
        .map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]),
    )
    assert.deepEqual(policy.get('default-src'), ["'none'"])
    assert.deepEqual(policy.get('script-src'), ["'self'"])
    assert.deepEqual(policy.get('connect-src'), ["'self'"])
    const foreign = [...policy.values()].flat().filter((source) => /[.*]|https?:/.test(source))
    assert.deepEqual(foreign, [])
  })

  test('the page names the files that are served, by their content', async () => {
    const page = (await docsResponse('/docs', {})).body.toString()
    for (const path of ['docs/reference.js', 'docs/start.js', 'docs/reference.css']) {
      assert.match(page, new RegExp(`"${path.replace('.', '\\.')}\\?[\\w-]{16}"`))
      const { headers } = await docsResponse(`/${path}` as (typeof docsPaths)[number], {})
      assert.match(String(headers['cache-control']), /max-age=31536000, immutable/)
    }
    assert.equal((await docsResponse('/docs', {})).headers['cache-control'], 'no-cache')
  })

  test('the component is the one that the starting script calls', async () => {
    const component = (await docsResponse('/docs/reference.js', {})).body.toString()
    assert.ok(component.includes('createApiReference'))
    assert.match(
      (await docsResponse('/docs/start.js', {})).body.toString(),
      /^Scalar\.createApiReference\('#reference', \{/,
    )
  })

  test('shows the server at the URL that it was opened at, also under a path of a proxy', async () => {
    const script = (await docsResponse('/docs/start.js', {})).body.toString()
    const given: { servers: { url: string }[] }[] = []
    const Scalar = {
      createApiReference: (_at: string, options: { servers: { url: string }[] }) => given.push(options),
    }
    for (const href of ['http://127.0.0.1:8080/docs', 'https://gateway.example/posthorn/docs?a#b'])
      new Function('Scalar', 'location', script)(Scalar, { href })
    assert.deepEqual(
      given.map(({ servers }) => servers[0]?.url),
      ['http://127.0.0.1:8080', 'https://gateway.example/posthorn'],
    )
  })

  test('answers 304 to a browser that has the file', async () => {
    const { headers } = await docsResponse('/docs/start.js', {})
    const tag = String(headers.etag)
    for (const known of [tag, `"other", ${tag}`, tag.replace('W/', ''), '*']) {
      const { status, body } = await docsResponse('/docs/start.js', { 'if-none-match': known })
      assert.deepEqual([status, body.length], [304, 0], known)
    }
    assert.equal((await docsResponse('/docs/start.js', { 'if-none-match': 'W/"other"' })).status, 200)
  })

  test('compresses for those who accept it', async () => {
    const plain = await docsResponse('/docs/reference.js', {})
    const small = await docsResponse('/docs/reference.js', { 'accept-encoding': 'br, gzip;q=0.5' })
    assert.equal(small.headers['content-encoding'], 'gzip')
    assert.ok(small.body.length < plain.body.length / 2)
    assert.ok(gunzipSync(small.body).equals(plain.body))
    for (const accepted of ['', 'br', 'gzip;q=0', 'gzip;q=0.0, br']) {
      const reply = await docsResponse('/docs/reference.js', { 'accept-encoding': accepted })
      assert.equal(reply.headers['content-encoding'], undefined, accepted)
      assert.equal(reply.headers.vary, 'accept-encoding')
    }
  })
})
