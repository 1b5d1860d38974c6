/** The bytes that say what follows in an encoded node. Those from 1 to 235 are words of a dictionary, as are the four from 236 on with another byte. */
const tag = {
  empty: 0,
  firstDictionary: 236,
  lastDictionary: 239,
  interopJid: 245,
  facebookJid: 246,
  deviceJid: 247,
  list8: 248,
  list16: 249,
  jid: 250,
  packedHex: 251,
  bytes8: 252,
  bytes20: 253,
  bytes32: 254,
  packedDigits: 255,
} as const

/** Cost of an empty node beside the things in it. */
const nodeWeight = 3

/** There are more nodes than may be, or one stands where it was before. */
class TooManyNodes extends Error {}

/**
 * True if the bytes of a stanza hold more than may be: nodes, their attributes and contents together. A node of two bytes
 * takes more than a hundred in memory. Bytes that make no sense hold as much as stands before them.
 */
export function holdsMore(bytes: Uint8Array, most: number): boolean {
  try {
    new Walk(bytes, most).node()
    return false
  } catch (error) {
    // A stack that ends here would end there, too.
    return error instanceof TooManyNodes || (error instanceof RangeError && /call stack/.test(error.message))
  }
}

class Walk {
  readonly #bytes: Uint8Array
  #left: number
  #at = 0

  constructor(bytes: Uint8Array, most: number) {
    this.#bytes = bytes
    this.#left = most
  }

  node(): void {
    const size = this.#listSize(this.#byte())
    this.#left -= size + nodeWeight
    if (this.#left < 0) throw new TooManyNodes()
    this.#string(this.#byte())
    for (let index = 1; index < size - 1; index += 2) {
      this.#string(this.#byte())
      this.#string(this.#byte())
    }
    if (size % 2 === 0) this.#content(this.#byte())
  }

  #content(kind: number): void {
    const isList = kind === tag.empty || kind === tag.list8 || kind === tag.list16
    if (!isList) {
      this.#string(kind)
      return
    }
    const size = this.#listSize(kind)
    for (let index = 0; index < size; index++) this.node()
  }

  #string(kind: number): void {
    if (kind < tag.firstDictionary) return
    if (kind <= tag.lastDictionary) {
      this.#skip(1)
      return
    }
    switch (kind) {
      case tag.bytes8:
        this.#skip(this.#number(1))
        break
      case tag.bytes20:
        this.#skip(this.#number(3) & 0xf_ffff)
        break
      case tag.bytes32:
        this.#skip(this.#number(4))
        break
      case tag.packedHex:
      case tag.packedDigits:
        this.#skip(this.#byte() & 0x7f)
        break
      default:
        this.#jid(kind)
        break
    }
  }

  #jid(kind: number): void {
    switch (kind) {
      case tag.jid:
        this.#string(this.#byte())
        this.#string(this.#byte())
        break
      case tag.deviceJid:
        this.#skip(2)
        this.#string(this.#byte())
        break
      case tag.facebookJid:
        this.#string(this.#byte())
        this.#skip(2)
        this.#string(this.#byte())
        break
      case tag.interopJid:
        this.#string(this.#byte())
        this.#skip(4)
        break
      default:
        throw new Error('no string begins like this')
    }
  }

  #listSize(kind: number): number {
    if (kind === tag.empty) return 0
    if (kind === tag.list8) return this.#byte()
    if (kind === tag.list16) return this.#number(2)
    throw new Error('no list begins like this')
  }

  #byte(): number {
    return this.#number(1)
  }

  #number(length: number): number {
    let value = 0
    for (let index = 0; index < length; index++) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined) throw new Error('it ends too early')
      this.#at += 1
      value = (value << 8) | byte
    }
    return value
  }

  #skip(length: number): void {
    // The library reads a length of two gigabytes as a step back, and would go on for ever.
    if (length < 0) throw new TooManyNodes()
    this.#at += length
    if (this.#at > this.#bytes.length) throw new Error('it ends too early')
  }
}
