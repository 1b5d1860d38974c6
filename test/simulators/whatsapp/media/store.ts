import { createHash, randomBytes } from 'node:crypto'
import { BoundedMap } from '../bounded-map.ts'

const maxFiles = 20_000
const maxTokens = 10_000

/** The encrypted files on the media host, by the path at which they are. */
export class MediaStore {
  /** Host and port, as clients are told. */
  host = ''
  readonly #files = new BoundedMap<string, Uint8Array>(maxFiles)
  readonly #tokens = new BoundedMap<string, true>(maxTokens)
  readonly #gone = new Map<string, number>()

  /** A new token for uploads. */
  authorize(): string {
    const token = randomBytes(24).toString('base64url')
    this.#tokens.set(token, true)
    return token
  }

  isAuthorized(token: string): boolean {
    return this.#tokens.has(token)
  }

  /** No token that was given out is valid any longer. */
  revokeTokens(): void {
    this.#tokens.clear()
  }

  /** Keeps a file, and returns its path. */
  put(encrypted: Uint8Array): string {
    const digest = createHash('sha256').update(encrypted).digest('base64url')
    const path = `/v/t62.7118-24/${digest}.enc`
    this.#files.set(path, encrypted)
    return `${path}?ccb=11-4&oh=01_simulated&oe=7FFFFFFF&_nc_sid=5e03e0`
  }

  /** The file at a direct path, whose query does not matter. */
  get(directPath: string): Uint8Array | undefined {
    const path = pathOf(directPath)
    return this.#gone.has(path) ? undefined : this.#files.get(path)
  }

  /** Returns the status with which an expired file is refused; undefined if it has not expired. */
  goneWith(directPath: string): number | undefined {
    return this.#gone.get(pathOf(directPath))
  }

  /** Has a file, or every one there is, expire with this status. */
  expire(status: number, directPath?: string): void {
    const paths = directPath === undefined ? this.#files.keys() : [pathOf(directPath)]
    for (const path of paths) this.#gone.set(path, status)
  }

  /** Brings back the files that have expired. */
  restore(): void {
    this.#gone.clear()
  }
}

const pathOf = (directPath: string): string => directPath.split('?', 1)[0] ?? ''
