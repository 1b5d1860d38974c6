import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { checkReply } from '../../kit/http/checked-client.ts'
import { RawConnection } from '../../kit/http/raw-connection.ts'
import { create } from '../../kit/play.ts'
import { freshFolder, type Posthorn, spawnPosthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The last answer on a connection reaches its caller, also one who was still sending when the server had said everything. */

const host = 'host: localhost\r\n'
const json = 'content-type: application/json\r\n'

describe('a caller who writes all of its body before it looks for the answer', () => {
  const body = Buffer.alloc(10 * 1024 * 1024, 'x')
  const counted = `content-length: ${body.length}\r\n`
  let posthorn: Posthorn
  let key: string

  before(async () => {
    posthorn = await startPosthorn()
    key = `authorization: Bearer ${posthorn.adminKey}\r\n`
  })

  after(() => posthorn.stop())

  /** Looks at nothing before everything is written, and returns everything that came until the end. */
  function writeThenRead(...parts: readonly (string | Uint8Array)[]): Promise<string> {
    const { hostname, port } = new URL(posthorn.url)
    const socket = connect({ host: hostname, port: Number(port) })
    return new Promise((resolve, reject) => {
      let received = ''
      socket.on('error', reject)
      socket.on('end', () => resolve(received))
      for (const part of parts.slice(0, -1)) socket.write(part)
      socket.write(parts.at(-1) ?? '', () => {
        socket.on('data', (chunk: Buffer) => {
          received += chunk.toString()
        })
      })
    })
  }

  function codeIn(reply: string, method: string, path: string): string {
    const [head = '', text = ''] = reply.split('\r\n\r\n')
    const [line = '', ...fields] = head.split('\r\n')
    const headers = Object.fromEntries(fields.map((field) => field.toLowerCase().split(': ')))
    assert.equal(headers.connection, 'close')
    checkReply(method, path, { status: Number(line.split(' ')[1]), headers, text })
    return (JSON.parse(text) as { code: string }).code
  }

  const texts = '/v1/messages/text'
  const cases: readonly (readonly [code: string, path: string, headers: () => string])[] = [
    ['body_too_large', texts, () => `${key}${json}${counted}`],
    ['unauthenticated', texts, () => `${json}${counted}`],
    ['unsupported_media_type', texts, () => `${key}content-type: text/plain\r\n${counted}`],
    ['unsupported_media_type', texts, () => `${key}${json}content-encoding: gzip\r\n${counted}`],
    ['route_not_found', '/v1/message', () => `${key}${json}${counted}`],
    ['malformed_body', '/v1/messages/media', () => `${key}content-type: multipart/form-data\r\n${counted}`],
  ]
  for (const [code, path, headers] of cases) {
    test(`reads ${code} from ${path}, of 10 MB, a hundred times out of a hundred`, async () => {
      const head = `POST ${path} HTTP/1.1\r\n${host}${headers()}\r\n`
      for (let round = 0; round < 10; round++) {
        const replies = Array.from({ length: 10 }, () => writeThenRead(head, body))
        for (const reply of await Promise.all(replies)) assert.equal(codeIn(reply, 'POST', path), code)
      }
    })
  }

  test('reads body_too_large even if the body comes in chunks', async () => {
    const head = `POST ${texts} HTTP/1.1\r\n${host}${key}${json}transfer-encoding: chunked\r\n\r\n`
    const reply = await writeThenRead(head, `${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n')
    assert.equal(codeIn(reply, 'POST', texts), 'body_too_large')
  })

  describe('of 64 MB where 16 are taken', () => {
    const media = '/v1/messages/media'
    const form = 'content-type: multipart/form-data; boundary=b\r\n'
    const opening =
      '--b\r\ncontent-disposition: form-data; name="kind"\r\n\r\nimage\r\n' +
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
    const file = Buffer.alloc(64 * 1024 * 1024, 'picture')
    const ends = '\r\n--b--\r\n'
    const whole = opening.length + file.length + ends.length

    test('reads body_too_large, and nothing of the file stays', async () => {
      const head = `POST ${media} HTTP/1.1\r\n${host}${key}${form}content-length: ${whole}\r\n\r\n`
      for (let round = 0; round < 5; round++) {
        const replies = Array.from({ length: 2 }, () => writeThenRead(head, opening, file, ends))
        for (const reply of await Promise.all(replies))
          assert.equal(codeIn(reply, 'POST', media), 'body_too_large')
      }
      assert.deepEqual(readdirSync(join(posthorn.data, 'media', 'drafts')), [])
    })

    test('reads body_too_large even if it comes in chunks', async () => {
      const head = `POST ${media} HTTP/1.1\r\n${host}${key}${form}transfer-encoding: chunked\r\n\r\n`
      const size = `${whole.toString(16)}\r\n`
      const reply = await writeThenRead(head, size, opening, file, ends, '\r\n0\r\n\r\n')
      assert.equal(codeIn(reply, 'POST', media), 'body_too_large')
    })
  })

  test('reads headers_too_large if it is all in the headers', async () => {
    const reply = await writeThenRead(`GET ${texts} HTTP/1.1\r\n${host}x-filler: `, body, '\r\n\r\n')
    assert.equal(codeIn(reply, 'GET', '/no/operation'), 'headers_too_large')
  })
})

describe('64 callers who send in a loop, each on a connection of its own', () => {
  const path = '/v1/messages/text'

  /** Sends text after text until the server says that it was the last, and notes how each was answered. */
  async function sendOn(url: string, key: string, answers: (number | 'not at all')[]): Promise<void> {
    const text = '{"instance":"trial","to":"ana@accepts.sandbox","text":"Again"}'
    const head = `POST ${path} HTTP/1.1\r\n${host}authorization: Bearer ${key}\r\n${json}`
    const connection = await RawConnection.open(url)
    // A caller who was held up until the server took it for idle knows of the end before it would send again.
    for (let isLast = false; !isLast && !connection.socket.readableEnded; await setImmediate()) {
      connection.write(`${head}content-length: ${text.length}\r\n\r\n${text}`)
      const reply = await connection.reply('POST', path).catch(() => undefined)
      answers.push(reply?.status ?? 'not at all')
      isLast = reply?.headers.connection === 'close'
    }
    await connection.ended()
  }

  test('have every request answered, also those under way when the server is told to stop', async () => {
    const data = freshFolder()
    const posthorn = await spawnPosthorn(data)
    await create(posthorn.admin, 'trial')
    const answers: (number | 'not at all')[] = []
    const callers = Array.from({ length: 64 }, () => sendOn(posthorn.url, posthorn.adminKey, answers))
    while (answers.length < 1_000) await setImmediate()
    assert.equal(await posthorn.end('SIGTERM'), 0)
    await Promise.all(callers)
    assert.deepEqual(
      answers.filter((answer) => answer !== 202 && answer !== 503),
      [],
    )
    rmSync(data, { recursive: true })
  })
})
