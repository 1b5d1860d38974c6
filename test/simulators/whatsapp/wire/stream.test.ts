import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { encodeBinaryNodeStanza } from 'zapo-js/transport'
import { deviceProps } from '../proto/handshake.ts'
import { bytes, type Node, node, text } from './node.ts'
import { decodeNode, encodeNode, largestNode } from './node-codec.ts'
import { type ChainFlaw, issueChain, type NoiseCertificate } from './noise-certificate.ts'
import { type ClientStream, serveStreams } from './stream.ts'
import { RawClient, startBaileys, startZapo } from './test-clients.ts'

/* Real clients get through the handshake; a client that breaks the rules of the wire is sent away, and no other. */

interface Served {
  readonly url: string
  readonly certificate: NoiseCertificate
  /** The next client that gets through. */
  accepted(): Promise<ClientStream>
  /** Resolves with the reason why the next stream was closed. */
  broken(): Promise<string>
  /** Resolves with the next frame of any stream: the id of its node, or `closed` at its end. */
  heard(): Promise<string>
}

async function serve(
  t: TestContext,
  { flaw, ...options }: { flaw?: ChainFlaw; handshakeTime?: number } = {},
): Promise<Served> {
  const certificate = issueChain(flaw)
  const server = createServer()
  const streams = new Queue<ClientStream>()
  const reasons = new Queue<string>()
  const heard = new Queue<string>()
  const cutAll = serveStreams(server, {
    path: '/ws/chat',
    certificate,
    ...options,
    accepted: (stream) => {
      stream.onNode = (each) => {
        heard.put(each.attrs.id ?? '')
        if (each.attrs.type === 'echo') stream.send(each)
      }
      stream.onClose = () => heard.put('closed')
      streams.put(stream)
    },
    broken: (reason) => reasons.put(reason.message),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    cutAll()
    server.close()
    await once(server, 'close')
  })
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws/chat`
  return {
    url,
    certificate,
    accepted: () => streams.next(),
    broken: () => reasons.next(),
    heard: () => heard.next(),
  }
}

/** Values for readers that ask for them before or after they come. */
class Queue<T> {
  readonly #held: T[] = []
  readonly #waiting: ((each: T) => void)[] = []

  put(each: T): void {
    const waiting = this.#waiting.shift()
    if (waiting) waiting(each)
    else this.#held.push(each)
  }

  async next(): Promise<T> {
    const held = this.#held.shift()
    return held ?? new Promise((resolve) => this.#waiting.push(resolve))
  }
}

const echo = node('iq', { type: 'echo', id: '7' }, 'hello')

/** A client in good order that hears its own node again: the server still serves others. */
async function assertServes(url: string): Promise<void> {
  const client = await RawClient.open(url)
  await client.greet({ username: 49, device: 1 })
  client.send(await client.sealed(encodeNode(echo)))
  assert.equal(text(decodeNode(await client.opened())), 'hello')
  client.socket.terminate()
}

describe('Baileys', () => {
  test('registers, and understands what it is told', async (t) => {
    const { url, accepted } = await serve(t)
    const socket = startBaileys(t, url)
    const shown = new Promise<string>((resolve) => {
      socket.ev.on('connection.update', ({ qr }) => qr !== undefined && resolve(qr))
    })
    const stream = await accepted()
    const answered = new Promise<Node>((resolve) => {
      stream.onNode = resolve
    })
    const { devicePairingData: registration, userAgent, username } = stream.login
    assert.equal(username, undefined)
    assert.equal(userAgent?.platform, 'WEB')
    assert.deepEqual(Buffer.from(registration?.eKeytype ?? []), Buffer.of(5))
    const props = deviceProps.decode(registration?.deviceProps ?? new Uint8Array())
    assert.deepEqual([props.os, props.platformType], ['Mac OS', 'CHROME'])

    const refs = ['one', 'two'].map((ref) => node('ref', {}, ref))
    stream.send(
      node('iq', { id: '1', type: 'set', from: 's.whatsapp.net', xmlns: 'md' }, [
        node('pair-device', {}, refs),
      ]),
    )
    const [ref, noise, identity] = (await shown).split('#')[1]?.split(',') ?? []
    assert.equal(ref, 'one')
    assert.equal(noise, Buffer.from(stream.staticKey).toString('base64'))
    assert.equal(identity, Buffer.from(registration?.eIdent ?? []).toString('base64'))
    assert.deepEqual(await answered, node('iq', { to: 's.whatsapp.net', type: 'result', id: '1' }))
  })

  test('notices when it is cut', async (t) => {
    const { url, accepted } = await serve(t)
    const socket = startBaileys(t, url)
    const closed = new Promise((resolve) => {
      socket.ev.on('connection.update', ({ connection }) => connection === 'close' && resolve(connection))
    })
    const stream = await accepted()
    stream.cut()
    assert.equal(await closed, 'close')
  })
})

describe('zapo-js', () => {
  test('checks the chain, and registers', async (t) => {
    const { url, accepted, certificate } = await serve(t)
    const { client, logged } = startZapo(t, url, certificate)
    await client.connect()
    const stream = await accepted()
    assert.equal(stream.login.devicePairingData?.eIdent?.length, 32)
    assert.deepEqual(stream.noisePublicOfServer, certificate.keys.public)
    await logged(/noise certificate chain verified/)
  })

  test('that knows the server from before begins anew all the same', async (t) => {
    const { url, accepted, certificate } = await serve(t)
    const first = startZapo(t, url, certificate)
    await first.client.connect()
    const { staticKey } = await accepted()
    await first.logged(/persist.*server static key|server static key.*persist/i)
    await first.client.disconnect()

    const second = startZapo(t, url, certificate, first.store)
    await second.client.connect()
    await second.logged(/resume handshake fallback to XX/)
    assert.deepEqual((await accepted()).staticKey, staticKey)
  })

  for (const [flaw, says] of [
    ['wrong_signature', /leaf certificate signature is invalid/],
    ['other_key', /leaf certificate key mismatch/],
  ] as const)
    test(`refuses a chain with the flaw ${flaw}`, async (t) => {
      const { url, certificate } = await serve(t, { flaw })
      const { client, logged } = startZapo(t, url, certificate)
      await assert.rejects(client.connect(), /max reconnect attempts reached/)
      await logged(says)
    })
})

describe('a client', () => {
  test('may send one frame in many messages, and many frames in one', async (t) => {
    const { url, accepted, heard } = await serve(t)
    const client = await RawClient.open(url)
    await client.greet({ username: 49151, device: 3 }, undefined, (bytes) => {
      for (const byte of bytes) client.send(Buffer.of(byte))
    })
    const { login } = await accepted()
    assert.deepEqual(login, { username: 49151, device: 3 })
    const frames = [1, 2, 3].map((id) => client.sealed(encodeBinaryNodeStanza(node('iq', { id: `${id}` }))))
    client.send(Buffer.concat([...(await Promise.all(frames)), await client.sealed(encodeNode(echo))]))
    await client.opened()
    for (const id of ['1', '2', '3', '7']) assert.equal(await heard(), id)
  })

  test('may send a large node', async (t) => {
    const { url } = await serve(t)
    const client = await RawClient.open(url)
    await client.greet({ username: 49151 })
    const large = Buffer.alloc(3_000_000, 'x')
    client.send(await client.sealed(encodeNode(node('iq', { type: 'echo' }, large))))
    assert.equal(Buffer.compare(bytes(decodeNode(await client.opened())), large), 0)
  })

  test('may say first where it belongs', async (t) => {
    const { url, accepted } = await serve(t)
    const client = await RawClient.open(url)
    const routing = Buffer.concat([Buffer.from('ED\x00\x01\x00\x00\x05', 'latin1'), Buffer.from('there')])
    await client.greet({ username: 49151 }, routing)
    assert.deepEqual((await accepted()).login, { username: 49151 })
  })

  test('hears no more, and says no more, once its stream was closed', async (t) => {
    const { url, accepted, heard } = await serve(t)
    const client = await RawClient.open(url)
    await client.greet({ username: 49151 })
    const stream = await accepted()
    const closed = client.closed()
    let nodes = 0
    stream.onNode = () => {
      nodes += 1
      stream.close()
      stream.send(echo)
    }
    client.socket.once('frame', () => assert.fail('a node came after the end'))
    client.send(Buffer.concat([await client.sealed(encodeNode(echo)), await client.sealed(encodeNode(echo))]))
    await closed
    assert.equal(await heard(), 'closed')
    assert.equal(nodes, 1)
  })
})

describe('a stream that breaks the rules is closed, and no other', () => {
  const beginnings: readonly (readonly [what: string, bytes: string, says: RegExp])[] = [
    ['begins with something else', 'GET / HTTP/1.1', /47455420 is not what a client of this version says/],
    ['has another version of the dictionary', 'WA\x06\x02', /57410602 is not what/],
    ['says twice where it belongs', 'ED\0\x01\0\0\x01xED\0\x01', /45440001 is not what/],
    ['says at length where it belongs', 'ED\0\x01\0\xff\xff', /routing information of 65535 bytes/],
    ['announces a huge hello', 'WA\x06\x03\xff\xff\xff', /a frame of 16777215 bytes/],
    ['has an empty hello', 'WA\x06\x03\0\0\0', /the client's hello has no key/],
    ['has a hello of nonsense', 'WA\x06\x03\0\0\x03\xff\xff\xff', /index out of range/],
  ]
  for (const [what, bytes, says] of beginnings)
    test(`when it ${what}`, async (t) => {
      const { url, broken } = await serve(t)
      const client = await RawClient.open(url)
      const closed = client.closed()
      client.send(Buffer.from(bytes, 'latin1'))
      assert.match(await broken(), says)
      assert.equal(await closed, 1002)
      await assertServes(url)
    })

  const frames: readonly (readonly [
    what: string,
    make: (client: RawClient) => Promise<Uint8Array>,
    says: RegExp,
  ])[] = [
    ['can not be decrypted', async () => Buffer.of(0, 0, 20, ...Array(20).fill(1)), /can not be decrypted/],
    ['is too short', async () => Buffer.of(0, 0, 0), /too short/],
    ['holds no node', (client) => client.sealed(Buffer.of(0, 5)), /a node is a list with a tag/],
    [
      'is too large',
      async () => Buffer.of((largestNode + 17) >> 16, ((largestNode + 17) >> 8) & 0xff, 17),
      /a frame of 4194321 bytes, where 4194320 are allowed/,
    ],
  ]
  for (const [what, make, says] of frames)
    test(`when a frame ${what}`, async (t) => {
      const { url, broken, heard } = await serve(t)
      const client = await RawClient.open(url)
      await client.greet({ username: 49 })
      const closed = client.closed()
      client.send(await make(client))
      assert.match(await broken(), says)
      assert.equal(await closed, 1002)
      assert.equal(await heard(), 'closed')
      await assertServes(url)
    })

  test('when it sends text', async (t) => {
    const { url, broken } = await serve(t)
    const client = await RawClient.open(url)
    client.socket.send('WA')
    assert.equal(await broken(), 'broken frame: it is text')
    assert.equal(await client.closed(), 1002)
  })

  test('when it does not finish the handshake in time', async (t) => {
    const { url, broken } = await serve(t, { handshakeTime: 20 })
    const client = await RawClient.open(url)
    assert.equal(await client.closed(), 1002)
    assert.equal(await broken(), 'the handshake took too long')
  })
})
