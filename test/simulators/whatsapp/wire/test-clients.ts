import { once } from 'node:events'
import { initAuthCreds, makeWASocket } from 'baileys'
import pino from 'pino'
import { WebSocket } from 'ws'
import { createStore, type Logger, WaClient, type WaStore, type WaStoreBackend } from 'zapo-js'
import { X25519 } from 'zapo-js/crypto'
import { WaNoiseHandshake, type WaNoiseSocket } from 'zapo-js/transport'
import { type ClientPayload, clientPayloads, handshakeMessages } from '../proto/handshake.ts'
import { FrameReader, frame } from './frames.ts'
import type { NoiseCertificate } from './noise-certificate.ts'

/* Clients of the network, as tests need them: two real ones that are not linked yet, and one that can break rules. */

interface Test {
  after(end: () => Promise<void> | void): void
}

/** Baileys, which keeps nothing. It ends with the test. */
export function startBaileys(t: Test, url: string): ReturnType<typeof makeWASocket> {
  const socket = makeWASocket({
    waWebSocketUrl: url,
    auth: { creds: initAuthCreds(), keys: { get: async () => ({}), set: async () => {} } },
    logger: pino({ level: 'silent' }),
  })
  t.after(() => socket.end(undefined))
  return socket
}

export interface Zapo {
  readonly client: WaClient
  readonly store: WaStore
  /** Resolves once it has logged something like this. */
  logged(pattern: RegExp): Promise<string>
}

/**
 * zapo-js, which trusts the root of this certificate alone, and tries once. It ends with the test; its store can serve
 * another one.
 */
export function startZapo(
  t: Test,
  url: string,
  { rootPublic, serial }: NoiseCertificate,
  store = memoryStore(),
): Zapo {
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const log = (message: string, context?: Readonly<Record<string, unknown>>) => {
    lines.push(`${message} ${JSON.stringify(context ?? {})}`)
    for (const look of waiting) look()
  }
  const logger: Logger = { level: 'trace', trace: log, debug: log, info: log, warn: log, error: log }
  const client = new WaClient(
    {
      store,
      sessionId: 'one',
      chatSocketUrls: [url],
      reconnectIntervalMs: 1,
      maxReconnectAttempts: 0,
      testHooks: { noiseRootCa: { publicKey: rootPublic, serial } },
    },
    logger,
  )
  t.after(() => client.disconnect())
  const logged = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      const look = () => {
        const line = lines.find((each) => pattern.test(each))
        if (line === undefined) return
        waiting.delete(look)
        resolve(line)
      }
      waiting.add(look)
      look()
    })
  return { client, store, logged }
}

type Credentials = NonNullable<Awaited<ReturnType<ReturnType<WaStore['session']>['auth']['load']>>>

/** zapo-js brings its own memory for all but the credentials. */
function memoryStore(): WaStore {
  let held: Credentials | null = null
  const auth = () => ({
    load: async () => held,
    save: async (credentials: Credentials) => {
      held = credentials
    },
    clear: async () => {
      held = null
    },
  })
  const backend = { stores: { auth }, caches: {} } as unknown as WaStoreBackend
  return createStore({ backends: { own: backend }, providers: { auth: 'own' } })
}

/** A client of which the test decides what it sends, with the Noise of zapo-js. */
export class RawClient {
  readonly socket: WebSocket
  readonly #frames: Uint8Array[] = []
  #noise: WaNoiseSocket | undefined

  private constructor(url: string) {
    this.socket = new WebSocket(url)
    let held = Buffer.alloc(0)
    this.socket.on('message', (data: Buffer) => {
      held = Buffer.concat([held, data])
      while (held.length >= 3 && held.length >= 3 + held.readUIntBE(0, 3)) {
        const end = 3 + held.readUIntBE(0, 3)
        this.#frames.push(held.subarray(3, end))
        held = held.subarray(end)
        this.socket.emit('frame')
      }
    })
  }

  static async open(url: string): Promise<RawClient> {
    const client = new RawClient(url)
    await once(client.socket, 'open')
    return client
  }

  /** The code with which the server closes. */
  async closed(): Promise<number> {
    const [code] = await once(this.socket, 'close')
    return code
  }

  /** Shakes hands; `send` may cut what is to be sent as it likes. */
  async greet(login: ClientPayload, before: Uint8Array = new Uint8Array(), send = this.send): Promise<void> {
    const own = await X25519.generateKeyPair()
    const ephemeral = await X25519.generateKeyPair()
    const noise = new WaNoiseHandshake()
    await noise.start(Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0'), FrameReader.prologue)
    await noise.authenticate(ephemeral.pubKey)
    const hello = handshakeMessages.encode({ clientHello: { ephemeral: ephemeral.pubKey } })
    send(Buffer.concat([before, FrameReader.prologue, frame(hello)]))

    const { serverHello } = handshakeMessages.decode(await this.frame())
    if (!serverHello?.ephemeral || !serverHello.static || !serverHello.payload) throw new Error('no hello')
    await noise.authenticate(serverHello.ephemeral)
    await noise.mixIntoKey(await X25519.scalarMult(ephemeral.privKey, serverHello.ephemeral))
    const server = await noise.decrypt(serverHello.static)
    await noise.mixIntoKey(await X25519.scalarMult(ephemeral.privKey, server))
    await noise.decrypt(serverHello.payload)

    const sealed = await noise.encrypt(own.pubKey)
    await noise.mixIntoKey(await X25519.scalarMult(own.privKey, serverHello.ephemeral))
    const payload = await noise.encrypt(clientPayloads.encode(login))
    send(frame(handshakeMessages.encode({ clientFinish: { static: sealed, payload } })))
    this.#noise = await noise.finish()
  }

  /** A frame with this content, which belongs to a node. */
  async sealed(content: Uint8Array): Promise<Uint8Array> {
    if (!this.#noise) throw new Error('shake hands first')
    return frame(await this.#noise.encrypt(this.#noise.reserveWriteNonce(), content))
  }

  /** The content of the next frame. */
  async opened(): Promise<Uint8Array> {
    if (!this.#noise) throw new Error('shake hands first')
    return this.#noise.decrypt(this.#noise.reserveReadNonce(), await this.frame())
  }

  async frame(): Promise<Uint8Array> {
    while (this.#frames.length === 0) await once(this.socket, 'frame')
    return this.#frames.shift() ?? new Uint8Array()
  }

  send = (bytes: Uint8Array): void => {
    this.socket.send(bytes)
  }
}
