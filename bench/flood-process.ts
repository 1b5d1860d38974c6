import { connect } from 'node:net'
import type { FloodOrder, FloodReport } from './uploads.ts'

/*
 * The flood: uploads that all send as fast as they are taken, in chunks without a length, and go on when they are answered,
 * until everything is sent or the connection ends. All of them send the same piece of memory, again and again.
 */

const boundary = 'flood'
/** Bytes that each of many clients sends at a time. */
const chunkBytes = 16 * 1024

const { url, key, instance, uploads, bytes } = JSON.parse(process.argv[2] ?? '') as FloodOrder
const { hostname, port } = new URL(url)

const chunkOf = (content: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(content).toString(16)}\r\n`),
    Buffer.from(content as string),
    Buffer.from('\r\n'),
  ])
const disposition = (rest: string) => `--${boundary}\r\ncontent-disposition: form-data; ${rest}\r\n`
const field = (name: string, value: string) => `${disposition(`name="${name}"`)}\r\n${value}\r\n`
const head = [
  'POST /v1/messages/media HTTP/1.1',
  `host: ${hostname}`,
  `authorization: Bearer ${key}`,
  `content-type: multipart/form-data; boundary=${boundary}`,
  'transfer-encoding: chunked',
  '\r\n',
].join('\r\n')
const fields = [field('instance', instance), field('to', 'ana@accepts.sandbox'), field('kind', 'document')]
const opening = chunkOf(`${fields.join('')}${disposition('name="file"; filename="flood.bin"')}\r\n`)
const chunk = chunkOf(Buffer.alloc(chunkBytes, 'flood'))
const closing = Buffer.concat([chunkOf(`\r\n--${boundary}--\r\n`), Buffer.from('0\r\n\r\n')])

function upload(): Promise<FloodReport> {
  return new Promise((resolve) => {
    const begun = performance.now()
    let answer = ''
    let after = 0
    let sent = 0
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const send = () => {
      while (sent < bytes) {
        sent += chunkBytes
        if (!socket.write(chunk)) return
      }
      socket.off('drain', send).end(closing)
    }
    socket.on('data', (part: Buffer) => {
      after ||= performance.now() - begun
      answer += part.toString()
    })
    socket.on('drain', send)
    // A client that keeps sending is cut off in the end; the responses before that count.
    socket.on('error', () => {})
    socket.once('close', () => resolve({ code: /"code":"(\w+)"/.exec(answer)?.[1], after }))
    socket.write(head)
    socket.write(opening)
    send()
  })
}

const reports = await Promise.all(Array.from({ length: uploads }, upload))
process.stdout.write(JSON.stringify(reports))
