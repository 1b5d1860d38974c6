import { createRequire } from 'node:module'

/** Reads a message of Protocol Buffers from its bytes. */
export interface ReaderOfBytes {
  /** The place at which it reads, and the end of its bytes. */
  pos: number
  readonly len: number
  uint32(): number
  /** A number, or an object that says it in decimal. */
  uint64(): number | { toString(): string }
  bytes(): Uint8Array
  string(): string
  skipType(wireType: number): unknown
}

interface Runtime {
  readonly Reader: new (bytes: Uint8Array) => ReaderOfBytes
}

/** A type of message that the library decodes. */
interface Decoder<Message> {
  decode(bytes: Uint8Array): Message
}

/** The runtime of the library itself: its decoders accept a reader of that one only. */
const { Reader } = createRequire(import.meta.resolve('baileys'))('protobufjs/minimal.js') as Runtime

/** There are more elements in a message than may be. */
export class TooManyElements extends Error {
  override readonly name = 'TooManyElements'

  constructor() {
    super('the message has too many elements')
  }
}

/** Every element begins with a tag, which is read as an integer, as are lengths and most numbers. */
class BoundedReader extends Reader {
  #left: number

  constructor(bytes: Uint8Array, most: number) {
    super(bytes)
    this.#left = most
  }

  override uint32(): number {
    this.#left -= 1
    if (this.#left < 0) throw new TooManyElements()
    return super.uint32()
  }
}

/**
 * Decodes a message as the library does, but not beyond so many tags, lengths and numbers: two bytes can stand for an object
 * of some hundred bytes. Throws `TooManyElements` then, and the library's own errors for bytes that make no sense.
 */
export function decodeBounded<Message>(type: Decoder<Message>, bytes: Uint8Array, most: number): Message {
  return type.decode(new BoundedReader(bytes, most) as object as Uint8Array)
}

/**
 * Reads the fields of a message that are wanted, and skips the others as they are: each costs one tag and one length,
 * however much is in it. `read` takes the value of the field of this number, or returns false. Throws as `decodeBounded`
 * does.
 */
export function readFields(
  reader: ReaderOfBytes,
  length: number,
  read: (field: number, wireType: number) => boolean,
): void {
  const end = reader.pos + length
  if (end > reader.len) throw new RangeError('the message ends too early')
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (!read(tag >>> 3, tag & 7)) reader.skipType(tag & 7)
  }
  if (reader.pos !== end) throw new RangeError('a field ends after its message')
}

/** A reader that does not read beyond so many tags, lengths and numbers. */
export function boundedReader(bytes: Uint8Array, most: number): ReaderOfBytes {
  return new BoundedReader(bytes, most)
}
