import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { serveConsole } from './console-route.ts'
import { serveLinkPage } from './link-page-route.ts'

const enter = async () => {}

for (const page of ['console', 'link'] as const) {
  test(`the page /${page} asks for its own files only, so that no other part of the server is loaded for it`, async () => {
    const server = fastify()
    serveConsole(server, { enter, handlers: [], version: '0' })
    serveLinkPage(server, enter)
    const { body } = await server.inject(`/${page}`)
    const asked = [...body.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, path = '']) => path)
    assert.ok(asked.length > 3)
    for (const path of asked) {
      assert.match(path, new RegExp(`^${page}/files/`))
      assert.equal((await server.inject(`/${path}`)).statusCode, 200, path)
    }
    await server.close()
  })
}

test('the page is compressed for browsers that say they can read it, and is the same then', async () => {
  const server = fastify()
  serveConsole(server, { enter, handlers: [], version: '0' })
  const plain = await server.inject('/console')
  const headers = { 'accept-encoding': 'gzip, deflate, br' }
  const compressed = await server.inject({ url: '/console', headers })
  assert.equal(compressed.headers['content-encoding'], 'gzip')
  assert.equal(compressed.headers.vary, 'accept-encoding')
  assert.equal(gunzipSync(compressed.rawPayload).toString(), plain.body)
  await server.close()
})
