import { createHash } from 'node:crypto'
import type { File } from '@grammyjs/types'
import { badRequest, notFound } from './refusal.ts'

export interface StoredFile {
  /** Inside the simulator. Each bot knows the file by an id of its own. */
  readonly key: string
  /** Of the path, such as `documents`. */
  readonly folder: string
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}

const largestDownload = 20 * 1024 * 1024
const pathLife = 3_600_000

/** Every file that was sent. */
export class Files {
  readonly #files = new Map<string, StoredFile>()
  readonly #paths = new Map<string, { readonly file: StoredFile; readonly until: number }>()

  store(folder: string, name: string, type: string, bytes: Buffer): StoredFile {
    const file = { key: `f${this.#files.size + 1}`, folder, name, type, bytes }
    this.#files.set(file.key, file)
    return file
  }

  /** The file that a bot knows by this id; ids of other bots are not valid. */
  find(bot: number, id: string): StoredFile | undefined {
    const prefix = `${bot}-`
    return id.startsWith(prefix) ? this.#files.get(id.slice(prefix.length)) : undefined
  }

  /** Answers getFile at this time: the path is valid for an hour. */
  locate(bot: number, id: string, now: number): File {
    const file = this.find(bot, id)
    if (!file) throw badRequest('invalid file_id')
    if (file.bytes.length > largestDownload) throw badRequest('file is too big')
    const extension = /\.\w{1,8}$/.exec(file.name)?.[0] ?? ''
    const path = `${file.folder}/file_${file.key.slice(1)}${extension}`
    this.#paths.set(`${bot} ${path}`, { file, until: now + pathLife })
    return { ...described(file), file_id: id, file_path: path }
  }

  read(bot: number, path: string, now: number): StoredFile {
    const found = this.#paths.get(`${bot} ${path}`)
    if (!found || found.until <= now) throw notFound()
    return found.file
  }
}

/** Returns the fields with which every message describes its file. */
export function described({ key, bytes }: StoredFile) {
  const unique = createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
  return { file_id: key, file_unique_id: unique, file_size: bytes.length }
}

/** A value as a bot sees it: file ids hold for this bot alone. */
export function seenBy<T>(bot: number, value: T): T {
  return JSON.parse(JSON.stringify(value), (name, inner) => (name === 'file_id' ? `${bot}-${inner}` : inner))
}
