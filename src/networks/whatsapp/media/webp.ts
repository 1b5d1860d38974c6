/** Facts about a sticker that its first bytes say. */
export interface StickerFacts {
  readonly isAnimated: boolean
  /** In pixels; null if it is not said where it could be expected. */
  readonly width: number | null
  readonly height: number | null
}

/** Bytes of a WebP with all that is read here. */
const headBytes = 30

/**
 * Reads the head of a WebP as it passes by: a RIFF container whose first chunk says the size. Source: the WebP container
 * specification (developers.google.com/speed/webp/docs/riff_container), and RFC 6386, 9.1, for `VP8 `.
 */
export class StickerReader {
  #head = Buffer.alloc(0)

  take(bytes: Buffer): void {
    if (this.#head.length < headBytes)
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, headBytes - this.#head.length)])
  }

  facts(): StickerFacts {
    const head = this.#head
    const unknown = { isAnimated: false, width: null, height: null }
    if (head.length < headBytes) return unknown
    switch (head.toString('latin1', 12, 16)) {
      case 'VP8X': {
        const [width, height] = [head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1]
        return { isAnimated: (head.readUInt8(20) & 2) !== 0, width, height }
      }
      case 'VP8L': {
        const bits = head.readUInt32LE(21)
        return { isAnimated: false, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
      }
      case 'VP8 ':
        return {
          isAnimated: false,
          width: head.readUInt16LE(26) & 0x3fff,
          height: head.readUInt16LE(28) & 0x3fff,
        }
      default:
        return unknown
    }
  }
}
