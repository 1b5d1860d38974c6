import { randomUUID } from 'node:crypto'

/** The bytes of a file that are in memory at once. */
const sliceBytes = 262_144

/**
 * Sends requests as `fetch` does, and forms a piece at a time: `fetch` itself reads a file that it sends into memory, as fast as
 * the disk is.
 */
export const fetchInPieces: typeof fetch = (input, init) => {
  if (!(init?.body instanceof FormData)) return fetch(input, init)
  const parts = partsOf(init.body)
  const boundary = `posthorn-${randomUUID()}`
  const headers = new Headers(init.headers)
  headers.set('content-type', `multipart/form-data; boundary=${boundary}`)
  const lines = parts.map(({ head }) => Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`))
  const end = Buffer.from(`--${boundary}--\r\n`)
  const sizes = parts.map(({ content }, index) => (lines[index]?.length ?? 0) + content.size + 2)
  headers.set('content-length', String(sizes.reduce((sum, size) => sum + size, end.length)))
  const body = ReadableStream.from(pieces(parts, lines, end))
  return fetch(input, { ...init, headers, body, duplex: 'half' } as RequestInit)
}

interface FormPart {
  readonly head: string
  readonly content: Blob
}

function partsOf(form: FormData): FormPart[] {
  return [...form].map(([name, value]) => {
    const disposition = `Content-Disposition: form-data; name="${quoted(name)}"`
    if (typeof value === 'string') return { head: disposition, content: new Blob([value]) }
    const type = value.type || 'application/octet-stream'
    return {
      head: `${disposition}; filename="${quoted(value.name)}"\r\nContent-Type: ${type}`,
      content: value,
    }
  })
}

/** Returns a name as it stands in a form (https://html.spec.whatwg.org/#multipart-form-data). */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

async function* pieces(
  parts: readonly FormPart[],
  lines: readonly Uint8Array[],
  end: Uint8Array,
): AsyncGenerator<Uint8Array, void> {
  for (const [index, { content }] of parts.entries()) {
    yield lines[index] ?? new Uint8Array()
    for (let at = 0; at < content.size; at += sliceBytes) {
      yield new Uint8Array(await content.slice(at, at + sliceBytes).arrayBuffer())
    }
    yield Buffer.from('\r\n')
  }
  yield end
}
