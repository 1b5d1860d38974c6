import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fetchInPieces } from '../../integrations/chatwoot/src/streamed-form.ts'

test('a form arrives as it is and with its length', async (context) => {
  const form = new FormData()
  form.append('content', 'Two\nlines, "quoted", and 😀')
  const bytes = new Uint8Array(1_000_000).map((_, index) => index % 251)
  form.append('attachments[]', new File([bytes], 'a "name"\r\n.png', { type: 'image/png' }))
  let headers: IncomingHttpHeaders = {}
  const chunks: Buffer[] = []
  const server = createServer((request, response) => {
    headers = request.headers
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => response.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  context.after(() => server.close())
  const { port } = server.address() as AddressInfo
  await (await fetchInPieces(`http://127.0.0.1:${port}`, { method: 'POST', body: form })).text()

  const body = new Uint8Array(Buffer.concat(chunks))
  assert.equal(headers['content-length'], String(body.length))
  const type = headers['content-type'] ?? ''
  const read = await new Response(body, { headers: { 'content-type': type } }).formData()
  assert.equal(read.get('content'), 'Two\nlines, "quoted", and 😀')
  const file = read.get('attachments[]') as File
  assert.equal(file.type, 'image/png')
  assert.equal(file.name, 'a "name"\r\n.png')
  assert.deepEqual(new Uint8Array(await file.arrayBuffer()), bytes)
})
