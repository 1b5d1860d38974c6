const dash = '-'.charCodeAt(0)

/**
 * Counts the parts of a multipart body by their delimiters (RFC 2046, section 5.1.1), however the body is cut into pieces.
 * So a part that the parser cannot read, and skips in silence, is missed.
 */
export class PartCount {
  readonly #delimiter: Buffer
  /** As many bytes as can stand at the end of a piece and not tell what follows a delimiter. */
  readonly #seam: number
  /** The end of what came. The delimiter begins with a line break, which the first one of a body may leave out. */
  #last: Uint8Array = Buffer.from('\r\n')
  #isOver = false
  #parts = 0

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`)
    this.#seam = this.#delimiter.length + 1
  }

  get parts(): number {
    return this.#parts
  }

  /** The next piece of the body. Its memory may be used for something else afterwards. */
  take(piece: Buffer): void {
    const across = Buffer.concat([this.#last, piece.subarray(0, this.#seam)])
    this.#count(across)
    this.#count(piece)
    this.#last = Uint8Array.from((piece.length < this.#seam ? across : piece).subarray(-this.#seam))
  }

  /** Counts every delimiter whose next two bytes are there as well. Two dashes tell that it is the last. */
  #count(bytes: Buffer): void {
    const { length } = this.#delimiter
    let at = bytes.indexOf(this.#delimiter)
    while (!this.#isOver && at >= 0 && at + this.#seam < bytes.length) {
      if (bytes[at + length] === dash && bytes[at + length + 1] === dash) this.#isOver = true
      else this.#parts++
      at = bytes.indexOf(this.#delimiter, at + length)
    }
  }
}
