import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { TLSSocket } from 'node:tls'
import { Parser } from '@xmpp/xml'
import { streamTrouble, Trouble, troubleFrom } from './errors.ts'
import { element, ns, type Xml } from './xml.ts'

/** In UTF-16 units. Servers pass on stanzas of some hundred kilobytes; a longer one would only fill the memory. */
const longestElement = 1024 * 1024

/**
 * An XML stream (RFC 6120 section 4) over one socket: elements in, elements out, and exactly one end. It is pulled with
 * `next()` while the login asks and answers, and pushes to a listener once `deliverTo` was called.
 *
 * The library's own connection is not used here, only its parser. A malformed entity from a server would throw out of
 * its socket handler and end the process; it decodes UTF-8 chunk by chunk, which breaks characters that straddle two
 * packets; it follows `see-other-host` by itself; and it leaves sockets open that do not answer a close.
 */
export class Stream {
  /** Called right before a batch is written; what it answers is written with it. */
  appendToBatch: () => string = () => ''
  /** Settles when the stream is over, never rejects. */
  readonly over: Promise<Trouble>

  #socket: Socket
  readonly #domain: string
  #decoder = new StringDecoder('utf8')
  #parser: Parser | null = null
  #arrived: Xml[] = []
  #listener: ((arrived: Xml) => void) | null = null
  #waiting: { resolve(arrived: Xml): void; reject(trouble: Trouble): void } | null = null
  #unwritten = ''
  #sinceElement = 0
  #closing = false
  #end: Trouble | null = null
  #settleOver: (trouble: Trouble) => void

  constructor(socket: Socket, domain: string) {
    this.#socket = socket
    this.#domain = domain
    const { promise, resolve } = Promise.withResolvers<Trouble>()
    this.over = promise
    this.#settleOver = resolve
    this.#attach(socket)
  }

  get secure(): boolean {
    return this.#socket instanceof TLSSocket
  }

  /** Opens the stream, or opens it anew after TLS or the login (section 4.3.3), and answers the server's features. */
  async open(): Promise<Xml> {
    // Whatever came before the restart belongs to the stream that is over now; section 5.4.3.3 forbids to keep it.
    this.#arrived = []
    this.#parse()
    this.#write(
      `<?xml version='1.0'?><stream:stream xmlns='${ns.client}' xmlns:stream='${ns.streams}' version='1.0' ` +
        `xml:lang='en' to='${attributeText(this.#domain)}'>`,
    )
    const features = await this.next()
    if (features.is('features', ns.streams)) return features
    throw new Trouble('not_xmpp')
  }

  /** The next element, in the order of arrival. */
  next(): Promise<Xml> {
    const arrived = this.#arrived.shift()
    if (arrived) return Promise.resolve(arrived)
    if (this.#end) return Promise.reject(this.#end)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  /** From now on every element goes to the listener; first those that arrived and were not asked for. */
  deliverTo(listener: (arrived: Xml) => void): void {
    this.#listener = listener
    for (const arrived of this.#arrived.splice(0)) this.#deliver(arrived)
  }

  /** Writes text soon: what is sent in one turn of the event loop leaves in one packet. */
  send(text: string): void {
    if (this.#end || this.#closing) return
    if (this.#unwritten === '') queueMicrotask(() => this.#flush())
    this.#unwritten += text
  }

  /** Puts TLS under the stream after the server said that it may begin. */
  async upgrade(secured: (plain: Socket) => Promise<TLSSocket>): Promise<void> {
    // Text that came in the clear behind the go-ahead could be anybody's; taken for the server's it would be an attack.
    if (this.#arrived.length > 0) throw new Trouble('tls_failed', 'the server spoke on in the clear')
    this.#detach()
    const socket = await secured(this.#socket).catch((caught: unknown) => {
      throw troubleFrom(caught)
    })
    if (this.#end) {
      socket.destroy()
      throw this.#end
    }
    this.#socket = socket
    this.#attach(socket)
  }

  /** Closes the stream as section 4.4 has it; what the server still says is delivered. Gives up after `patience` ms. */
  async close(patience: number): Promise<void> {
    if (this.#end === null) {
      this.#flush()
      this.#write('</stream:stream>')
      this.#closing = true
      const impatience = setTimeout(() => this.destroy(new Trouble('stream_closed')), patience)
      await this.over
      clearTimeout(impatience)
    }
  }

  /** Ends the stream at once. The first reason wins. */
  destroy(trouble: Trouble): void {
    if (this.#end) return
    this.#end = trouble
    this.#detach()
    this.#socket.destroy()
    this.#waiting?.reject(trouble)
    this.#waiting = null
    this.#settleOver(trouble)
  }

  #attach(socket: Socket): void {
    this.#decoder = new StringDecoder('utf8')
    socket.on('data', this.#onData)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  #detach(): void {
    this.#socket.off('data', this.#onData)
    this.#socket.off('close', this.#onClose)
    this.#socket.off('error', this.#onError)
    // An error without a listener would end the process, and a destroyed socket may still have one to tell.
    this.#socket.on('error', () => {})
  }

  #onData = (data: Buffer): void => {
    try {
      const text = this.#decoder.write(data)
      this.#sinceElement += text.length
      this.#parser?.write(text)
    } catch {
      this.destroy(new Trouble('stream_malformed', 'not well-formed'))
      return
    }
    if (this.#sinceElement > longestElement) {
      this.destroy(new Trouble('stream_malformed', 'an element without an end'))
    }
  }

  #onError = (error: Error): void => {
    this.destroy(troubleFrom(error))
  }

  #onClose = (): void => {
    this.destroy(new Trouble('connection_closed'))
  }

  #parse(): void {
    this.#parser?.removeAllListeners()
    const parser = new Parser()
    parser.on('element', (arrived: Xml) => {
      this.#sinceElement = 0
      this.#deliver(arrived)
    })
    parser.on('error', () => {
      this.destroy(new Trouble('stream_malformed', 'not well-formed'))
    })
    parser.on('end', () => this.#endedByServer())
    this.#parser = parser
    this.#sinceElement = 0
  }

  #deliver(arrived: Xml): void {
    if (this.#end) return
    if (arrived.is('error', ns.streams)) {
      this.destroy(streamTrouble(arrived))
    } else if (this.#listener) {
      this.#listener(arrived)
    } else if (this.#waiting) {
      this.#waiting.resolve(arrived)
      this.#waiting = null
    } else {
      this.#arrived.push(arrived)
    }
  }

  #endedByServer(): void {
    if (!this.#closing) this.#write('</stream:stream>')
    this.#socket.end()
    this.destroy(new Trouble('stream_closed'))
  }

  #flush(): void {
    if (this.#unwritten === '') return
    const batch = this.#unwritten + this.appendToBatch()
    this.#unwritten = ''
    this.#write(batch)
  }

  #write(text: string): void {
    if (!this.#end && this.#socket.writable) this.#socket.write(text)
  }
}

/** Asks the server a question by iq (RFC 6120 section 8.2.3) while the stream is being set up. */
export async function ask(
  stream: Stream,
  type: 'get' | 'set',
  id: string,
  payload: Xml,
  others: (other: Xml) => void = () => {},
): Promise<Xml> {
  stream.send(element('iq', { type, id }, payload).toString())
  return await until(stream, (arrived) => arrived.name === 'iq' && arrived.attrs.id === id, others)
}

/** The next element that fits; the others go where they are told. */
export async function until(
  stream: Stream,
  fits: (arrived: Xml) => boolean,
  others: (other: Xml) => void = () => {},
): Promise<Xml> {
  for (;;) {
    const arrived = await stream.next()
    if (fits(arrived)) return arrived
    others(arrived)
  }
}

function attributeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
