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
