import { randomBytes, randomFillSync } from 'node:crypto'
import type { Request } from 'autocannon'
import { batchSize, connections, imageBytes, instanceNames, type LoadOrder } from './load.ts'
import { runLoad } from './run-load.ts'

/*
 * The load generator: connections each of which sends its next message when the last one was answered, or when it is time.
 * Every connection has recipients of its own, so that neither order per recipient nor one hot row is what is measured.
 */

const recipientsEach = 128
const text = 'Your order 4711 has left our warehouse and will be with you tomorrow between 9 and 12 o’clock.'
const boundary = 'posthorn-bench'
/** Beginning of a PNG: its signature, a header, and the beginning of its data (RFC 2083 sections 3.1, 4.1.1 and 4.1.3). */
const imageHead = '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c48900004e2049444154'

/** Recipient of a message, and the instance that sends it. */
interface Recipient {
  readonly instance: string
  readonly to: string
}

const requestOf = {
  texts: (recipient: Recipient, key: string): Request => ({
    method: 'POST',
    path: '/v1/messages/text',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ ...recipient, text }),
  }),
  batches: ({ instance, to }: Recipient, key: string): Request => ({
    method: 'POST',
    path: '/v1/messages/batch',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      messages: Array.from({ length: batchSize }, (_, number) => ({
        ...{ type: 'text', instance, to: `b${number}-${to}`, text },
      })),
    }),
  }),
  ejabberd: ({ instance, to }: Recipient): Request => ({
    method: 'POST',
    path: '/api/send_message',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      type: 'chat',
      from: `${instance}@${to.split('@')[1]}`,
      to,
      subject: '',
      body: text,
    }),
  }),
  images: (recipient: Recipient, key: string): Request => {
    const image = Buffer.concat([Buffer.from(imageHead, 'hex'), randomBytes(imageBytes)], imageBytes)
    const [body, start] = formOf({ ...recipient, kind: 'image' }, image)
    return {
      method: 'POST',
      path: '/v1/messages/media',
      headers: {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        authorization: `Bearer ${key}`,
      },
      body,
      // The same bytes are kept once for each organization, which would be too easy.
      setupRequest(request) {
        randomFillSync(body, start + imageBytes - 16, 16)
        return request
      },
    }
  },
} as const

/** A multipart body, and where in it the file begins. */
function formOf(fields: Readonly<Record<string, string>>, file: Buffer): [body: Buffer, start: number] {
  const part = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`
  const written = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}\r\n${value}\r\n`)
  written.push(`${part('name="file"; filename="label.png"')}Content-Type: image/png\r\n\r\n`)
  const head = Buffer.from(written.join(''))
  return [Buffer.concat([head, file, Buffer.from(`\r\n--${boundary}--\r\n`)]), head.length]
}

function requestsOf(connection: number, order: LoadOrder): Request[] {
  const { key, what, recipients, domain = 'accepts.sandbox', instances = instanceNames } = order
  return Array.from({ length: recipientsEach }, (_, index) => {
    const instance = instances[(connection + index) % instances.length] ?? ''
    const number =
      recipients === undefined ? connection * recipientsEach + index : (connection + index) % recipients
    const to = `r${number}@${domain}`
    return requestOf[what]({ instance, to }, key)
  })
}

const order = JSON.parse(process.argv[2] ?? '') as LoadOrder
await runLoad({
  url: order.url,
  connections: order.connections ?? connections[order.what],
  seconds: order.seconds,
  amount: order.amount,
  rate: order.rate,
  requestsOf: (connection) => requestsOf(connection, order),
  expected: order.what === 'ejabberd' || order.what === 'batches' ? '200' : '202',
})
