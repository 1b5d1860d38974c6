import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, sep } from 'node:path'
import { after, before, test } from 'node:test'
import {
  getMessage,
  getMessageMedia,
  sendMediaMessage,
} from '../../../src/contract/operations/message-operations.ts'
import { smallBytes } from '../../../src/media/draft.ts'
import { create, eventually, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The files of messages, read back: whole and in parts, by those who may, and for as long as they are kept. */

const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(700_000)])
const etag = `"${createHash('sha256').update(pdf).digest('hex')}"`

let posthorn: Posthorn
let web: Server
let origin: string
/** Lets go of the file that the web server holds back, once it was asked for. */
let answer: (() => void) | undefined

before(async () => {
  web = createServer((request, response) => {
    if (request.url === '/missing.pdf') response.writeHead(404).end()
    else answer = () => response.end(pdf)
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
  const environment = { POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.1/32', POSTHORN_MEDIA_STORE: 'files' }
  posthorn = await startPosthorn({ environment })
  await create(posthorn.admin, 'trial')
})

after(async () => {
  await posthorn.stop()
  web.closeAllConnections()
  web.close()
})

async function upload(bytes: Buffer, filename: string, to = 'ana@delivers.sandbox'): Promise<string> {
  const body = new FormData()
  for (const [name, value] of Object.entries({ instance: 'trial', to, kind: 'document', filename }))
    body.set(name, value)
  body.set('file', new Blob([new Uint8Array(bytes)]), 'upload.bin')
  const { id, status } = (await posthorn.admin.call(sendMediaMessage, { body, waitSeconds: 10 })).body
  assert.ok(['sent', 'delivered', 'sending'].includes(status))
  return id
}

/** Asks for the file of a message, with the admin's key unless told. */
async function ask(id: string, headers: Record<string, string> = {}, key = posthorn.adminKey) {
  const path = `/v1/messages/${id}/media`
  return posthorn.admin.rawRequest('GET', path, { headers: { authorization: `Bearer ${key}`, ...headers } })
}

/** Describes a response in a few words. */
async function said(id: string, headers?: Record<string, string>, key?: string): Promise<string> {
  const { status, json } = await ask(id, headers, key)
  return [status, (json as { code?: string } | undefined)?.code].join(' ').trim()
}

test('a file that was sent is read back whole, by its name, as what it is', async () => {
  const id = await upload(pdf, 'Größe.pdf')
  const { status, headers, bytes } = await ask(id)
  assert.equal(status, 200)
  assert.ok(bytes.equals(pdf))
  assert.deepEqual(
    [headers['content-type'], headers['content-length'], headers.etag, headers['accept-ranges']],
    ['application/pdf', String(pdf.length), etag, 'bytes'],
  )
  assert.match(headers['content-disposition'] ?? '', /^attachment; .*filename\*=UTF-8''Gr%C3%B6%C3%9Fe\.pdf$/)
  assert.equal(headers['x-content-type-options'], 'nosniff')
  const { bytes: typed } = await posthorn.admin.call(getMessageMedia, { params: { id } })
  assert.ok(typed && pdf.equals(typed))
})

test('a page or a drawing with a script in it is only saved, and would be sandboxed if a browser showed it', async () => {
  for (const [filename, contents] of Object.entries({
    'page.html': '<!doctype html><script>parent.harmed = true</script>',
    'drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>parent.harmed = true</script></svg>',
  })) {
    const { headers } = await ask(await upload(Buffer.from(contents), filename))
    assert.match(headers['content-disposition'] ?? '', /^attachment; /)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(headers['content-security-policy'] ?? '', /(^|; )sandbox$/)
  }
})

test('a file is read in parts, which make up the whole', async () => {
  const id = await upload(pdf, 'parts.pdf')
  const parts: Buffer[] = []
  for (let first = 0; first < pdf.length; first += 100_000) {
    const range = `bytes=${first}-${first + 99_999}`
    const { status, headers, bytes } = await ask(id, { range, 'if-range': etag })
    assert.equal(status, 206)
    const last = Math.min(first + 99_999, pdf.length - 1)
    assert.equal(headers['content-range'], `bytes ${first}-${last}/${pdf.length}`)
    parts.push(bytes)
  }
  assert.ok(Buffer.concat(parts).equals(pdf))
  const beyond = await ask(id, { range: `bytes=${pdf.length}-` })
  assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, `bytes */${pdf.length}`])
  assert.equal((await ask(id, { 'if-none-match': etag })).status, 304)
})

test('how long a file is can be asked without reading it', async () => {
  const id = await upload(pdf, 'long.pdf')
  const head = async (headers: Record<string, string>) => {
    const authorization = `Bearer ${posthorn.adminKey}`
    const url = `${posthorn.url}/v1/messages/${id}/media`
    const reply = await fetch(url, { method: 'HEAD', headers: { authorization, ...headers } })
    return [reply.status, reply.headers.get('content-length'), reply.headers.get('etag')]
  }
  assert.deepEqual(await head({ range: 'bytes=0-9' }), [200, String(pdf.length), etag], 'only GET has ranges')
  assert.deepEqual(await head({ 'if-none-match': etag }), [304, null, etag])
})

test('an empty file is one, too', async () => {
  const id = await upload(Buffer.alloc(0), 'nothing.txt')
  const { status, headers, bytes } = await ask(id)
  assert.deepEqual([status, headers['content-length'], bytes.length], [200, '0', 0])
  assert.equal(await said(id, { range: 'bytes=0-' }), '416 range_not_satisfiable')
})

test('nobody reads the file of another organization, or without a key', async () => {
  const id = await upload(pdf, 'ours.pdf')
  await posthorn.createOrganization('rival')
  const { key } = await posthorn.createKey('rival', 'admin')
  assert.equal(await said(id, {}, key), '404 message_not_found')
  assert.equal(await said(id, {}, 'nobody'), '401 unauthenticated')
  const { key: reader } = await posthorn.createKey('default', 'read')
  assert.equal(await said(id, {}, reader), '200')
})

test('a message without a file says so', async () => {
  const { id } = await text(posthorn.admin, { instance: 'trial', to: 'ana@delivers.sandbox' })
  assert.equal(await said(id), '404 media_not_found')
  assert.equal(await said('msg_00000000000000000000000000'), '404 message_not_found')
  assert.equal(await said('strange'), '404 message_not_found')
})

test('a file that is still being fetched is told from one that cannot be had', async () => {
  const kind = 'document' as const
  const media = { instance: 'trial', to: 'ana@delivers.sandbox', kind, url: `${origin}/slow.pdf` }
  const { body: message } = await posthorn.admin.call(sendMediaMessage, { body: media })
  const { status, headers } = await ask(message.id)
  assert.deepEqual([status, headers['retry-after']], [409, '2'])
  const give = await eventually(
    'the fetch',
    async () => answer,
    (asked) => asked !== undefined,
  )
  give?.()
  await reaches(posthorn.admin, message.id, 'delivered')
  assert.ok((await ask(message.id)).bytes.equals(pdf))
  const missing = { ...media, url: `${origin}/missing.pdf` }
  const { body: other } = await posthorn.admin.call(sendMediaMessage, { body: missing })
  await reaches(posthorn.admin, other.id, 'failed')
  assert.equal(await said(other.id), '404 media_not_found')
})

test('a file whose bytes are gone is not there, and its message still is', async () => {
  const id = await upload(Buffer.alloc(smallBytes + 1, 'soon gone'), 'gone.txt')
  const folder = join(posthorn.data, 'media', 'files')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (name.includes(sep)) rmSync(join(folder, name))
  assert.equal(await said(id), '404 media_not_found')
  assert.equal((await posthorn.admin.call(getMessage, { params: { id } })).body.media?.filename, 'gone.txt')
})

test('a file is kept for its time after its message was settled, and then forgotten', async () => {
  const id = await upload(Buffer.from('kept a while'), 'kept.txt')
  await reaches(posthorn.admin, id, 'delivered')
  assert.equal(await said(id), '200')
  await posthorn.forgetFiles(Date.now())
  assert.equal(await said(id), '404 media_not_found')
})
