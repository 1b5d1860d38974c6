import { randomInt } from 'node:crypto'

/** Adds 1 to 16 bytes, each of which says how many they are, as every plaintext between devices has them. */
export function pad(bytes: Uint8Array): Buffer {
  const length = randomInt(1, 17)
  return Buffer.concat([bytes, Buffer.alloc(length, length)])
}

/** Takes the padding off. Throws unless there is one, with the right bytes. */
export function unpad(padded: Uint8Array): Uint8Array {
  const length = padded.at(-1) ?? 0
  const padding = padded.subarray(padded.length - length)
  if (length < 1 || length > 16 || length > padded.length || padding.some((byte) => byte !== length))
    throw new Error('The plaintext of a message has no valid padding.')
  return padded.subarray(0, padded.length - length)
}
