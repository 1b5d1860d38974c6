import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'

/** The answer of a name server to one query: addresses (none: it knows the name but has no such record), a service, or an error. */
export type NameAnswer =
  | readonly string[]
  | { readonly cname: string; readonly addresses: readonly string[] }
  | { readonly host: string; readonly port: number }
  | 'unknown'
  | 'fault'
  | 'silence'

export type RecordType = 'A' | 'AAAA' | 'SRV'

const typeNumbers = { A: 1, CNAME: 5, AAAA: 28, SRV: 33 } as const
const codes = { unknown: 3, fault: 2 } as const

/** A name server on a loopback address (RFC 1035, over UDP). No answer may be cached: all have a time to live of 0. */
export class NameServer {
  /** Every question so far, as `A name`. */
  readonly asked: string[] = []
  readonly #socket: Socket
  readonly #answer: (name: string, type: RecordType) => NameAnswer

  private constructor(socket: Socket, answer: (name: string, type: RecordType) => NameAnswer) {
    this.#socket = socket
    this.#answer = answer
    socket.on('message', (query, from) => {
      const reply = this.#replyTo(query)
      if (reply !== undefined) socket.send(reply, from.port, from.address)
    })
  }

  static async start(answer: (name: string, type: RecordType) => NameAnswer): Promise<NameServer> {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new NameServer(socket, answer)
  }

  /** As resolvers want it. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  /** Settles at the next question. */
  async nextQuestion(): Promise<void> {
    await once(this.#socket, 'message')
  }

  async stop(): Promise<void> {
    this.#socket.close()
    await once(this.#socket, 'close')
  }

  #replyTo(query: Buffer): Buffer | undefined {
    const { name, end } = readName(query, 12)
    const number = query.readUInt16BE(end)
    const type = number === typeNumbers.A ? 'A' : number === typeNumbers.SRV ? 'SRV' : 'AAAA'
    this.asked.push(`${type} ${name}`)
    const said = this.#answer(name, type)
    if (said === 'silence') return undefined
    const records = typeof said === 'string' ? [] : recordsOf(name, type, said)
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    // A response, recursion desired and available.
    head.writeUInt16BE(0x8180 | (typeof said === 'string' ? codes[said] : 0), 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    return Buffer.concat([head, query.subarray(12, end + 4), ...records])
  }
}

function recordsOf(name: string, type: RecordType, said: Exclude<NameAnswer, string>): Buffer[] {
  if ('port' in said) return [record(name, type, Buffer.concat([serviceAt(said.port), written(said.host)]))]
  if (!('cname' in said)) return said.map((address) => record(name, type, bytesOf(address)))
  const alias = record(name, 'CNAME', written(said.cname))
  return [alias, ...said.addresses.map((address) => record(said.cname, type, bytesOf(address)))]
}

/** The priority, the weight and the port of the only machine that has a service (RFC 2782). */
function serviceAt(port: number): Buffer {
  return Buffer.from(Uint16Array.of(0, 0, port).buffer).swap16()
}

function record(name: string, type: keyof typeof typeNumbers, data: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(typeNumbers[type], 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([written(name), head, data])
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.'), end: at + 1 }
}

function written(name: string): Buffer {
  const labels = name
    .split('.')
    .flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')])
  return Buffer.concat([...labels, Buffer.from([0])])
}

function bytesOf(address: string): Buffer {
  return Buffer.from(ipaddr.parse(address).toByteArray())
}
