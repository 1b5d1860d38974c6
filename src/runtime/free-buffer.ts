/** Smaller buffers are not worth it, and may be constants of their owner. */
const minBytes = 128

/**
 * Frees the memory of bytes that are no longer needed, at once; the bytes are gone then. It is outside V8's heap,
 * where V8 collects garbage only after tens of megabytes have piled up, and then scans the whole heap for it.
 * Bytes that do not fill their buffer are left alone, because something else may use the rest of it.
 */
export function freeBuffer({ buffer, byteLength }: Uint8Array): void {
  if (byteLength === buffer.byteLength && byteLength >= minBytes && buffer instanceof ArrayBuffer)
    buffer.transfer(0)
}
