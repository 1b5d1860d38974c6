import { inflateSync } from 'node:zlib'
import type { Node } from './node.ts'
import { decodeBareNode } from './node-decoder.ts'
import { encodeBareNode } from './node-encoder.ts'

/** The bit of the first byte that says that zlib compressed the rest. */
const compressed = 2

/** The most bytes of a node, compressed or not. The largest that clients send, with 812 pre-keys, has some 40 kB. */
export const largestNode = 4 * 1024 * 1024

/** The bytes of a node, as they stand in a frame. */
export function encodeNode(node: Node): Uint8Array {
  return Buffer.concat([Buffer.of(0), encodeBareNode(node)])
}

/**
 * The node in a frame. JIDs are strings: `4915…@s.whatsapp.net`, with a device `4915…:2@s.whatsapp.net`, without a user
 * the server alone. Throws if the frame is broken, or is larger than any client's.
 */
export function decodeNode(frame: Uint8Array): Node {
  const [flags] = frame
  if (flags === undefined) throw new Error('broken node: its frame is empty')
  if (frame.length > largestNode) throw new Error(`broken node: it is larger than ${largestNode} bytes`)
  const rest = frame.subarray(1)
  return decodeBareNode(flags & compressed ? inflateSync(rest, { maxOutputLength: largestNode }) : rest)
}
