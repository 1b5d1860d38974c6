/** Smaller buffers are not worth it, and may be constants of their owner. */
const smallest = 128

/**
 * Frees the memory of bytes that nobody needs any more, at once; the bytes are gone then. It is outside V8's heap,
 * where V8 collects garbage only after tens of megabytes have piled up, and then scans the whole heap for it.
 * Bytes that do not fill their buffer are left alone, because something else may use the rest of it.
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
