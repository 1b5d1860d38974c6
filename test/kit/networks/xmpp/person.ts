import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { type RequestOptions, request as requestSecurely } from 'node:https'
import { Socket } from 'node:net'
import { type Client, client, xml } from '@xmpp/client'
import type { Prosody } from './prosody.ts'
import { type ShownMessage, shownIn, type XmlNode } from './read-message.ts'

/** A message as it arrived at the person's phone. */
export interface Arrival extends ShownMessage {
  readonly id: string
  /** The bare address of the sender, and the full one. */
  readonly from: string
  readonly sender: string
  /** All of it; empty if there is none. */
  readonly body: string
  readonly originId: string | undefined
  /** The id that a server or a room gave it (XEP-0359). */
  readonly stanzaId: string | undefined
  readonly type: string
  /** True if the sender asked for a receipt (XEP-0184), and offers to receive a chat marker (XEP-0333). */
  readonly wantsReceipt: boolean
  readonly markable: boolean
  /** The out-of-band data of a message that is a file (XEP-0066). */
  readonly data: { readonly url: string; readonly description: string | null } | null
}

/** A file as the phone downloaded it. */
export interface Download {
  readonly status: number
  /** As the URL spells it: all that most clients know of the name. */
  readonly filename: string
  readonly mimeType: string | undefined
  readonly size: number
  readonly sha256: string
}

export interface PersonOptions {
  /** False for a phone that says nothing when a message arrives. */
  readonly receipts?: boolean
  /** Called for every arrival, after its receipt was sent. */
  readonly onArrival?: (arrival: Arrival) => void
  /** Priority among several clients of one account: the one with the highest gets messages; 0 by default. */
  readonly priority?: number
  /** Port to connect to, if not that of the server itself. */
  readonly port?: number
}

/** Milliseconds that each step of a login may take, on a machine that is busy with other things. */
const loginTimeout = 60_000

/**
 * The recipient: another human being's phone, run by a client that shares no code with Posthorn beyond the XML parser. It
 * returns receipts by itself, as phones do, and marks messages as displayed when it is told to.
 */
export class XmppPerson {
  readonly address: string
  /** Everything that arrived, in the order of arrival. */
  readonly arrivals: Arrival[] = []
  /** The messages of the person that were given back, by their ids, each with the condition that was named. */
  readonly returns = new Map<string, string>()
  /** The messages that carried nothing for a person to read, such as chat states (XEP-0085). */
  readonly signs: XmlNode[] = []
  readonly presences: XmlNode[] = []
  readonly #client: Client
  readonly #certificate: string
  readonly #options: PersonOptions
  readonly #watchers = new Set<() => void>()

  private constructor(address: string, phone: Client, certificate: string, options: PersonOptions) {
    this.address = address
    this.#certificate = certificate
    this.#client = phone
    this.#options = options
    phone.on('stanza', (stanza) => {
      if (stanza.is('message')) void this.#message(stanza)
      if (stanza.is('presence')) this.#presence(stanza)
    })
    // Servers are killed under it in tests; it says nothing and does not come back.
    phone.on('error', () => {})
    phone.reconnect.stop()
    decodeAcrossPackets(phone)
    leaveStreamManagement(phone)
  }

  /** Logs in to an account that exists, and is available from then on. */
  static async login(
    server: Prosody,
    name: string,
    password: string,
    options: PersonOptions = {},
  ): Promise<XmppPerson> {
    const service = `xmpp://127.0.0.1:${options.port ?? server.port}`
    const phone = client({ service, domain: server.domain, username: name, password })
    const { timeout } = phone
    phone.timeout = loginTimeout
    const person = new XmppPerson(server.address(name), phone, server.certificate, options)
    await phone.start()
    phone.timeout = timeout
    await phone.send(xml('presence', {}, xml('priority', {}, String(options.priority ?? 0))))
    return person
  }

  /** Creates the account and logs in to it. */
  static async join(server: Prosody, name: string, options: PersonOptions = {}): Promise<XmppPerson> {
    // Phones derive their keys by promises, which would take them longer than all the rest of a play.
    await server.createUser(name, `${name}-secret`, 16)
    return await XmppPerson.login(server, name, `${name}-secret`, options)
  }

  /** The first arrival that fits, present or future. */
  async receives(fits: (arrival: Arrival) => boolean): Promise<Arrival> {
    for (;;) {
      const found = this.arrivals.find(fits)
      if (found) return found
      await new Promise<void>((resolve) => this.#watchers.add(resolve))
    }
  }

  /** The first of these signs with an element of this name in this namespace that fits, present or future. */
  async receivesSign(
    name: string,
    namespace: string,
    fits: (sign: XmlNode) => boolean = () => true,
  ): Promise<XmlNode> {
    for (;;) {
      const found = this.signs.find((sign) => sign.getChild(name, namespace) && fits(sign))
      if (found) return found
      await new Promise<void>((resolve) => this.#watchers.add(resolve))
    }
  }

  /** Asks the server, or another one, and resolves with the answer; rejects if it is an error. */
  async asks(type: 'get' | 'set', to: string | undefined, payload: XmlNode): Promise<XmlNode> {
    return await this.#client.iqCaller.request(xml('iq', { type, ...(to && { to }) }, payload))
  }

  /** The condition with which a message of the person was given back, now or later. */
  async receivesReturn(id: string): Promise<string> {
    for (;;) {
      const found = this.returns.get(id)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#watchers.add(resolve))
    }
  }

  /** Goes into a room (XEP-0045), and sees nothing of what was written there before; rejects if it is not let in. */
  async enters(room: string, nick: string): Promise<void> {
    const history = xml('history', { maxstanzas: '0' })
    const x = xml('x', { xmlns: 'http://jabber.org/protocol/muc' }, history)
    await this.#client.send(xml('presence', { to: `${room}/${nick}` }, x))
    const answer = await this.receivesPresence(`${room}/${nick}`)
    if (answer.attrs.type === 'error') throw new Error(`not let in: ${answer}`)
  }

  /** The first presence from this address that fits, present or future. */
  async receivesPresence(from: string, fits: (presence: XmlNode) => boolean = () => true): Promise<XmlNode> {
    for (;;) {
      const found = this.presences.find((each) => each.attrs.from === from && fits(each))
      if (found) return found
      await new Promise<void>((resolve) => this.#watchers.add(resolve))
    }
  }

  /** Writes in a room. */
  async saysIn(room: string, body: string, id: string, ...more: XmlNode[]): Promise<void> {
    await this.sends({ to: room, type: 'groupchat', id }, xml('body', {}, body), ...more)
  }

  /** Marks a message as displayed for its sender (XEP-0333). */
  async displays(arrival: Arrival): Promise<void> {
    await this.#answer(arrival, xml('displayed', { xmlns: 'urn:xmpp:chat-markers:0', id: arrival.id }))
  }

  /** Fetches the file that a message names. */
  async downloads({ data }: Pick<Arrival, 'data'>): Promise<Download> {
    const url = new URL(data?.url ?? '')
    const response = await this.#fetch(url)
    const hash = createHash('sha256')
    let size = 0
    for await (const chunk of response) {
      size += chunk.length
      hash.update(chunk)
    }
    return {
      status: response.statusCode ?? 0,
      filename: decodeURIComponent(url.pathname.split('/').at(-1) ?? ''),
      mimeType: response.headers['content-type'],
      size,
      sha256: hash.digest('hex'),
    }
  }

  /** Sends a message, with the given elements added. */
  async says(to: string, body: string, id: string, ...more: XmlNode[]): Promise<void> {
    await this.#client.send(xml('message', { to, type: 'chat', id }, xml('body', {}, body), ...more))
  }

  /** Sends a message that is made of these elements alone. */
  async sends(attributes: Readonly<Record<string, string>>, ...elements: XmlNode[]): Promise<void> {
    await this.#client.send(xml('message', attributes, ...elements))
  }

  /** Sends what a client sends for a file: its URL as out-of-band data, and the caption or again the URL as the body. */
  async shares(
    to: string,
    url: string,
    caption: string | null,
    id: string,
    description?: string,
  ): Promise<void> {
    const data = xml('x', { xmlns: 'jabber:x:oob' }, xml('url', {}, url))
    if (description !== undefined) data.append(xml('desc', {}, description))
    await this.#client.send(xml('message', { to, type: 'chat', id }, xml('body', {}, caption ?? url), data))
  }

  /** Brings a file to the server's upload service (XEP-0363), and answers the URL under which others find it. */
  async uploads(server: Prosody, filename: string, bytes: Buffer): Promise<string> {
    const asked = { xmlns: 'urn:xmpp:http:upload:0', filename, size: String(bytes.length) }
    const to = `upload.${server.domain}`
    const answer = await this.#client.iqCaller.request(xml('iq', { type: 'get', to }, xml('request', asked)))
    const place = (name: 'put' | 'get') => answer.getChild('slot')?.getChild(name)
    const fields = place('put')?.getChildren('header') ?? []
    const headers = Object.fromEntries(fields.map((field: XmlNode) => [field.attrs.name, field.text()]))
    const url = new URL(place('put')?.attrs.url)
    const response = await this.#fetch(url, { method: 'PUT', headers }, bytes)
    response.resume()
    if (response.statusCode !== 201) throw new Error(`the upload was answered with ${response.statusCode}`)
    return place('get')?.attrs.url
  }

  /** Returns a message with an error, as a phone or a gateway behind it may. */
  async refuses(arrival: Arrival, type: string, condition: string): Promise<void> {
    const reason = xml(condition, { xmlns: 'urn:ietf:params:xml:ns:xmpp-stanzas' })
    const attributes = { to: arrival.sender, type: 'error', id: arrival.id }
    await this.#client.send(xml('message', attributes, xml('error', { type }, reason)))
  }

  async leave(): Promise<void> {
    await this.#client.stop()
  }

  async #fetch(url: URL, options: RequestOptions = {}, body?: Buffer): Promise<IncomingMessage> {
    const ask = url.protocol === 'http:' ? request : requestSecurely
    const asking = ask(url, { ...options, ca: this.#certificate, agent: false }).end(body)
    const [response] = await once(asking, 'response')
    return response
  }

  async #message(stanza: XmlNode): Promise<void> {
    if (stanza.attrs.type === 'error') {
      this.returns.set(stanza.attrs.id, stanza.getChild('error')?.getChildElements()[0]?.name ?? '')
      this.#wake()
      return
    }
    const body = stanza.getChildText('body')
    const shown = shownIn(stanza)
    if (body === null && shown.about === null) {
      this.signs.push(stanza)
      this.#wake()
      return
    }
    const data = stanza.getChild('x', 'jabber:x:oob')
    const arrival: Arrival = {
      id: stanza.attrs.id,
      sender: stanza.attrs.from,
      from: String(stanza.attrs.from).split('/')[0] ?? '',
      body: body ?? '',
      ...shown,
      stanzaId: stanza.getChild('stanza-id', 'urn:xmpp:sid:0')?.attrs.id,
      originId: stanza.getChild('origin-id', 'urn:xmpp:sid:0')?.attrs.id,
      type: stanza.attrs.type,
      wantsReceipt: stanza.getChild('request', 'urn:xmpp:receipts') !== undefined,
      markable: stanza.getChild('markable', 'urn:xmpp:chat-markers:0') !== undefined,
      data: data ? { url: data.getChildText('url') ?? '', description: data.getChildText('desc') } : null,
    }
    this.arrivals.push(arrival)
    this.#wake()
    if (this.#options.receipts !== false && arrival.wantsReceipt) {
      await this.#answer(arrival, xml('received', { xmlns: 'urn:xmpp:receipts', id: arrival.id }))
    }
    this.#options.onArrival?.(arrival)
  }

  #presence(stanza: XmlNode): void {
    this.presences.push(stanza)
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#watchers) wake()
    this.#watchers.clear()
  }

  async #answer(arrival: Arrival, sign: XmlNode): Promise<void> {
    try {
      await this.#client.send(xml('message', { to: arrival.sender, type: 'chat' }, sign))
    } catch {
      // The server is gone; so is the receipt.
    }
  }
}

/** The library decodes each packet by itself, which garbles a character that two packets share; its socket does not. */
function decodeAcrossPackets(phone: Client): void {
  phone.on('connect', () => {
    if (phone.socket instanceof Socket) phone.socket.setEncoding('utf8')
  })
}

/**
 * The library's stream management begins to count a moment after the server does; what arrives in that moment makes it
 * acknowledge more than there was, and the server hangs up. So the phone does not see that the server has it.
 */
function leaveStreamManagement(phone: Client): void {
  phone.prependListener('element', (arrived: XmlNode) => {
    if (arrived.is('features')) arrived.remove('sm', 'urn:xmpp:sm:3')
  })
}
