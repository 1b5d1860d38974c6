import type { IncomingMessage } from 'node:http'
import { GraphError, unknownObject } from '../graph-error.ts'
import { type Reply, readBody } from '../http.ts'
import type { MediaAnswer } from '../schemas/answer.ts'
import { faultsOfUploadFields } from '../schemas/request.ts'
import { type BusinessNumber, newGraphId, type StoredFile, type World } from '../world.ts'
import { bareType, checkUpload, largestUpload } from './media-rules.ts'
import { errorFor } from './messages.ts'

/** Milliseconds for which the URL of a file is valid. Source: Media, June 2026. */
const urlLife = 5 * 60_000

/** Files: uploads, and what people sent. */
export class Media {
  readonly #world: World
  readonly #base: () => string
  /** Files by the ends of their URLs. */
  readonly #urls = new Map<string, { readonly file: string; readonly expires_at: number }>()

  constructor(world: World, base: () => string) {
    this.#world = world
    this.#base = base
  }

  /** Takes an upload. Throws a GraphError. */
  async upload(number: BusinessNumber, request: IncomingMessage): Promise<{ readonly id: string }> {
    const form = await formOf(request)
    const { file, ...fields } = Object.fromEntries(form)
    const [fault] = faultsOfUploadFields(fields)
    if (fault) throw errorFor(fault)
    if (!(file instanceof File)) throw new GraphError(100, 'The parameter file is required.')
    const type = typeof fields.type === 'string' ? fields.type : file.type
    if (bareType(type) !== bareType(file.type))
      throw new GraphError(100, `The file says ${file.type}, and the field type says ${type}.`)
    checkUpload(type, file.size)
    const { id } = this.#world.keepFile(number.id, Buffer.from(await file.arrayBuffer()), type, 30)
    return { id }
  }

  /** Returns the URL of a file and its facts. Throws a GraphError. */
  describe(file: StoredFile, phoneNumberId: string | null): MediaAnswer {
    if (phoneNumberId !== null && phoneNumberId !== file.number) throw unknownObject(file.id)
    const { mime_type, sha256, bytes, id } = file
    const url = this.urlOf(file)
    return { messaging_product: 'whatsapp', url, mime_type, sha256, file_size: bytes.length, id }
  }

  /** A new URL of a file, which is valid for five minutes. */
  urlOf({ id }: StoredFile): string {
    const hash = newGraphId()
    const life = this.#world.fileFaults.next() ? 0 : urlLife
    this.#urls.set(hash, { file: id, expires_at: this.#world.now() + life })
    return `${this.#base()}/whatsapp_business/attachments/?mid=${id}&hash=${hash}`
  }

  /** The bytes behind a URL, for those who may see its number. */
  download(query: URLSearchParams, maySee: (number: string) => boolean): Reply {
    const url = this.#urls.get(query.get('hash') ?? '')
    const file = url && url.file === query.get('mid') ? this.#world.file(url.file) : undefined
    if (!url || !file || url.expires_at <= this.#world.now()) return plain(404, 'Not Found')
    if (!maySee(file.number)) return plain(401, 'Unauthorized')
    return { status: 200, type: file.mime_type, body: file.bytes }
  }
}

function plain(status: number, text: string): Reply {
  return { status, type: 'text/plain', body: Buffer.from(text) }
}

async function formOf(request: IncomingMessage): Promise<FormData> {
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) throw new GraphError(100, 'The parameter file is required.')
  const body = await readBody(request, largestUpload + 64 * 1024)
  try {
    return await new Response(body, { headers: { 'content-type': type } }).formData()
  } catch {
    throw new GraphError(100, 'The form could not be read.')
  }
}
