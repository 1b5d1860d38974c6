import { randomBytes } from 'node:crypto'

export interface FilePart {
  readonly mimeType: string
  readonly bytes: Buffer
}

/** A form with a file at its end (RFC 7578), as bytes, with the type that names its boundary. The name of the file is a field. */
export function formOf(
  fields: Readonly<Record<string, string>>,
  file: FilePart,
): { readonly type: string; readonly body: Buffer } {
  const boundary = `posthorn-${randomBytes(16).toString('hex')}`
  const begin = (name: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`
  const texts = Object.entries(fields).map(([name, value]) => `${begin(name)}\r\n${value}\r\n`)
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(file.mimeType) ? file.mimeType : 'application/octet-stream'
  const head = `${begin('file', '; filename="file"')}Content-Type: ${mimeType}\r\n\r\n`
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      Buffer.from(texts.join('') + head),
      file.bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  }
}
