import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { Resumption } from '../../../../src/networks/driver/abilities/resumption.ts'
import { type XmppOptions, xmpp } from '../../../../src/networks/xmpp/driver.ts'
import { ObservedConnection, type ObservedOptions } from '../observed-connection.ts'

/** The course of a server on one connection. */
type Part = (peer: Peer) => Promise<void>

/** The gateway, as the server of a script has it at the other end of a connection. */
export class Peer {
  readonly socket: Socket
  /** The account that logs in. */
  account = 'gateway@far.test'
  #unread = ''
  #wake: () => void = () => {}

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (data: Buffer) => {
      this.#unread += data.toString('utf8')
      this.#wake()
    })
    socket.on('error', () => {})
  }

  /** Resolves with the input up to the end of the first match, once there is one. */
  async reads(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.#unread)
      if (match) {
        const end = match.index + match[0].length
        const read = this.#unread.slice(0, end)
        this.#unread = this.#unread.slice(end)
        return read
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Writes one packet. */
  async writes(text: string | Buffer): Promise<void> {
    await new Promise<void>((resolve) => this.socket.write(text, () => resolve()))
  }

  /** Opens a stream with these features. */
  async opens(features: string): Promise<void> {
    await this.reads(/<stream:stream[^>]*>/)
    await this.writes(
      `<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' ` +
        `id='s' from='far.test' version='1.0'><stream:features>${features}</stream:features>`,
    )
  }

  /** Lets the gateway log in, up to the open stream after it. */
  async logsIn(features: string): Promise<void> {
    await this.opens(plain)
    await this.reads(/<auth [^>]*mechanism="PLAIN"[^>]*>[^<]*<\/auth>/)
    await this.writes(`<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>`)
    await this.opens(features)
  }

  /** Gives the resource, and what is asked about the account then. */
  async binds(features: readonly string[] = []): Promise<void> {
    await this.reads(/<iq [^>]*id="bind".*?<\/iq>/)
    await this.writes(
      `<iq type='result' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>${this.account}/posthorn</jid></bind></iq>`,
    )
    await this.introducesAccount(features)
  }

  /** Says what becomes of the messages to the account, and hears that copies of them are wanted. */
  async introducesAccount(features: readonly string[] = []): Promise<void> {
    const question = await this.reads(new RegExp(`<iq [^>]*to="${this.account}".*?</iq>`))
    const list = features.map((name) => `<feature var='${name}'/>`).join('')
    await this.writes(
      `<iq type='result' id='${/ id="([^"]*)"/.exec(question)?.[1]}' from='${this.account}'>` +
        `<query xmlns='http://jabber.org/protocol/disco#info'>${list}</query></iq>`,
    )
    await this.reads(/<enable xmlns="urn:xmpp:carbons:2"\/><\/iq>/)
  }

  /** Logs in and enables stream management. */
  async begins(features: readonly string[] = []): Promise<void> {
    await this.logsIn(managed)
    await this.binds(features)
    await this.reads(/<enable [^>]*>/)
    await this.writes(`<enabled xmlns='urn:xmpp:sm:3' id='session-1' resume='true'/>`)
    await this.reads(/<presence>.*?<\/presence>/)
  }

  /** Reads until the request that follows a message of this text. */
  async readsMessage(text: string): Promise<string> {
    return await this.reads(new RegExp(`<message.*?<body>${text}</body>.*?</message>(?:<r [^>]*/>)?`, 's'))
  }
}

/** Features that a server may offer, for `opens` and `logsIn`. */
export const plain = `<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>`
export const scramOnly = plain.replace('PLAIN', 'SCRAM-SHA-1')
export const bind = `<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>`
export const managed = `${bind}<sm xmlns='urn:xmpp:sm:3'/>`

/**
 * A server that follows a script, for what no real one does on demand. Each connection takes the next part; the play
 * ends when the test does.
 */
export async function play(t: TestContext, ...parts: Part[]): Promise<ScriptedServer> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    const part = parts[sockets.length]
    sockets.push(socket)
    if (part) void part(new Peer(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  return new ScriptedServer(typeof address === 'object' && address ? address.port : 0, sockets)
}

/** The server of a script, as the gateway meets it. */
class ScriptedServer {
  readonly port: number
  readonly sockets: readonly Socket[]

  constructor(port: number, sockets: readonly Socket[]) {
    this.port = port
    this.sockets = sockets
  }

  connect(
    options: XmppOptions & {
      resumption?: Resumption | undefined
      plaintext?: boolean
      register?: boolean
    } & Pick<ObservedOptions, 'caughtUp' | 'isStored' | 'log' | 'share'> = {},
  ) {
    const {
      resumption,
      plaintext = true,
      register = false,
      caughtUp,
      isStored,
      log,
      share,
      ...rest
    } = options
    const service = `xmpp://127.0.0.1:${this.port}`
    return new ObservedConnection(xmpp({ timeouts: { close: 100 }, ...rest }), {
      settings: { address: 'gateway@far.test', service, allow_plaintext: plaintext, register },
      credentials: { password: 'secret', registered: true },
      resumption,
      ...(caughtUp && { caughtUp }),
      ...(isStored && { isStored }),
      ...(log && { log }),
      ...(share && { share }),
    })
  }
}
