import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { RawConnection, type WireReply } from '../../kit/http/raw-connection.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Names by which callers may reach a server: a web page whose own name leads here (DNS rebinding) gets no response. */

const host = 'host: localhost\r\n'
let posthorn: Posthorn
let connection: RawConnection
let authorization: string

before(async () => {
  const environment = {
    POSTHORN_BASE_URL: 'https://gateway.example/posthorn',
    POSTHORN_ALLOWED_HOSTS: 'posthorn.internal',
  }
  posthorn = await startPosthorn({ environment })
  authorization = `authorization: Bearer ${posthorn.adminKey}\r\n`
})
beforeEach(async () => {
  connection = await RawConnection.open(posthorn.url)
})
afterEach(() => connection.close())
after(() => posthorn.stop())

function codeOf({ text, status }: WireReply): string {
  return text.startsWith('{"type"') ? (JSON.parse(text) as { code: string }).code : `${status}`
}

describe('the name in the Host header', () => {
  test('two Hosts are refused, also the same one twice', async () => {
    for (const second of ['host: evil.example\r\n', host, 'HOST: localhost\r\n']) {
      connection.write(`GET /healthz HTTP/1.1\r\n${host}${second}\r\n`)
      const reply = await connection.reply('GET', '/healthz')
      assert.equal(codeOf(reply), 'invalid_request')
      assert.match(reply.text, /"pointer":"header\/Host","code":"too_many"/)
    }
  })

  test('a Host by which nobody reaches the server is told the setting, whatever is asked but for health', async () => {
    for (const [target, key] of [
      ['/v1/instances', authorization],
      ['/v1/openapi.json', ''],
      ['/no/such/path', ''],
    ]) {
      const evil = `GET ${target} HTTP/1.1\r\nhost: evil.example:8080\r\n${key}\r\n`
      const reply = await connection.write(evil).reply('GET', target as string)
      assert.equal(codeOf(reply), 'misdirected_request')
      assert.match(reply.text, /POSTHORN_ALLOWED_HOSTS/)
      assert.doesNotMatch(reply.text, /evil/)
    }
    for (const target of ['/healthz', '/readyz']) {
      connection.write(`GET ${target} HTTP/1.1\r\nhost: evil.example\r\n\r\n`)
      assert.equal((await connection.reply('GET', target)).status, 200)
    }
    for (const good of [
      '127.0.0.1',
      '[::1]:80',
      'LOCALHOST:1',
      'gateway.example',
      'posthorn.internal:8080',
    ]) {
      connection.write(`GET /v1/instances HTTP/1.1\r\nhost: ${good}\r\n${authorization}\r\n`)
      assert.equal((await connection.reply('GET', '/v1/instances')).status, 200)
    }
  })
})
