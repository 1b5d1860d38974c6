import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { gzip as compress } from 'node:zlib'

/** True if the caller understands gzip (RFC 9110 section 12.5.3). */
export function acceptsGzip({ 'accept-encoding': accepted }: IncomingHttpHeaders): boolean {
  return /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(accepted ?? ''))
}

/** Compresses on another thread. Level 4 takes half the time of the usual one, for a few percent more bytes. */
export function gzip(text: string): Promise<Buffer> {
  return promisify(compress)(text, { level: 4 })
}
