/** Reads numbers and bytes off a buffer, and never beyond its end. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** The next bytes, as a view. Throws if there are fewer. */
  take(length: number): Uint8Array {
    if (length > this.left) throw new Error(`broken node: ${length} bytes are due and ${this.left} are left`)
    const taken = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return taken
  }

  /** The next number, big-endian, of this many bytes. */
  number(length: 1 | 2 | 3 | 4): number {
    return this.take(length).reduce((number, byte) => number * 256 + byte, 0)
  }
}
