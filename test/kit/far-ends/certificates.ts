import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A certificate with its key, both in PEM. */
export interface Certified {
  readonly cert: string
  readonly key: string
}

export interface CertificateWish {
  /** Names and addresses that it is for. */
  readonly hosts: readonly string[]
  /** The last moment at which it is valid; a day from now without it. */
  readonly until?: Date
}

const day = 86_400_000

/** A certificate authority for one test, so that no test needs a program or a stored key. */
export class Authority {
  readonly #name: Buffer
  readonly #key: KeyObject
  readonly cert: string

  constructor(name: string) {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#name = nameOf(name)
    this.#key = pair.privateKey
    const isAuthority = extension([2, 5, 29, 19], sequence(tagged(0x01, Buffer.from([0xff]))))
    this.cert = this.#certificate(this.#name, pair.publicKey, new Date(Date.now() + day), isAuthority)
  }

  /** The authority's own certificate, to be shown as if it were a server's. */
  get itself(): Certified {
    return { cert: this.cert, key: this.#key.export({ type: 'pkcs8', format: 'pem' }).toString() }
  }

  certify({ hosts, until = new Date(Date.now() + day) }: CertificateWish): Certified {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const alternatives = extension([2, 5, 29, 17], sequence(...hosts.map(alternative)))
    return { key, cert: this.#certificate(nameOf(hosts[0] ?? ''), pair.publicKey, until, alternatives) }
  }

  /** RFC 5280 section 4.1, in the distinguished encoding of X.690. */
  #certificate(subject: Buffer, key: KeyObject, until: Date, ...extensions: Buffer[]): string {
    const algorithm = sequence(objectId([1, 2, 840, 10045, 4, 3, 2])) // ecdsa-with-SHA256
    const content = sequence(
      tagged(0xa0, tagged(0x02, Buffer.from([2]))), // version 3
      tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])), // serial number
      algorithm,
      this.#name,
      sequence(time(new Date(until.getTime() - 2 * day)), time(until)),
      subject,
      key.export({ type: 'spki', format: 'der' }),
      tagged(0xa3, sequence(...extensions)),
    )
    const signature = sign('sha256', content, this.#key)
    const certificate = sequence(
      content,
      algorithm,
      tagged(0x03, Buffer.concat([Buffer.from([0]), signature])),
    )
    const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
    return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  }
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  // Browsers take only the shortest form.
  if (length < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, length]), content])
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

function objectId([first = 0, second = 0, ...others]: readonly number[]): Buffer {
  const bytes = others.flatMap((number) => {
    const sevens = [number & 0x7f]
    for (let rest = number >> 7; rest > 0; rest >>= 7) sevens.unshift((rest & 0x7f) | 0x80)
    return sevens
  })
  return tagged(0x06, Buffer.from([first * 40 + second, ...bytes]))
}

/** A distinguished name that is a common name alone. */
function nameOf(text: string): Buffer {
  return sequence(tagged(0x31, sequence(objectId([2, 5, 4, 3]), tagged(0x0c, Buffer.from(text)))))
}

function time(moment: Date): Buffer {
  return tagged(0x18, Buffer.from(moment.toISOString().replaceAll(/[-:T]|\.\d+/g, '')))
}

function alternative(host: string): Buffer {
  if (isIP(host) === 0) return tagged(0x82, Buffer.from(host))
  return tagged(0x87, Buffer.from(ipaddr.parse(host).toByteArray()))
}

function extension(id: readonly number[], value: Buffer): Buffer {
  return sequence(objectId(id), tagged(0x04, value))
}
