import type { InvalidValue } from './problem.ts'

/** Faults of a file that was sent as text, by the field that holds it. */
export const encodedFileFaults = {
  url: {
    pointer: '/url',
    code: 'encoded_file',
    detail:
      'This looks like the file itself, as base64 or a `data:` URL. Posthorn fetches files only from `https` URLs. Upload the file instead: ' +
      'send its bytes as the part `file` of a `multipart/form-data` body, without `url`.',
  },
  jsonFile: {
    pointer: '/file',
    code: 'encoded_file',
    detail:
      'A JSON body cannot carry a file, in base64 or otherwise. Upload the file: send its bytes as the part `file` of a ' +
      '`multipart/form-data` body. Or give its `https` URL in `url`.',
  },
  part: {
    pointer: '/file',
    code: 'encoded_file',
    detail:
      'The part holds text that looks like a file in base64 or a `data:` URL. Send the unencoded bytes of the ' +
      'file as the part `file`, with a file name. If the document really is such text, give the part a file name.',
  },
} as const satisfies Record<string, InvalidValue>

/** Characters of a text that are looked at. */
const lookedAt = 4096

/** True for a `data:` URL (RFC 2397) and for what looks like base64 or base64url (RFC 4648), in one line or wrapped (RFC 2045). */
export function isEncodedFile(text: string): boolean {
  const start = text.slice(0, lookedAt).trim()
  if (/^data:[^,\s]*,/i.test(start)) return true
  const lines = start.split(/\r?\n/)
  const width = lines[0]?.length ?? 0
  const isWrapped = width >= 60 && lines.slice(0, -1).every(({ length }) => length === width)
  const joined = lines.join('')
  const hasForm = (lines.length === 1 || isWrapped) && /^[A-Za-z0-9+/_-]{40,}={0,2}$/.test(joined)
  // Bytes of files make letters of both cases and digits; a hexadecimal digest or a slug does not.
  return hasForm && [/[a-z]/, /[A-Z]/, /[0-9]/].every((some) => some.test(joined))
}

/** Reports fields of a message that contain a file as text, instead of their general faults. */
export function explainEncodedFile(body: unknown, faults: readonly InvalidValue[]): readonly InvalidValue[] {
  const { url, file } = (body ?? {}) as { readonly url?: unknown; readonly file?: unknown }
  const inUrl = typeof url === 'string' && isEncodedFile(url)
  return faults.flatMap((fault) => {
    if (fault.pointer === '/url' && inUrl) return [encodedFileFaults.url]
    if (fault.pointer === '/url' && file !== undefined && url === undefined) return []
    if (fault.pointer === '/file' && file !== undefined) return [encodedFileFaults.jsonFile]
    return [fault]
  })
}
