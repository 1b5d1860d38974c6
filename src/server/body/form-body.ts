import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import type { TObject } from 'typebox'
import type { Draft, Upload } from '../../contract/handler.ts'
import { type InvalidValue, invalid, Problem } from '../../contract/problem.ts'
import { MediaTooLarge } from '../../media/draft.ts'
import type { Alarm, Alarms } from '../../runtime/timers/alarms.ts'
import { BodyFeed, type BodyParser } from './body-feed.ts'
import { isFit, parseJsonBody } from './json-body.ts'
import { PartCount } from './part-count.ts'

/** A multipart body that came in whole. */
export interface ReceivedForm {
  /** Without a prototype: names are the caller's. */
  readonly fields: Readonly<Record<string, string>>
  readonly upload: Upload | undefined
}

/** Receives the bytes of a file as they arrive. */
export interface FormIntake {
  /** Keeps the bytes for as long as the request lasts; rejects, and keeps nothing, when they are more than `limit`. */
  receive(bytes: AsyncIterable<Uint8Array>, limit: number): Promise<Draft>
  /** Returns the bytes that a file may have, according to the fields that came before it. */
  limitOf(fields: Readonly<Record<string, string>>): number
  /** For the caller who sends too slowly. */
  readonly alarms: Pick<Alarms, 'in'>
}

/** The slowest pace that is allowed, in bytes within milliseconds. A slower caller would hold a connection for little. */
const slowest = { bytes: 80 * 1024, within: 10_000 }

/** More characters than any field of an operation takes. */
const longestField = 24_000

/** More than any operation takes: a name, a text as long as metadata may be, a handful of fields; in bytes, of UTF-8. */
const limits = {
  fieldSize: 4 * longestField,
  fields: 20,
  parts: 21,
  headerPairs: 20,
  headerSize: 8 * 1024,
}

/**
 * Reads a multipart body (RFC 7578): fields and one file, in any order. The file goes to the intake while it comes, no
 * faster than it is taken there. Rejects with the problem of the body, or with the error of the intake. Then it leaves
 * nothing behind, and the rest of the request is read and discarded.
 */
export async function receiveForm(request: IncomingMessage, intake: FormIntake): Promise<ReceivedForm> {
  const form = new Form(request, intake)
  try {
    return await form.read()
  } catch (error) {
    await form.discard()
    throw error
  }
}

class Form {
  readonly #request: IncomingMessage
  readonly #intake: FormIntake
  readonly #fields: Record<string, string> = Object.create(null)
  readonly #faults: InvalidValue[] = []
  readonly #broken = Promise.withResolvers<never>()
  #file: Promise<Upload> | undefined
  #bytes: Readable | undefined
  /** Parts that could be read: fields and files, good or bad. */
  #read = 0
  #pace: Alarm | undefined

  constructor(request: IncomingMessage, intake: FormIntake) {
    this.#request = request
    this.#intake = intake
    this.#broken.promise.catch(() => {})
  }

  async read(): Promise<ReceivedForm> {
    const boundary = boundaryOf(this.#request)
    const parser = parserOf(boundary)
    const count = new PartCount(boundary)
    const feed = new BodyFeed(this.#request, counted(parser, count), lengthOf(this.#request))
    const finished = new Promise<void>((resolve) => parser.once('finish', resolve))
    parser.on('error', () => this.#break(malformed('The multipart body is incomplete or malformed.')))
    parser.on('field', (name, value, _nameCut, isCut) =>
      this.#take(name, (known) => this.#takeField(known, value, isCut)),
    )
    parser.on('file', (name, bytes, filename, _encoding, mimeType) => {
      // The parser also emits an early end as an error of the file, even if it has no reader left.
      bytes.on('error', () => {})
      this.#take(name, (known) => this.#takeFile(known, feed, bytes, { filename, mimeType }))
    })
    for (const limit of ['partsLimit', 'fieldsLimit'] as const)
      parser.on(limit, () =>
        this.#break(malformed(`The body may have at most ${limits.fields} fields and one file.`)),
      )
    const gone = () => {
      if (!this.#request.complete) this.#break(malformed('The body ended early.'))
    }
    this.#request.once('close', gone).once('error', gone)
    this.#watch()
    try {
      await Promise.race([finished, this.#broken.promise])
      const upload = await Promise.race([this.#file, this.#broken.promise])
      // Only here: after a fault, a part may still be on its way to the disk.
      feed.free()
      // The parser passes in silence over parts that it can make no sense of.
      if (count.parts !== this.#read) throw nameless()
      if (this.#faults.length > 0) throw invalid(...this.#faults)
      const limit = this.#intake.limitOf(this.#fields)
      if (upload && upload.file.size > limit) throw new MediaTooLarge(limit)
      return { fields: this.#fields, upload }
    } finally {
      this.#pace?.cancel()
      this.#request.off('close', gone).off('error', gone)
      feed.stop()
    }
  }

  async discard(): Promise<void> {
    this.#bytes?.destroy()
    const upload = await this.#file?.catch(() => undefined)
    await upload?.file.discard()
  }

  /** Looks again and again whether enough has come since the last time. */
  #watch(): void {
    const { socket } = this.#request
    const before = socket.bytesRead
    this.#pace = this.#intake.alarms.in(slowest.within, () => {
      if (socket.bytesRead - before >= slowest.bytes || this.#request.complete) this.#watch()
      else
        this.#break(
          new Problem('request_timeout', { detail: 'The body arrived more slowly than 8 KB per second.' }),
        )
    })
  }

  #break(error: unknown): void {
    this.#broken.reject(error)
    // The intake would wait for ever for the rest of a file that does not come.
    this.#bytes?.destroy(error as Error)
  }

  /** The parser also emits parts without a name, contrary to its types. */
  #take(name: string | undefined, take: (name: string) => void): void {
    this.#read++
    if (name === undefined) this.#break(nameless())
    else take(name)
  }

  #takeField(name: string, value: string, isCut: boolean): void {
    const pointer = pointerTo(name)
    if (isCut || value.length > longestField)
      this.#faults.push({
        pointer,
        code: 'too_long',
        detail: 'The value of the field is too long.',
      })
    else if (name in this.#fields)
      this.#faults.push({ pointer, code: 'duplicate', detail: 'The field appears twice.' })
    else if (!isFit(value) || value.includes('\ufffd'))
      this.#faults.push({
        pointer,
        code: 'text_not_representable',
        detail: 'The text is not valid UTF-8, or contains U+0000.',
      })
    else this.#fields[name] = value
  }

  #takeFile(
    name: string,
    feed: BodyFeed,
    bytes: Readable,
    { filename, mimeType }: Omit<Upload, 'file'>,
  ): void {
    const fault = this.#file
      ? { pointer: '/file', code: 'duplicate', detail: 'The body may contain only one file.' }
      : {
          pointer: pointerTo(name),
          code: 'unknown_field',
          detail: 'The part that contains the file must be named `file`.',
        }
    if (this.#file || name !== 'file') {
      this.#faults.push(fault)
      bytes.resume()
      return
    }
    this.#bytes = bytes
    this.#file = this.#intake
      .receive(feed.lend(bytes), this.#intake.limitOf(this.#fields))
      .then((file) => ({ filename, mimeType, file }))
    this.#file.catch((error) => this.#break(error))
  }
}

/** A boundary as RFC 2046 (section 5.1.1) allows it: 1 to 70 characters of these, the last one no space. */
const boundaryForm = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/

/** The announced length of a body in bytes, if the request says. */
function lengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

function boundaryOf({ headers }: IncomingMessage): string {
  const named = [...(headers['content-type'] ?? '').matchAll(/;\s*boundary=(?:"([^"]*)"|([^\s;]*))/gi)]
  const [boundary = ''] = named.map(([, quoted, bare]) => quoted ?? bare)
  if (named.length !== 1 || !boundaryForm.test(boundary))
    throw malformed('The content type must name one boundary, of 1 to 70 characters.')
  return boundary
}

function parserOf(boundary: string): BusboyInstance {
  return new Busboy({
    // The parser sees only what was checked of the content type.
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    limits,
    // The content of the part for the file is the file, even if it has no filename.
    // Clients that send a JSON field with its own type turn it into a blob, and blobs come with a filename.
    isPartAFile: (name, type, filename) =>
      name === 'file' ||
      (type !== 'application/json' && (filename !== undefined || type === 'application/octet-stream')),
  })
}

/** The parser, with every part counted that it is given. */
function counted(parser: BusboyInstance, count: PartCount): BodyParser {
  return {
    write(bytes, done) {
      count.take(bytes)
      parser.write(bytes, done)
    },
    end(bytes) {
      if (bytes) count.take(bytes)
      parser.end(bytes)
    },
  }
}

function nameless(): Problem {
  return malformed('Every part of the body needs a header `Content-Disposition: form-data` with a name.')
}

function malformed(detail: string): Problem {
  return new Problem('malformed_body', { detail })
}

function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`.slice(0, 200).toWellFormed()
}

/** The values that the fields of a form represent: in the form, all are texts. A text that represents no other value stays a text. */
export function formValues(
  fields: Readonly<Record<string, string>>,
  schema: TObject,
): Record<string, unknown> {
  const properties = schema.properties as Readonly<Record<string, { readonly type?: string }>>
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, text] of Object.entries(fields)) {
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
    if (type === 'boolean' && /^(true|false)$/.test(text)) values[name] = text === 'true'
    else if (type === 'object' || type === 'array') values[name] = jsonOf(name, text, type)
    else values[name] = text
  }
  return values
}

function jsonOf(name: string, text: string, type: 'object' | 'array'): unknown {
  const value = parsed(text)
  if (value !== undefined) return value
  throw invalid({
    pointer: pointerTo(name),
    code: 'wrong_form',
    detail: `The field must be a JSON ${type}.`,
  })
}

function parsed(text: string): unknown {
  try {
    return parseJsonBody(Buffer.from(text))
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
