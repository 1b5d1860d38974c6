/** Facts that WhatsApp shows of a voice note before it is played. */
export interface VoiceFacts {
  /** Its duration, at least one. */
  readonly seconds: number
  /** Its loudness in 64 steps, each of 0 to 100; null if it is unknown. */
  readonly waveform: Uint8Array | null
}

/** In how many steps the loudness is shown. */
const steps = 64
const loudest = 100

/** Opus counts in these, with any rate of the recording (RFC 7845, 4). */
const samplesASecond = 48_000

const headerBytes = 27
/** The largest page (RFC 3533, 6). */
const longestPage = headerBytes + 255 + 255 * 255

/** The longest that is believed, in seconds: what is declared beyond that is a lie. */
const longest = 24 * 3600

/** Returns the bytes of the page that begins here; null if it is not there as a whole, or no page. */
function pageLength(bytes: Buffer): number | null {
  if (bytes.length < headerBytes || !isPage(bytes)) return null
  const segments = bytes[26] ?? 0
  if (bytes.length < headerBytes + segments) return null
  let length = headerBytes + segments
  for (const size of bytes.subarray(headerBytes, length)) length += size
  return bytes.length < length ? null : length
}

function isPage(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'OggS' && bytes[4] === 0
}

/**
 * Reads of a voice note (OGG with Opus) how long it is, and how loud when. The loudness is estimated: Opus spends more bytes on a
 * moment in which more is heard.
 */
export class VoiceNoteReader {
  /** Bytes of a page that has not come as a whole. */
  #rest: Buffer = Buffer.alloc(0)
  #isReadable = true
  #serial: number | null = null
  #skipped = 0
  #end = 0
  #packets = 0
  /** The size of the packet that goes on in the next page. */
  #open = 0
  readonly #sizes = new Sizes()

  /** Takes the next bytes, and keeps none of their memory. */
  take(chunk: Buffer): void {
    if (!this.#isReadable) return
    let bytes = Buffer.concat([this.#rest, chunk])
    for (let length = pageLength(bytes); length !== null; length = pageLength(bytes)) {
      this.#isReadable &&= this.#takePage(bytes.subarray(0, length))
      bytes = bytes.subarray(length)
    }
    this.#isReadable &&= bytes.length <= longestPage
    this.#rest = Buffer.from(bytes)
  }

  /** False if this is no page of a voice note. */
  #takePage(page: Buffer): boolean {
    const serial = page.readUInt32LE(14)
    this.#serial ??= serial
    // Another stream is none of ours.
    if (serial !== this.#serial) return true
    const segments = page.subarray(headerBytes, headerBytes + (page[26] ?? 0))
    if (this.#packets === 0 && !this.#begin(page.subarray(headerBytes + segments.length))) return false
    for (const size of segments) {
      this.#open += size
      if (size === 255) continue
      // The first two packets say what follows.
      if (this.#packets >= 2) this.#sizes.add(this.#open)
      this.#packets += 1
      this.#open = 0
    }
    // No packet ends on a page without a position.
    const position = page.readBigInt64LE(6)
    if (position >= 0n && position <= BigInt(longest * samplesASecond)) this.#end = Number(position)
    return true
  }

  #begin(body: Buffer): boolean {
    if (body.length < 19 || body.toString('latin1', 0, 8) !== 'OpusHead') return false
    this.#skipped = body.readUInt16LE(10)
    return true
  }

  /** Null if it could not be read. */
  facts(): VoiceFacts | null {
    if (!this.#isReadable) return null
    const samples = this.#end - this.#skipped
    if (samples <= 0) return null
    return { seconds: Math.max(1, Math.round(samples / samplesASecond)), waveform: this.#sizes.waveform() }
  }
}

/**
 * Sums that are kept: of each packet first, then of two, four and so on, so that they take no more room in a longer note.
 */
const maxSums = 8192

/** The sizes of the packets of a note, which all last equally long. */
class Sizes {
  #sums: number[] = []
  #perSum = 1
  #inLast = 0

  add(size: number): void {
    if (this.#inLast === 0) this.#sums.push(0)
    this.#sums[this.#sums.length - 1] = (this.#sums.at(-1) ?? 0) + size
    this.#inLast = (this.#inLast + 1) % this.#perSum
    if (this.#sums.length < maxSums || this.#inLast !== 0) return
    this.#sums = Array.from({ length: maxSums / 2 }, (_, at) => this.#at(2 * at) + this.#at(2 * at + 1))
    this.#perSum *= 2
  }

  /** Null if all moments are alike: then nothing was spent on what is heard. */
  waveform(): Uint8Array | null {
    // The last sum may be of fewer packets.
    const count = this.#inLast === 0 ? this.#sums.length : this.#sums.length - 1
    if (count < 2) return null
    const means = Array.from({ length: steps }, (_, step) => {
      const from = Math.floor((step * count) / steps)
      const to = Math.max(from + 1, Math.floor(((step + 1) * count) / steps))
      let sum = 0
      for (let at = from; at < to; at++) sum += this.#at(at)
      return sum / (to - from)
    })
    const [least, most] = [Math.min(...means), Math.max(...means)]
    if (most === least) return null
    return Uint8Array.from(means, (mean) => Math.round((loudest * (mean - least)) / (most - least)))
  }

  #at(place: number): number {
    return this.#sums[place] ?? 0
  }
}
