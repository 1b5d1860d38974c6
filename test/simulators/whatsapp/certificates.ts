import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A certificate for 127.0.0.1 and localhost with its key, and the one of the authority that has signed it, all in PEM. */
export interface ServerCertificate {
  readonly key: string
  readonly certificate: string
  readonly authority: string
}

/** Makes an authority and has it certify a server on this machine (RFC 5280, in the encoding of X.690). Both last a day. */
export function certifyServer(): ServerCertificate {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = { name: commonName('Simulated WhatsApp authority'), key: authority.privateKey }
  const isAuthority = extension('551d13', sequence(part(0x01, Buffer.from([0xff]))))
  const hosts = [part(0x87, Buffer.from([127, 0, 0, 1])), part(0x82, Buffer.from('localhost'))]
  const names = extension('551d11', sequence(...hosts))
  return {
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: issue(issuer, commonName('127.0.0.1'), server.publicKey, names),
    authority: issue(issuer, issuer.name, authority.publicKey, isAuthority),
  }
}

function issue(
  issuer: { name: Buffer; key: KeyObject },
  subject: Buffer,
  key: KeyObject,
  extra: Buffer,
): string {
  const withSha256 = sequence(part(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const moments = [-1, 1].map((days) => moment(new Date(Date.now() + days * 86_400_000)))
  const content = sequence(
    part(0xa0, part(0x02, Buffer.from([2]))),
    part(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    withSha256,
    issuer.name,
    sequence(...moments),
    subject,
    key.export({ type: 'spki', format: 'der' }),
    part(0xa3, sequence(extra)),
  )
  const signature = part(0x03, Buffer.concat([Buffer.alloc(1), sign('sha256', content, issuer.key)]))
  const body =
    sequence(content, withSha256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...body, '-----END CERTIFICATE-----', ''].join('\n')
}

function part(tag: number, content: Buffer): Buffer {
  const { length } = content
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

const sequence = (...parts: Buffer[]): Buffer => part(0x30, Buffer.concat(parts))

const commonName = (text: string): Buffer =>
  sequence(part(0x31, sequence(part(0x06, Buffer.from('550403', 'hex')), part(0x0c, Buffer.from(text)))))

const moment = (date: Date): Buffer =>
  part(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`))

const extension = (id: string, value: Buffer): Buffer =>
  sequence(part(0x06, Buffer.from(id, 'hex')), part(0x04, value))
