/** Memory smaller than this is not worth it, and may be a constant of whoever gave it. */
const smallest = 128

/**
 * Gives the memory of bytes that nobody needs any more back at once; the bytes are gone then. It lies outside of V8's heap,
 * where V8 looks for what is unused only when tens of megabytes have gathered, and then goes through the whole heap for it.
 * Bytes that do not fill their memory are left alone, because somebody else may have the rest of it.
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (byteLength === buffer.byteLength && byteLength >= smallest && buffer instanceof ArrayBuffer)
    buffer.transfer(0)
}

/** Node reads from a connection into memory of so many bytes, anew for each reading. */
const readingBytes = 64 * 1024

/**
 * The same for what was read from a connection as it is, by nobody's parser: where it fills most of the memory that Node made
 * for it, though not all, the rest is nobody's.
 */
export function giveBackReading(chunk: Uint8Array): void {
  const { buffer, byteOffset, byteLength } = chunk
  const isReading = byteOffset === 0 && buffer.byteLength === readingBytes && byteLength > readingBytes / 2
  if (isReading && buffer instanceof ArrayBuffer) buffer.transfer(0)
  else giveBack(chunk)
}
