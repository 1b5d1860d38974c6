import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Holding } from '../../../runtime/limits/byte-budget.ts'
import type { Share } from '../../../runtime/limits/share.ts'
import type { Traffic } from '../../../runtime/limits/traffic.ts'
import type { Worker } from '../../../runtime/limits/turns.ts'
import { streamError, XmppError, xmppErrorFrom } from '../errors.ts'
import { element, ns, type Xml } from '../stanzas/xml.ts'
import { earlyStanzas, loginBytes, loginLimits, stanzaLimits } from './limits.ts'
import { Output } from './output.ts'
import { StanzaParser } from './parser.ts'
import { type Part, Splitter } from './splitter.ts'

/** When to look again whether there is room for what the server sends, in milliseconds. */
const lookAgain = 50

export interface StreamOptions {
  readonly domain: string
  readonly share: Share
  /** Milliseconds for which the server may take none of the bytes written to it. */
  readonly untaken: number
}

/**
 * An XML stream (RFC 6120 section 4) over one socket: elements in, elements out, and exactly one end. It is pulled with
 * `next()` while the login asks and answers, and pushes to a listener once `deliverTo` was called.
 *
 * Nothing is read from the socket that cannot be handled at once: while no caller asks, while the server does not take what
 * was written to it, while too much is held for the instance or its organization, and beyond the rates of its share. So a
 * server that sends too fast waits.
 *
 * The library's own connection is not used here. A malformed entity from a server would throw out of its socket handler and
 * end the process; its parser keeps all text between stanzas; it follows `see-other-host` by itself; and it leaves sockets
 * open that do not answer a close.
 */
export class Stream {
  /** Settles when the stream is over, never rejects. */
  readonly over: Promise<XmppError>

  #socket: Socket
  readonly #options: StreamOptions
  readonly #worker: Worker
  readonly #incoming: Holding
  readonly #outgoing: Holding
  readonly #traffic: Traffic
  #output: Output
  #splitter = new Splitter(loginLimits)
  #parser = new StanzaParser()
  #loginBytes = 0
  #authenticated = false
  #upgrading = false
  #listener: ((arrived: Xml) => void) | null = null
  /** One or two elements that are read before they are asked for: an error would make those before it pointless. */
  #ahead: Xml[] = []
  #waiting: { resolve(arrived: Xml): void; reject(error: XmppError): void } | null = null
  #lookingAgain: NodeJS.Timeout | null = null
  #closing = false
  /** The server has ended the stream. */
  #ended = false
  /** Why the socket is closed; the stream is over once what came before that is handled. */
  #closed: XmppError | null = null
  #end: XmppError | null = null
  #settleOver: (error: XmppError) => void

  constructor(socket: Socket, options: StreamOptions) {
    const { share } = options
    this.#socket = socket
    this.#options = options
    this.#traffic = share.joinTraffic(() => this.#worker.wake())
    this.#incoming = share.holding('incoming')
    this.#outgoing = share.holding('outgoing')
    this.#worker = share.join(() => this.#step())
    const { promise, resolve } = Promise.withResolvers<XmppError>()
    this.over = promise
    this.#settleOver = resolve
    this.#output = this.#attach(socket)
  }

  get secure(): boolean {
    return this.#socket instanceof TLSSocket
  }

  /** Called right before a batch is written; what it answers is written with it. */
  set appendToBatch(append: () => string) {
    this.#output.appendToBatch = append
  }

  /** Opens the stream, or opens it anew after TLS or the login (section 4.3.3), and answers the server's features. */
  async open(): Promise<Xml> {
    // Bytes from before the restart belong to the stream that is over now; section 5.4.3.3 forbids to keep them.
    this.#socket.read()
    this.#ahead = []
    this.#splitter = new Splitter(this.#authenticated ? stanzaLimits : loginLimits)
    this.#parser = new StanzaParser()
    this.#output.write(
      `<?xml version='1.0'?><stream:stream xmlns='${ns.client}' xmlns:stream='${ns.streams}' version='1.0' ` +
        `xml:lang='en' to='${attributeText(this.#options.domain)}'>`,
    )
    const features = await this.next()
    if (features.is('features', ns.streams)) return features
    throw new XmppError('not_xmpp')
  }

  /** The next element, in the order of arrival. */
  next(): Promise<Xml> {
    if (this.#end) return Promise.reject(this.#end)
    this.#worker.wake()
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  /** The server has proven who it is: what it passes on from others may be larger, from the next `open` on. */
  authenticated(): void {
    this.#authenticated = true
  }

  /** From now on every element goes to the listener. */
  deliverTo(listener: (arrived: Xml) => void): void {
    this.#listener = listener
    for (const arrived of this.#ahead.splice(0)) this.#deliver(arrived)
    this.#worker.wake()
  }

  /** Writes text soon: what is sent in one turn of the event loop leaves in one packet. */
  send(text: string): void {
    if (this.#end || this.#closing) return
    this.#output.send(text)
    this.#count()
  }

  /** Puts TLS under the stream after the server said that it may begin. */
  async upgrade(secured: (plain: Socket) => Promise<TLSSocket>): Promise<void> {
    // Plain text after the go-ahead could come from an attacker; accepting it as the server's would be an injection.
    if (this.#ahead.length > 0 || !this.#splitter.isClean)
      throw new XmppError('tls_failed', 'the server spoke on in the clear')
    this.#detach()
    this.#upgrading = true
    const socket = await secured(this.#socket).catch((caught: unknown) => {
      throw xmppErrorFrom(caught)
    })
    if (this.#end) {
      socket.destroy()
      throw this.#end
    }
    this.#upgrading = false
    this.#socket = socket
    this.#output = this.#attach(socket)
  }

  /** Closes the stream as section 4.4 has it; what the server still says is delivered. Gives up after `timeout` ms. */
  async close(timeout: number): Promise<void> {
    if (this.#end === null) {
      this.#output.flush()
      this.#output.write('</stream:stream>')
      this.#closing = true
      const timer = setTimeout(() => this.destroy(new XmppError('stream_closed')), timeout)
      await this.over
      clearTimeout(timer)
    }
  }

  /** Ends the stream at once. The first reason wins. */
  destroy(error: XmppError): void {
    if (this.#end) return
    this.#end = error
    this.#detach()
    this.#socket.destroy()
    this.#worker.leave()
    this.#traffic.leave()
    if (this.#lookingAgain) clearTimeout(this.#lookingAgain)
    this.#splitter = new Splitter(loginLimits)
    this.#parser = new StanzaParser()
    this.#incoming.end()
    this.#outgoing.end()
    this.#waiting?.reject(error)
    this.#waiting = null
    this.#settleOver(error)
  }

  #attach(socket: Socket): Output {
    socket.on('readable', this.#onReadable)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
    return new Output(socket, this.#options.untaken, {
      written: (bytes) => this.#traffic.take('bytes', bytes),
      taken: () => this.#worker.wake(),
      stalled: () => this.destroy(new XmppError('answers_not_taken')),
    })
  }

  #detach(): void {
    this.#output.end()
    this.#socket.off('readable', this.#onReadable)
    this.#socket.off('close', this.#onClose)
    this.#socket.off('error', this.#onError)
    // An error without a listener would end the process, and a destroyed socket may still emit one.
    this.#socket.on('error', () => {})
  }

  #onReadable = (): void => {
    this.#worker.wake()
  }

  #onError = (error: Error): void => {
    this.#closed ??= xmppErrorFrom(error)
  }

  #onClose = (): void => {
    this.#closed ??= new XmppError('connection_closed')
    // The bytes that came before are handled first, as soon as a caller asks for them.
    this.#worker.wake()
  }

  /** Does a little work; false if nothing can be done now. */
  #step(): boolean {
    if (this.#end) return false
    try {
      const more = this.#mayGoOn() && this.#work()
      this.#count()
      if (!more || this.#ahead.length > 1) this.#answer()
      return more && this.#end === null
    } catch (caught) {
      this.destroy(xmppErrorFrom(caught))
      return false
    }
  }

  /** Answers a request for the next element. */
  #answer(): void {
    const arrived = this.#waiting && this.#ahead.shift()
    if (!arrived) return
    this.#waiting?.resolve(arrived)
    this.#waiting = null
  }

  #work(): boolean {
    if (this.#parser.busy) {
      this.#parse()
      return true
    }
    const part = this.#ended ? null : this.#splitter.next()
    if (part) {
      this.#take(part)
      return true
    }
    return this.#read()
  }

  #mayGoOn(): boolean {
    if (this.#upgrading || this.#ahead.length > 1) return false
    if (this.#closed || this.#parser.busy) return true
    if (this.#output.isFull()) return false
    const wait = this.#options.share.crowded ? lookAgain : this.#traffic.wait()
    if (wait === 0) return this.#traffic.isTurn()
    this.#lookingAgain ??= setTimeout(() => {
      this.#lookingAgain = null
      this.#worker.wake()
    }, wait)
    return false
  }

  #read(): boolean {
    const chunk: Buffer | null = this.#socket.read()
    if (chunk === null || this.#ended) {
      if (this.#closed && this.#ahead.length === 0) this.destroy(this.#closed)
      return false
    }
    this.#traffic.take('bytes', chunk.length)
    if (!this.#listener) {
      this.#loginBytes += chunk.length
      if (this.#loginBytes > loginBytes) throw new XmppError('login_too_long')
    }
    this.#splitter.push(chunk)
    return true
  }

  #take(part: Part): void {
    if (part.kind === 'opening') {
      this.#parser.open(part.bytes)
    } else if (part.kind === 'closing') {
      this.#endedByServer()
    } else {
      this.#traffic.take('stanzas', 1)
      if (part.kind === 'skipped') this.#deliver(this.#parser.startTag(part.startTag))
      else {
        this.#parser.begin(part.bytes)
        this.#parse()
      }
    }
  }

  #parse(): void {
    const whole = this.#parser.step()
    if (whole) this.#deliver(whole)
  }

  #deliver(arrived: Xml): void {
    if (arrived.is('error', ns.streams)) {
      this.destroy(streamError(arrived))
    } else if (this.#listener) {
      this.#listener(arrived)
    } else {
      this.#ahead.push(arrived)
    }
  }

  /** The stream is over once what came before is handled; nothing that follows counts. */
  #endedByServer(): void {
    if (!this.#closing) this.#output.write('</stream:stream>')
    this.#socket.end()
    this.#ended = true
    this.#closed ??= new XmppError('stream_closed')
  }

  #count(): void {
    if (!this.#end) this.#incoming.set(this.#splitter.held)
    if (!this.#end) this.#outgoing.set(this.#output.unsent)
  }
}

/** Asks the server a question by iq (RFC 6120 section 8.2.3) while the stream is being set up. */
export async function askStream(
  stream: Stream,
  type: 'get' | 'set',
  id: string,
  payload: Xml,
  others: (other: Xml) => void = () => {},
): Promise<Xml> {
  stream.send(element('iq', { type, id }, payload).toString())
  return await until(stream, (arrived) => arrived.name === 'iq' && arrived.attrs.id === id, others)
}

/** The next element that fits; `others` gets the rest. */
export async function until(
  stream: Stream,
  fits: (arrived: Xml) => boolean,
  others: (other: Xml) => void = () => {},
): Promise<Xml> {
  for (let count = 0; count <= earlyStanzas; count += 1) {
    const arrived = await stream.next()
    if (fits(arrived)) return arrived
    others(arrived)
  }
  throw new XmppError('login_too_long')
}

function attributeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
