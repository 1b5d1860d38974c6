import { createRequire } from 'node:module'

/** Reads a message of Protocol Buffers from its bytes. */
interface ReaderOfBytes {
  uint32(): number
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
 * Decodes a message as the library does, but not beyond so many tags, lengths and numbers: two bytes can stand for an object of some
 * hundred bytes. Throws `TooManyElements` then, and whatever the library throws for bytes that make no sense.
 */
export function decodeBounded<Message>(type: Decoder<Message>, bytes: Uint8Array, most: number): Message {
  return type.decode(new BoundedReader(bytes, most) as object as Uint8Array)
}
