import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { newFile, StoppingFile } from '../../../../test/conformance/networks/files.ts'
import { SystemFiles } from '../../../../test/kit/far-ends/system-files.ts'
import { startTcpProxy } from '../../../../test/kit/far-ends/tcp-proxy.ts'
import { httpWith } from '../../../../test/kit/networks/http.ts'
import { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { XmppPerson } from '../../../../test/kit/networks/xmpp/person.ts'
import {
  needsProsody,
  type Prosody,
  type ProsodyOptions,
  startProsody,
} from '../../../../test/kit/networks/xmpp/prosody.ts'
import { outboundGuard } from '../../../net/guard/guard.ts'
import type { HttpClient } from '../../../net/http/client.ts'
import { NameResolver } from '../../../net/resolve/names.ts'
import type { Resumption } from '../../driver/abilities/resumption.ts'
import type { NetworkError } from '../../driver/outcome.ts'
import { type XmppOptions, xmpp } from '../driver.ts'

interface Reached {
  readonly options?: XmppOptions
  readonly resumption?: Resumption | undefined
  readonly port?: number
  readonly http?: HttpClient
}

/** A gateway's connection to a real server, which takes files unless told otherwise. */
async function open(server: Prosody, name: string, reached: Reached = {}): Promise<ObservedConnection> {
  const { options, resumption, http, port = server.port } = reached
  return await ObservedConnection.open(xmpp({ ca: server.certificate, ...options }), {
    settings: {
      address: server.address(name),
      service: `xmpp://127.0.0.1:${port}`,
      allow_plaintext: true,
    },
    credentials: { password: 'gateway-secret' },
    resumption,
    ...(http && { http }),
  })
}

describe('files to a person at a real server', { ...needsProsody, timeout: 60_000 }, () => {
  let server: Prosody
  let ana: XmppPerson
  before(async () => {
    server = await startProsody({ starttls: 'off', uploads: {} })
    ana = await XmppPerson.join(server, 'ana')
  })
  after(async () => {
    await ana.leave()
    await server.remove()
  })

  /** A fresh account, so that no test hears the receipts of another. */
  let accounts = 0
  async function gateway(reached: Reached = {}): Promise<ObservedConnection> {
    accounts += 1
    await server.createUser(`gateway${accounts}`, 'gateway-secret')
    return await open(server, `gateway${accounts}`, reached)
  }

  test('the memory of a file is given back as it is sent', async () => {
    const observed = await gateway()
    const file = newFile(1_000_000)
    const read: Buffer[] = []
    async function* noted() {
      for await (const bytes of file.open()) {
        read.push(bytes)
        yield bytes
      }
    }
    const open = () => Readable.from(noted(), { objectMode: false })
    const sending = observed.sendFile(ana.address, { kind: 'document', file: { ...file, open } })
    assert.deepEqual(await sending.outcome, { kind: 'accepted' })
    assert.ok(read.length > 10)
    const left = read.slice(0, -1).reduce((sum, { length }) => sum + length, 0)
    assert.equal(left, 0)
  })

  test('a file is one message whose body and data are its URL', async () => {
    const observed = await gateway()
    const file = newFile(70_000, { filename: 'näh & so (1).png', mime_type: 'image/png' })
    const sending = observed.sendFile(ana.address, { kind: 'image', file })
    assert.deepEqual(await sending.outcome, { kind: 'accepted' })
    const arrival = await ana.receives(({ id }) => id === sending.id)
    assert.deepEqual(arrival.data, { url: arrival.body, description: null })
    assert.match(arrival.body, /^https:\/\/localhost:\d+\/[!-~]+\/n%C3%A4h%20&%20so%20\(1\)\.png$/)
    assert.equal(arrival.originId, sending.id)
    assert.deepEqual([arrival.type, arrival.wantsReceipt, arrival.markable], ['chat', true, true])
    const { status, ...download } = await ana.downloads(arrival)
    const { size, sha256 } = file
    assert.deepEqual(download, { filename: 'näh & so (1).png', mimeType: 'image/png', size, sha256 })
    await observed.close()
  })

  test('a caption describes the data, and follows as a message of its own that asks for nothing', async () => {
    const observed = await gateway()
    const media = { kind: 'image', file: newFile(10), caption: 'the <view>\r\nfrom here' } as const
    const sending = observed.sendFile(ana.address, media)
    assert.deepEqual(await sending.outcome, { kind: 'accepted' })
    const caption = await ana.receives(({ id }) => id === `${sending.id}-caption`)
    assert.equal(caption.body, media.caption)
    assert.equal(caption.originId, caption.id)
    assert.deepEqual([caption.wantsReceipt, caption.markable, caption.data], [false, false, null])
    const [file, next] = ana.arrivals.slice(-2)
    assert.deepEqual([file?.id, next?.id], [sending.id, caption.id], 'the caption comes right after the file')
    assert.equal(file?.data?.description, media.caption)
    await observed.close()
  })

  test('a receipt for the file counts for the message, and so does a mark on its caption', async () => {
    const observed = await gateway()
    const sending = observed.sendFile(ana.address, { kind: 'image', file: newFile(10), caption: 'look' })
    const delivered = await observed.sees('receipt', ({ state }) => state === 'delivered')
    assert.equal(delivered.network_message_id, sending.id)
    await ana.displays(await ana.receives(({ id }) => id === `${sending.id}-caption`))
    const read = await observed.sees('receipt', ({ state }) => state === 'read')
    assert.equal(read.network_message_id, sending.id)
    await observed.close()
  })

  test('a recipient who does not exist refuses file and caption once, as one message', async () => {
    const observed = await gateway()
    const media = { kind: 'image', file: newFile(10), caption: 'anybody?' } as const
    const outcome = await observed.sendFile(server.address('nobody'), media).outcome
    assert.ok(outcome.kind === 'rejected')
    assert.equal(outcome.error.code, 'recipient_unavailable')
    observed.connection.probe()
    await observed.sees('connection-verified')
    assert.ok(!observed.kinds().includes('message-returned'))
    await observed.close()
  })

  test('a file that comes back after it was accepted is reported; a caption is not', async () => {
    const observed = await gateway()
    const sending = observed.sendFile(ana.address, { kind: 'image', file: newFile(10), caption: 'look' })
    await sending.outcome
    await ana.refuses(await ana.receives(({ id }) => id === `${sending.id}-caption`), 'cancel', 'gone')
    await ana.refuses(await ana.receives(({ id }) => id === sending.id), 'modify', 'not-acceptable')
    const returned = await observed.sees('message-returned')
    assert.deepEqual([returned.network_message_id, returned.error.code], [sending.id, 'not_acceptable'])
    await observed.close()
  })

  for (const direction of ['to-client', 'to-server'] as const) {
    test(`the line breaks after file and caption (${direction}): resumed, and each arrives once`, async () => {
      const proxy = await startTcpProxy(server)
      const first = await gateway({ port: proxy.port })
      const file = new StoppingFile()
      const sending = first.sendFile(ana.address, { kind: 'image', file, caption: 'unbroken' })
      await file.stopped(sending.outcome)
      proxy.hold(direction)
      file.goOn()
      const early = sending.outcome.then((outcome) => assert.fail(JSON.stringify(outcome)))
      await Promise.race([proxy.sees('to-server', /-caption/), early])
      if (direction === 'to-client') await ana.receives(({ id }) => id === `${sending.id}-caption`)
      proxy.cut()
      const { resumption } = await first.sees('connection-lost')
      assert.equal(sending.settled, null)
      const second = await open(server, `gateway${accounts}`, { resumption, port: proxy.port })
      assert.deepEqual(await sending.outcome, { kind: 'accepted' })
      await ana.receives(({ id }) => id === `${sending.id}-caption`)
      const arrived = ana.arrivals.map(({ id }) => id).filter((id) => id.startsWith(sending.id))
      assert.deepEqual(arrived, [sending.id, `${sending.id}-caption`])
      await second.close()
      await proxy.stop()
    })
  }

  test('an upload whose certificate leads to no trusted authority fails, and texts go on', async () => {
    const observed = await gateway({ options: { ca: [] } })
    const error = await refusalOf(observed, ana)
    assert.deepEqual([error.code, error.permanent], ['upload_failed', false])
    assert.match(error.detail, /certificate not trusted/)
    assert.deepEqual(await observed.send(ana.address, 'but texts').outcome, { kind: 'accepted' })
    await observed.close()
  })

  test('an upload to a name that leads where the operator lets nobody lead is refused for good', async (t) => {
    // The server itself is reached by its address, which is judged by itself.
    const guard = outboundGuard(['127.0.0.0/8'])
    const http = httpWith(new NameResolver(new SystemFiles(t, { hosts: '192.168.0.1 localhost' })))
    const observed = await gateway({ options: { guard }, http })
    const error = await refusalOf(observed, ana)
    assert.deepEqual([error.code, error.permanent], ['upload_address_not_allowed', true])
    await observed.close()
  })
})

async function refusalOf(observed: ObservedConnection, person: XmppPerson): Promise<NetworkError> {
  const media = { kind: 'document', file: newFile(2_000), caption: 'refused' } as const
  const sending = observed.sendFile(person.address, media)
  const outcome = await sending.outcome
  assert.ok(outcome.kind === 'rejected', outcome.kind)
  assert.ok(!person.arrivals.some(({ id }) => id.startsWith(sending.id)))
  return outcome.error
}

describe('files at real servers of other kinds', { ...needsProsody, timeout: 60_000 }, () => {
  /** Plays with a server of its own, a gateway there, and a person. */
  async function at(
    options: ProsodyOptions,
    play: (observed: ObservedConnection, person: XmppPerson) => Promise<void>,
  ): Promise<void> {
    const server = await startProsody({ starttls: 'off', ...options })
    await server.createUser('gateway', 'gateway-secret')
    const person = await XmppPerson.join(server, 'ana')
    const observed = await open(server, 'gateway')
    await play(observed, person)
    await observed.close()
    await person.leave()
    await server.remove()
  }

  test('a server without a service that takes files: refused for good', async () => {
    await at({}, async (observed, ana) => {
      const error = await refusalOf(observed, ana)
      assert.deepEqual([error.code, error.permanent], ['upload_unavailable', true])
    })
  })

  test('a service that takes only smaller files: refused for good, with its limit', async () => {
    await at({ uploads: { largest: 1_999 } }, async (observed, ana) => {
      const error = await refusalOf(observed, ana)
      assert.deepEqual([error.code, error.permanent], ['file_too_large', true])
      assert.match(error.detail, /at most 1\.9 KB/)
    })
  })

  test('a service that takes no more today: put off', async () => {
    await at({ uploads: { dailyQuota: 3_000 } }, async (observed, ana) => {
      const media = () => ({ kind: 'document', file: newFile(2_000) }) as const
      assert.deepEqual(await observed.sendFile(ana.address, media()).outcome, { kind: 'accepted' })
      const asked = Date.now()
      const outcome = await observed.sendFile(ana.address, media()).outcome
      assert.ok(outcome.kind === 'deferred')
      assert.ok(outcome.until >= asked + 60_000)
      const { code, network_code } = outcome.error
      assert.deepEqual([code, network_code], ['upload_deferred', 'resource-constraint'])
    })
  })

  test('a server without stream management: its word on a ping after them covers file and caption', async () => {
    await at({ uploads: {}, management: false }, async (observed, ana) => {
      const media = { kind: 'document', file: newFile(2_000), caption: 'both' } as const
      const sending = observed.sendFile(ana.address, media)
      assert.deepEqual(await sending.outcome, { kind: 'accepted' })
      await ana.receives(({ id }) => id === `${sending.id}-caption`)
      assert.deepEqual(
        ana.arrivals.map(({ id }) => id),
        [sending.id, `${sending.id}-caption`],
      )
    })
  })
})
