import { randomBytes } from 'node:crypto'
import type { FileBody, Form, HttpBody } from './request.ts'

/** The body of a request, ready to be written: bytes, with at most one file in their middle. */
export interface EncodedBody {
  readonly type: string
  /** In bytes, with the file. */
  readonly length: number
  readonly before: Uint8Array
  readonly file?: FileBody
  readonly after: Uint8Array
}

const nothing = Buffer.alloc(0)

/** Encodes a body. Throws what JSON.stringify throws. */
export function encodeBody(body: HttpBody): EncodedBody {
  if ('form' in body) return encodeForm(body.form)
  if ('file' in body)
    return { ...plain(known(body.file.type), nothing), length: body.file.size, file: body.file }
  if ('json' in body) return plain('application/json', Buffer.from(JSON.stringify(body.json)))
  return plain(body.type, body.bytes)
}

function plain(type: string, bytes: Uint8Array): EncodedBody {
  return { type, length: bytes.length, before: bytes, after: nothing }
}

/** RFC 7578, with names as the HTML standard encodes them ("multipart/form-data encoding algorithm"). */
function encodeForm({ fields, file }: Form): EncodedBody {
  // The boundary is random, so that the author of a value cannot guess it.
  const boundary = `posthorn-${randomBytes(16).toString('hex')}`
  const disposition = (name: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"`
  const parts = Object.entries(fields).map(([name, value]) => `${disposition(name)}\r\n\r\n${value}\r\n`)
  if (file !== undefined) {
    const { name, filename, type } = file
    parts.push(
      `${disposition(name)}; filename="${escaped(filename)}"\r\nContent-Type: ${known(type)}\r\n\r\n`,
    )
  }
  const before = Buffer.from(parts.join(''))
  const after = Buffer.from(`${file === undefined ? '' : '\r\n'}--${boundary}--\r\n`)
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length: before.length + (file?.size ?? 0) + after.length,
    before,
    ...(file !== undefined && { file }),
    after,
  }
}

/** A name in UTF-8 in which nothing can end the header or its quotes. */
function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

/** A type that could break the header is none. */
function known(type: string): string {
  return /^[\x20-\x7e]+$/.test(type) ? type : 'application/octet-stream'
}
