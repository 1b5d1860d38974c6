import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'

/**
 * The parsed content of a small system file, read again after each change. It is read synchronously and not on the threads
 * for files, which other work may be keeping busy; so only its first `largest` bytes are read, up to the end of a line.
 */
export class WatchedFile<T> {
  readonly #path: string
  readonly #largest: number
  readonly #parse: (text: string) => T
  #version: string | undefined
  #value: T

  constructor(path: string, largest: number, parse: (text: string) => T) {
    this.#path = path
    this.#largest = largest
    this.#parse = parse
    this.#value = parse('')
  }

  /** The current content; that of an empty file if the file is missing or cannot be read. */
  get value(): T {
    const version = versionOf(this.#path)
    if (version !== this.#version) {
      this.#version = version
      this.#value = this.#parse(version === '' ? '' : beginningOf(this.#path, this.#largest))
    }
    return this.#value
  }
}

/** Differs when the file was written or replaced. Empty if there is none. */
function versionOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat?.isFile() ? `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : ''
}

function beginningOf(path: string, largest: number): string {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const size = fstatSync(file).size
    const bytes = Buffer.alloc(Math.min(size, largest))
    let length = 0
    for (let read = 1; read > 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, length)
    const text = bytes.toString('utf8', 0, length)
    return size > largest ? text.slice(0, text.lastIndexOf('\n') + 1) : text
  } catch {
    return ''
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
