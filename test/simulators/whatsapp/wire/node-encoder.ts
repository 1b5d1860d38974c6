import type { Node } from './node.ts'
import { deviceServers, nodeTag, packedDigits, packedHex, plainServers } from './node-tags.ts'
import { codeOf } from './tokens.ts'

/** Writes a node as the network does: abbreviated words, JIDs in parts, numbers and hexadecimal ids packed, everything else as it is. */
export function encodeBareNode(node: Node): Uint8Array {
  const parts: Uint8Array[] = []
  writeNode(node, parts)
  return Buffer.concat(parts)
}

function writeNode({ tag, attrs, content }: Node, parts: Uint8Array[]): void {
  if (tag === '') throw new Error('a node needs a tag')
  const attributes = Object.entries(attrs)
  parts.push(listStart(1 + 2 * attributes.length + (content === undefined ? 0 : 1)), string(tag))
  for (const [name, value] of attributes) parts.push(string(name), jid(value) ?? string(value))
  if (content === undefined) return
  if (content instanceof Uint8Array) {
    parts.push(bytesStart(content.length), content)
    return
  }
  parts.push(listStart(content.length))
  for (const child of content) writeNode(child, parts)
}

function listStart(size: number): Uint8Array {
  if (size < 256) return Buffer.from([nodeTag.list8, size])
  if (size < 65_536) return Buffer.from([nodeTag.list16, size >> 8, size])
  throw new Error(`a node can not hold ${size} things: 65535 at most`)
}

function bytesStart(length: number): Uint8Array {
  if (length < 256) return Buffer.from([nodeTag.bytes8, length])
  if (length < 1 << 20) return Buffer.from([nodeTag.bytes20, length >> 16, length >> 8, length])
  const start = Buffer.from([nodeTag.bytes32, 0, 0, 0, 0])
  start.writeUInt32BE(length, 1)
  return start
}

function string(value: string): Uint8Array {
  const code = codeOf(value)
  if (code) return Buffer.from(code)
  const short =
    packed(value, nodeTag.packedDigits, packedDigits) ?? packed(value, nodeTag.packedHex, packedHex)
  if (short) return short
  const bytes = Buffer.from(value)
  return Buffer.concat([bytesStart(bytes.length), bytes])
}

/** Most characters that are packed. */
const maxPacked = 127

/** Two characters in a byte, if all of them are in this alphabet; the highest bit of the length says that the last byte has only one. */
function packed(value: string, tag: number, alphabet: string): Uint8Array | undefined {
  const halves = [...value].map((character) => alphabet.indexOf(character))
  if (value === '' || value.length > maxPacked || halves.includes(-1)) return undefined
  const isOdd = halves.length % 2 === 1
  const whole = isOdd ? [...halves, 0xf] : halves
  const bytes = Array.from({ length: whole.length / 2 }, (_, at) => {
    const [first = 0, second = 0] = whole.slice(2 * at)
    return (first << 4) | second
  })
  return Buffer.from([tag, (isOdd ? 0x80 : 0) | bytes.length, ...bytes])
}

const shape = /^([^@:]*?)(?::([1-9]\d{0,2}))?@([a-z.]+)$/

/** The value in parts if it is a JID that can be written so. */
function jid(value: string): Uint8Array | undefined {
  // The servers that stand for themselves: as a JID without a user.
  if (value === 's.whatsapp.net' || value === 'g.us')
    return Buffer.concat([Buffer.from([nodeTag.jid, nodeTag.empty]), string(value)])
  const [, user = '', device, server = ''] = shape.exec(value) ?? []
  const code = deviceServers.get(server)
  if (user === '' || (code === undefined && !plainServers.has(server))) return undefined
  if (device === undefined) return Buffer.concat([Buffer.from([nodeTag.jid]), string(user), string(server)])
  if (code === undefined || Number(device) > 255) return undefined
  return Buffer.concat([Buffer.from([nodeTag.deviceJid, code, Number(device)]), string(user)])
}
