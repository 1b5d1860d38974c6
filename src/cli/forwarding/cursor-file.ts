import { readSecretFile, writeSecretFile } from '../../runtime/config/secret-file.ts'
import { Refusal } from '../command.ts'

/** The place in the feed up to which a broker has confirmed everything, kept in a file. */
export class CursorFile {
  readonly #path: string
  /** The target, without secrets: a cursor of one must not be used for another, which would miss what the first one has. */
  readonly #to: string
  #saved: string | undefined

  constructor(path: string, to: string) {
    this.#path = path
    this.#to = to
  }

  /** The cursor, or undefined if there is no file yet. */
  read(): string | undefined {
    const text = readSecretFile(this.#path)
    if (!text) return undefined
    const { to, cursor } = this.#parsed(text)
    if (to !== this.#to)
      throw new Refusal(
        `${this.#path} is the cursor of ${to}; give each target a file of its own with --cursor, or remove the file to begin again`,
      )
    this.#saved = cursor
    return cursor
  }

  /** Saves it so that a crash leaves the old cursor or the new one. */
  save(cursor: string): void {
    if (cursor === this.#saved) return
    writeSecretFile(this.#path, `${JSON.stringify({ to: this.#to, cursor })}\n`)
    this.#saved = cursor
  }

  #parsed(text: string): { readonly to: string; readonly cursor: string } {
    try {
      const { to, cursor } = JSON.parse(text)
      if (typeof to === 'string' && typeof cursor === 'string') return { to, cursor }
    } catch {
      // Told below.
    }
    throw new Refusal(
      `${this.#path} is not a cursor of \`posthorn events forward\`; name another file with --cursor`,
    )
  }
}
