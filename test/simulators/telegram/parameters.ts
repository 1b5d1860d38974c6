import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { badRequest, Refusal } from './refusal.ts'

export interface Upload {
  readonly filename: string
  readonly type: string
  readonly bytes: Buffer
  readonly sha256: string
}

const largestFile = 50 * 1024 * 1024
const largestBody = 4 * 1024 * 1024

const tooLarge = () => new Refusal(413, 'Request Entity Too Large')

/**
 * The parameters of a call. It is stricter than Telegram, which makes a text of any JSON value: a parameter of another type
 * is refused.
 */
export class CallParameters {
  readonly #values: ReadonlyMap<string, unknown>
  readonly #uploads: ReadonlyMap<string, Upload>

  constructor(values: ReadonlyMap<string, unknown>, uploads: ReadonlyMap<string, Upload>) {
    this.#values = values
    this.#uploads = uploads
  }

  raw(name: string): unknown {
    return this.#values.get(name)
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name)
    if (value === undefined || typeof value === 'string') return value
    throw wrongType(name)
  }

  /** An integer, brought into the range. */
  integer(name: string, fallback: number, [least, most]: readonly [number, number]): number {
    const value = this.#values.get(name) ?? fallback
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw wrongType(name)
    return Math.min(most, Math.max(least, number))
  }

  flag(name: string): boolean {
    const value = this.#values.get(name) ?? false
    if (typeof value === 'boolean') return value
    if (typeof value !== 'string') throw wrongType(name)
    return ['true', 'yes', '1'].includes(value.toLowerCase())
  }

  /** An object or a list, also if it comes as text. */
  json(name: string): object | undefined {
    const value = this.#values.get(name)
    const read = typeof value === 'string' ? parsed(value) : value
    if (read === undefined) return undefined
    if (typeof read !== 'object' || read === null) throw wrongType(name)
    return read
  }

  /** A list of texts. */
  texts(name: string): readonly string[] | undefined {
    const value = this.json(name)
    if (value === undefined) return undefined
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) throw wrongType(name)
    return value
  }

  /** A file, under its own name or under the one that `attach://` names. */
  upload(name: string): Upload | undefined {
    const value = this.#values.get(name)
    const attached = typeof value === 'string' ? /^attach:\/\/(.+)$/.exec(value)?.[1] : undefined
    return this.#uploads.get(attached ?? name)
  }
}

function wrongType(name: string): Refusal {
  return badRequest(`parameter "${name}" has a wrong type`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest("can't parse JSON object")
  }
}

/** Reads a request to its end: the query, and a body as JSON, urlencoded or multipart. */
export async function readParameters(request: IncomingMessage, query: URLSearchParams) {
  const values = new Map<string, unknown>(query)
  const uploads = new Map<string, Upload>()
  const type = request.headers['content-type'] ?? ''
  if (/^multipart\/form-data\b/i.test(type)) await readForm(request, values, uploads)
  else {
    const body = await bodyOf(request)
    if (/^application\/x-www-form-urlencoded\b/i.test(type))
      for (const [name, value] of new URLSearchParams(utf8(body))) values.set(name, value)
    if (/^application\/json\b/i.test(type) && body.length > 0) {
      const object = parsed(utf8(body))
      if (typeof object !== 'object' || object === null || Array.isArray(object))
        throw badRequest("can't parse JSON object")
      for (const [name, value] of Object.entries(object)) if (value !== null) values.set(name, value)
    }
  }
  return new CallParameters(values, uploads)
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badRequest('strings must be encoded in UTF-8')
  }
}

/** The whole body, of which no more than `largest` bytes are kept. */
export async function bodyOf(request: IncomingMessage, largest = largestBody): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size <= largest) pieces.push(piece)
  }
  if (size > largest) throw tooLarge()
  return Buffer.concat(pieces)
}

/** A form has to end with its last boundary, and names nothing twice. */
async function readForm(
  request: IncomingMessage,
  values: Map<string, unknown>,
  uploads: Map<string, Upload>,
): Promise<void> {
  let refusal: Refusal | undefined
  const once = (name: string) => {
    if (values.has(name) || uploads.has(name)) refusal ??= badRequest(`the parameter "${name}" comes twice`)
  }
  await new Promise<void>((resolve, reject) => {
    const unreadable = () => reject(badRequest('unexpected end of multipart body'))
    const form = new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: { fileSize: largestFile + 1, files: 10, fields: 100, fieldSize: largestBody },
      isPartAFile: (_name, _type, filename) => filename !== undefined,
    })
    form.on('field', (name, value) => {
      once(name)
      values.set(name, value)
    })
    form.on('file', (name, stream, filename, _encoding, type) => {
      once(name)
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('error', unreadable)
      stream.on('end', () => {
        const bytes = Buffer.concat(pieces)
        if (bytes.length > largestFile) refusal ??= tooLarge()
        uploads.set(name, { filename, type, bytes, sha256: createHash('sha256').update(bytes).digest('hex') })
      })
    })
    form.on('error', unreadable)
    form.on('finish', resolve)
    request.on('error', unreadable).on('aborted', unreadable)
    request.pipe(form)
  }).catch((error) => {
    request.resume()
    throw error
  })
  if (refusal) throw refusal
}
