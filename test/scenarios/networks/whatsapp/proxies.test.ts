import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { listAudit } from '../../../../src/contract/operations/audit-operations.ts'
import {
  createInstance,
  getInstance,
  updateInstance,
} from '../../../../src/contract/operations/instance-operations.ts'
import { getMessageMedia, sendMediaMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { Instance } from '../../../../src/contract/resources/instance.ts'
import { freePort } from '../../../kit/far-ends/free-ports.ts'
import { startHttpProxy, startSocksProxy } from '../../../kit/far-ends/proxies.ts'
import { allEvents } from '../../../kit/http/feed.ts'
import { becomes, environmentFor, linkByPicture, unpaced } from '../../../kit/networks/whatsapp/stage.ts'
import { eventually, everythingReceived, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

const ana = '4915100000009'
const login = { username: 'shop', password: 'password-Kp4Tz8Wm2Rx6Qv' }
const credentials = { proxy_username: login.username, proxy_password: login.password }

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('an instance with a proxy', { timeout: 180_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn
  let log = ''
  /** The port of WhatsApp, and of its media host. */
  let port: number

  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    port = Number(new URL(whatsapp.url).port)
    const write = (line: string): void => {
      log += line
    }
    posthorn = await startPosthorn({ environment: environmentFor(whatsapp), log: { write } })
    await whatsapp.control.createPerson({ phone: ana })
  })
  after(async () => {
    await posthorn?.stop()
    await whatsapp?.stop()
  })

  const create = async (server: Posthorn, name: string, proxy: string): Promise<Instance> => {
    const body = { name, network: 'whatsapp', settings: { ...unpaced, proxy }, credentials }
    return (await server.admin.call(createInstance, { body, waitSeconds: 20 })).body
  }

  for (const [scheme, startProxy, phone] of [
    ['http', startHttpProxy, '4915100000001'],
    ['socks5', startSocksProxy, '4915100000002'],
  ] as const) {
    test(`of ${scheme} links, sends, receives and fetches files through it, and nothing goes around it`, async (t) => {
      const here = `127.0.0.1:${port}`
      const proxy = await startProxy(t, { routes: { [here]: port }, credentials: login })
      const had = await whatsapp.control.connections({})
      await whatsapp.control.createPerson({ phone })
      const settings = { proxy: `${scheme}://127.0.0.1:${proxy.port}` }
      await linkByPicture({ whatsapp, posthorn }, { name: scheme, phone, settings, credentials })
      const linking = proxy.taken
      // The one on which it was linked, and the one on which it logged in.
      assert.ok(linking >= 2, `${linking} connections`)

      const words = `Through ${scheme}`
      const sent = await text(posthorn.admin, { instance: scheme, to: `+${ana}`, text: words })
      await reaches(posthorn.admin, sent.id, 'delivered')

      const out = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(100_000)])
      const form = new FormData()
      for (const [name, value] of Object.entries({ instance: scheme, to: `+${ana}`, kind: 'document' }))
        form.set(name, value)
      form.set('file', new Blob([out], { type: 'application/pdf' }), 'a.pdf')
      const { body: file } = await posthorn.admin.call(sendMediaMessage, { body: form })
      await reaches(posthorn.admin, file.id, 'delivered')
      const seen = await whatsapp.control.received({ person: ana, from: phone, count: 2 })
      assert.deepEqual([seen[0]?.text, seen[1]?.media?.sha256], [words, sha256(out)])
      assert.ok(proxy.taken > linking, 'the upload goes through the proxy')

      const uploading = proxy.taken
      const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(100_000)])
      const written = { kind: 'document', mimetype: 'application/pdf', fileName: 'b.pdf' } as const
      await whatsapp.control.write({
        from: ana,
        to: phone,
        file: { bytes: bytes.toString('base64'), ...written },
      })
      const [came] = await eventually(
        'her file',
        () => everythingReceived(posthorn.admin, scheme),
        ([message]) => message?.media?.sha256 != null || !!message?.error,
      )
      assert.equal(came?.error, null)
      const got = await posthorn.admin.call(getMessageMedia, { params: { id: came?.id ?? '' } })
      assert.equal(sha256(new Uint8Array(got.bytes ?? [])), sha256(bytes))
      assert.ok(proxy.taken > uploading, 'the download goes through the proxy')

      // Every connection to WhatsApp is one that the proxy has opened.
      const opened = (await whatsapp.control.connections({})) - had
      assert.deepEqual([proxy.asked.length, new Set(proxy.asked)], [opened, new Set([here])])
    })

    test(`of ${scheme} that does not take its login is told so, and does not go without`, async (t) => {
      const other = { ...login, password: 'another' }
      const proxy = await startProxy(t, { credentials: other })
      const had = await whatsapp.control.connections({})
      const name = `refused-${scheme}`
      const { status, reason } = await create(posthorn, name, `${scheme}://127.0.0.1:${proxy.port}`)
      assert.deepEqual([status, reason?.code], ['failed', 'proxy_refused'])
      assert.equal(await whatsapp.control.connections({}), had)
    })

    test(`of ${scheme} that nobody serves waits for it, and does not go without`, async () => {
      const had = await whatsapp.control.connections({})
      const name = `dead-${scheme}`
      const settings = { proxy: `${scheme}://127.0.0.1:${await freePort()}` }
      await posthorn.admin.call(createInstance, {
        body: { name, network: 'whatsapp', settings, credentials },
      })
      const { reason } = await becomes(posthorn, name, 'reconnecting')
      assert.equal(reason?.code, 'proxy_unreachable')
      assert.equal(await whatsapp.control.connections({}), had)
    })

    test(`of ${scheme} at a private address is not let there unless the operator allows it`, async (t) => {
      const proxy = await startProxy(t, {})
      const strict = await startPosthorn({
        environment: { ...environmentFor(whatsapp), POSTHORN_CONNECT_ALLOW_CIDRS: '198.51.100.0/24' },
      })
      t.after(() => strict.stop())
      const { status, reason } = await create(strict, 'private', `${scheme}://127.0.0.1:${proxy.port}`)
      assert.deepEqual([status, reason?.code, proxy.taken], ['failed', 'proxy_not_allowed', 0])
    })
  }

  test('gets another proxy while 50 texts wait: each arrives once, in order, through the new one, without a new scan', async (t) => {
    const routes = { routes: { [`127.0.0.1:${port}`]: port } }
    const [first, second] = [await startSocksProxy(t, routes), await startHttpProxy(t, routes)]
    const phone = '4915100000003'
    await whatsapp.control.createPerson({ phone })
    const settings = {
      proxy: `socks5://127.0.0.1:${first.port}`,
      pacing: { messages: 1, seconds: 3600 },
    }
    await linkByPicture({ whatsapp, posthorn }, { name: 'mover', phone, settings })
    const words = Array.from({ length: 50 }, (_, index) => `Waiting ${index}`)
    for (const word of words) await text(posthorn.admin, { instance: 'mover', to: `+${ana}`, text: word })
    await whatsapp.control.received({ person: ana, from: phone, count: 1 })
    const had = first.taken
    const change = { settings: { proxy: `http://127.0.0.1:${second.port}`, pacing: { off: true } } }
    const params = { name: 'mover' }
    const { body } = await posthorn.admin.call(updateInstance, { params, body: change, waitSeconds: 20 })
    assert.deepEqual([body.status, body.settings], ['connected', change.settings])
    const seen = await whatsapp.control.received({ person: ana, from: phone, count: words.length })
    assert.deepEqual(
      seen.map((message) => message.text),
      words,
    )
    assert.equal(first.taken, had)
    assert.ok(second.taken > 0)
  })

  test('shows its password nowhere', async () => {
    const shown = [log, JSON.stringify(await allEvents(posthorn.admin))]
    shown.push(JSON.stringify((await posthorn.admin.call(listAudit, { query: { limit: 200 } })).body))
    for (const name of ['http', 'refused-http', 'dead-socks5'])
      shown.push(JSON.stringify((await posthorn.admin.call(getInstance, { params: { name } })).body))
    const basic = Buffer.from(`${login.username}:${login.password}`).toString('base64')
    for (const said of shown) {
      assert.ok(said.length > 100)
      for (const secret of [login.password, encodeURIComponent(login.password), basic])
        assert.equal(said.includes(secret), false)
    }
  })
})
