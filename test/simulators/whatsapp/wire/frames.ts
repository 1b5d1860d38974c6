/** Of a frame, its length stands before it in three bytes, big-endian. */
export function frame(content: Uint8Array): Uint8Array {
  const { length } = content
  if (length > 0xff_ffff) throw new Error(`a frame can not hold ${length} bytes`)
  return Buffer.concat([Buffer.of(length >> 16, length >> 8, length), content])
}

/** First bytes of a client: the name of the protocol, its version, and the version of the dictionary. */
const beginning = Buffer.from('WA\x06\x03', 'latin1')

/** Before that, a client that was told where it belongs says so: this, the length in three bytes, and the information. */
const routing = Buffer.from('ED\x00\x01', 'latin1')
const longestRouting = 1024

type Part = 'beginning' | 'routing length' | 'routing' | 'frame length' | 'frame'

/** Puts the frames of one client together, which do not care where messages of the WebSocket begin and end. */
export class FrameReader {
  #part: Part = 'beginning'
  #wanted = Buffer.alloc(beginning.length)
  #filled = 0
  #routed = false
  #largest: number

  /** @param largest the most bytes that a frame may have for now */
  constructor(largest: number) {
    this.#largest = largest
  }

  /** The four bytes with which every client begins; the handshake is about them, too. */
  static readonly prologue: Uint8Array = beginning

  allow(largest: number): void {
    this.#largest = largest
  }

  /** Each frame that is whole by now. Throws when the client begins with something else, or a frame is too large. */
  *read(message: Uint8Array): Generator<Uint8Array> {
    let rest = message
    while (rest.length > 0) {
      const taken = rest.subarray(0, this.#wanted.length - this.#filled)
      this.#wanted.set(taken, this.#filled)
      this.#filled += taken.length
      rest = rest.subarray(taken.length)
      while (this.#filled === this.#wanted.length) {
        const whole = this.#step(this.#wanted)
        if (whole) yield whole
      }
    }
  }

  /** Takes the part that is whole, and sets out for the next one. A frame is returned. */
  #step(whole: Buffer): Uint8Array | undefined {
    switch (this.#part) {
      case 'beginning':
        this.#begin(whole)
        return undefined
      case 'routing length':
        this.#want('routing', checked(whole.readUIntBE(0, 3), longestRouting, 'routing information'))
        return undefined
      case 'routing':
        this.#want('beginning', beginning.length)
        return undefined
      case 'frame length':
        this.#want('frame', checked(whole.readUIntBE(0, 3), this.#largest, 'a frame'))
        return undefined
      case 'frame':
        this.#want('frame length', 3)
        return whole
    }
  }

  #begin(whole: Buffer): void {
    if (whole.equals(beginning)) {
      this.#want('frame length', 3)
      return
    }
    if (this.#routed || !whole.equals(routing))
      throw new Error(`broken beginning: ${whole.toString('hex')} is not what a client of this version says`)
    this.#routed = true
    this.#want('routing length', 3)
  }

  #want(part: Part, length: number): void {
    this.#part = part
    this.#wanted = Buffer.alloc(length)
    this.#filled = 0
  }
}

function checked(length: number, most: number, what: string): number {
  if (length > most) throw new Error(`broken frame: ${what} of ${length} bytes, where ${most} are allowed`)
  return length
}
