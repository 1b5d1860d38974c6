import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setDefaultCACertificates } from 'node:tls'
import { listAudit } from '../../src/contract/operations/audit-operations.ts'
import type { MessageEventData } from '../../src/contract/resources/event.ts'
import { freePort } from '../kit/far-ends/free-ports.ts'
import { createCheckedClient } from '../kit/http/checked-client.ts'
import { EventListener, endOf } from '../kit/http/feed.ts'
import { bytesOf, end, field, file, formType } from '../kit/http/multipart.ts'
import { create, eventually, reaches, text } from '../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../kit/posthorn.ts'
import {
  checkConfiguration,
  type PlacedConfiguration,
  placeConfiguration,
  startWebProxy,
  type WebProxy,
  type WebProxyName,
  whyNoWebProxy,
} from '../kit/processes/web-proxies.ts'

/* The configurations of Caddy and nginx that come with Posthorn, in the real programs and before a real server. */

const megabyte = 1024 * 1024
const size = 100 * megabyte

/** The most memory that a process had at once so far, in bytes. */
function peakMemory(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

for (const name of ['caddy', 'nginx'] satisfies WebProxyName[]) {
  const skip = whyNoWebProxy(name) ?? process.platform !== 'linux'

  describe(`${name} before Posthorn`, { skip, timeout: 240_000 }, () => {
    const home = freshFolder()
    const data = join(home, 'data')
    let placed: PlacedConfiguration
    let proxy: WebProxy
    let posthorn: PosthornProcess
    let admin: ReturnType<typeof createCheckedClient>
    before(async () => {
      const port = await freePort()
      placed = await placeConfiguration(name, port)
      setDefaultCACertificates([placed.authority])
      posthorn = await spawnPosthorn(data, {
        POSTHORN_LISTEN: `127.0.0.1:${port}`,
        POSTHORN_BASE_URL: placed.url,
        POSTHORN_TRUSTED_PROXIES: '127.0.0.1/32',
      })
      proxy = await startWebProxy(name, placed)
      admin = createCheckedClient({ baseUrl: placed.url, key: posthorn.adminKey })
      await create(admin, 'trial')
    })
    after(async () => {
      await proxy?.stop()
      await posthorn?.end('SIGKILL')
      rmSync(home, { recursive: true, force: true })
    })

    test('it accepts the configuration', () => {
      const { code, output } = checkConfiguration(name, placed)
      assert.equal(code, 0, output)
      assert.doesNotMatch(output, /\[warn\]/)
    })

    test('an upload of 100 MB goes on as it comes, and is kept neither in memory nor on the disk of the proxy', async (t) => {
      const head = bytesOf(
        field('instance', 'trial'),
        field('to', 'ana@reads.sandbox'),
        field('kind', 'document'),
      )
      const [before = '', after = ''] = file('\0').toString('latin1').split('\0')
      const upload = begin('POST', '/v1/messages/media', {
        'content-type': formType,
        'content-length': String(head.length + before.length + size + after.length + end.length),
      })
      const peaks = () => [proxy.pid, posthorn.pid].map(peakMemory) as [number, number]
      const [proxyBefore, posthornBefore] = peaks()
      await upload.write(bytesOf(head, before))
      const chunk = Buffer.alloc(megabyte, 'x')
      for (let sent = 0; sent < size / 2; sent += chunk.length) await upload.write(chunk)
      // The second half is sent only after the first has arrived, but for what the sockets in between hold.
      await eventually(
        'the first half to arrive',
        async () => draftSize(),
        (bytes) => bytes > size * 0.4,
      )
      for (let sent = size / 2; sent < size; sent += chunk.length) await upload.write(chunk)
      const response = await upload.end(bytesOf(after, end))
      assert.equal(response.status, 202, response.text)
      await reaches(admin, JSON.parse(response.text).id, 'read')
      const [proxyAfter, posthornAfter] = peaks()
      const [proxyGrew, posthornGrew] = [proxyAfter - proxyBefore, posthornAfter - posthornBefore]
      const told = [proxyGrew, posthornGrew].map((bytes) => `${(bytes / megabyte).toFixed(1)} MB`)
      t.diagnostic(`the proxy grew by ${told[0]}, Posthorn by ${told[1]}`)
      assert.ok(proxyGrew < size / 4 && posthornGrew < size, told.join(', '))
    })

    test('an event stream comes event by event', async () => {
      const query = { types: ['message.sent' as const], after: await endOf(admin) }
      const events = new EventListener(admin, { query })
      for (let number = 1; number <= 5; number++) {
        const { id } = await text(admin, { instance: 'trial', to: 'ana@accepts.sandbox' })
        await events.until(
          `the event of text ${number}`,
          ({ data }) => (data as MessageEventData).message.id === id,
        )
      }
      events.leave()
      await events.ended
    })

    test('a caller has the address that the proxy sees, and no other that it claims', async () => {
      const claims = { forwarded: 'for=192.0.2.7', 'x-forwarded-for': '192.0.2.8', 'x-real-ip': '192.0.2.9' }
      for (const [host, headers] of [
        ['127.0.0.5', {}],
        ['127.0.0.6', claims],
      ] as const) {
        const call = begin('POST', '/v1/keys', { 'content-type': 'application/json', ...headers }, host)
        const made = await call.end(JSON.stringify({ role: 'read', name: host }))
        assert.equal(made.status, 201, made.text)
        const { body } = await admin.call(listAudit, { query: { action: 'createKey', limit: 1 } })
        assert.equal(body.data[0]?.address, host)
      }
    })

    /** Size of the file that is coming in. */
    function draftSize(): number {
      const drafts = join(data, 'media/drafts')
      return readdirSync(drafts).reduce((sum, draft) => sum + statSync(join(drafts, draft)).size, 0)
    }

    /** Begins a request with the admin key, from an address of this machine, whose body is written piece by piece. */
    function begin(
      method: string,
      path: string,
      headers: Record<string, string>,
      localAddress = '127.0.0.1',
    ) {
      const authorization = `Bearer ${posthorn.adminKey}`
      const all = { ...headers, authorization }
      const { port } = new URL(placed.url)
      const given = { host: '127.0.0.1', servername: 'localhost', port, ca: placed.authority, localAddress }
      const sent = request({
        ...given,
        method,
        path,
        headers: { host: `localhost:${port}`, ...all },
        agent: false,
      })
      const response = new Promise<{ status: number; text: string }>((resolve, reject) => {
        sent.on('error', reject)
        sent.on('response', async (answered) => {
          const chunks = await answered.toArray()
          resolve({ status: answered.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
        })
      })
      response.catch(() => {})
      return {
        write: (bytes: Uint8Array) =>
          Promise.race([
            response.then(({ status, text }) => assert.fail(`answered early: ${status} ${text}`)),
            new Promise<void>((resolve) => sent.write(bytes, () => resolve())),
          ]),
        end(bytes: string | Uint8Array) {
          sent.end(bytes)
          return response
        },
      }
    }
  })
}

test('the Caddyfile is written as Caddy writes it', { skip: whyNoWebProxy('caddy') ?? false }, () => {
  const path = new URL('../../deploy/caddy/Caddyfile', import.meta.url).pathname
  const ran = spawnSync('caddy', ['fmt', path], { encoding: 'utf8' })
  assert.equal(ran.stdout, readFileSync(path, 'utf8'))
})
