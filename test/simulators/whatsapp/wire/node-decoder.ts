import { ByteReader } from './byte-reader.ts'
import type { Node } from './node.ts'
import { deviceServers, nodeTag, packedDigits, packedHex } from './node-tags.ts'
import { shortWord, wordList } from './tokens.ts'

/** No client comes near these; they keep what one frame can cost small. */
const deepest = 32
const maxNodes = 65_536
const maxStrings = 262_144

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const servers = new Map([...deviceServers].map(([server, code]) => [code, server]))

/** Reads one node that fills these bytes. Throws if they are broken, or hold more than any client has to say. */
export function decodeBareNode(bytes: Uint8Array): Node {
  const decoder = new NodeDecoder(bytes)
  const node = decoder.node(1)
  decoder.end()
  return node
}

class NodeDecoder {
  readonly #reader: ByteReader
  #nodes = 0
  #strings = 0

  constructor(bytes: Uint8Array) {
    this.#reader = new ByteReader(bytes)
  }

  end(): void {
    if (this.#reader.left > 0) throw new Error(`broken node: ${this.#reader.left} bytes are left over`)
  }

  node(depth: number): Node {
    if (depth > deepest) throw new Error(`broken node: more than ${deepest} nodes stand in each other`)
    this.#nodes += 1
    if (this.#nodes > maxNodes) throw new Error(`broken node: it has more than ${maxNodes} nodes`)
    const size = this.#listSize(this.#reader.number(1))
    if (size === undefined || size === 0) throw new Error('broken node: a node is a list with a tag')
    const tag = this.#string(this.#reader.number(1))
    if (tag === '') throw new Error('broken node: its tag is empty')
    const attrs = this.#attributes((size - 1) >> 1)
    if (size % 2 === 1) return { tag, attrs }
    const content = this.#content(depth)
    return content === undefined ? { tag, attrs } : { tag, attrs, content }
  }

  #attributes(count: number): Record<string, string> {
    const attributes = new Map<string, string>()
    for (let index = 0; index < count; index += 1) {
      const name = this.#string(this.#reader.number(1))
      if (attributes.has(name)) throw new Error(`broken node: the attribute ${name} is there twice`)
      attributes.set(name, this.#string(this.#reader.number(1)))
    }
    // Not by assignment, to which the name `__proto__` would be special.
    return Object.fromEntries(attributes)
  }

  /** The children or the bytes; nothing if the place for them is empty. Text that was abbreviated becomes its bytes. */
  #content(depth: number): Node[] | Uint8Array | undefined {
    const tag = this.#reader.number(1)
    if (tag === nodeTag.empty) return undefined
    const count = this.#listSize(tag)
    if (count === undefined) return this.#bytes(tag) ?? Buffer.from(this.#string(tag))
    const children: Node[] = []
    for (let index = 0; index < count; index += 1) children.push(this.node(depth + 1))
    return children
  }

  /** Returns the number of members of the list that this byte begins; nothing if it begins none. */
  #listSize(tag: number): number | undefined {
    if (tag === nodeTag.empty) return 0
    if (tag === nodeTag.list8) return this.#reader.number(1)
    if (tag === nodeTag.list16) return this.#reader.number(2)
    return undefined
  }

  /** The bytes that this byte begins; nothing if it begins something else. */
  #bytes(tag: number): Uint8Array | undefined {
    if (tag === nodeTag.bytes8) return this.#reader.take(this.#reader.number(1))
    // Of the first byte of three, only the lower half counts.
    if (tag === nodeTag.bytes20) return this.#reader.take(this.#reader.number(3) & 0xfffff)
    if (tag === nodeTag.bytes32) return this.#reader.take(this.#reader.number(4))
    return undefined
  }

  #string(tag: number): string {
    this.#strings += 1
    if (this.#strings > maxStrings) throw new Error(`broken node: it has more than ${maxStrings} strings`)
    const bytes = this.#bytes(tag)
    if (bytes) return utf8.decode(bytes)
    switch (tag) {
      case nodeTag.empty:
        return ''
      case nodeTag.packedDigits:
        return this.#packed(packedDigits)
      case nodeTag.packedHex:
        return this.#packed(packedHex)
      case nodeTag.jid:
        return this.#jid()
      case nodeTag.deviceJid:
        return this.#deviceJid()
      case nodeTag.facebookJid:
        return this.#facebookJid()
      case nodeTag.interopJid:
        return this.#interopJid()
      default:
        return this.#word(tag)
    }
  }

  #word(tag: number): string {
    const list = wordList(tag)
    const word = list ? list[this.#reader.number(1)] : shortWord(tag)
    if (word === undefined) throw new Error(`broken node: the dictionary has no word for ${tag}`)
    return word
  }

  /** Two characters in a byte; if the highest bit of the length is set, the last byte has only one. */
  #packed(alphabet: string): string {
    const length = this.#reader.number(1)
    const halves = [...this.#reader.take(length & 0x7f)].flatMap((byte) => [byte >> 4, byte & 0xf])
    if (length & 0x80) halves.pop()
    return halves.map((half) => this.#character(alphabet, half)).join('')
  }

  #character(alphabet: string, index: number): string {
    const character = alphabet[index]
    if (character === undefined) throw new Error(`broken node: ${index} stands for no character`)
    return character
  }

  /** A part of a JID, which is no JID itself. */
  #part(): string {
    const tag = this.#reader.number(1)
    const isJid = tag === nodeTag.jid || (tag >= nodeTag.interopJid && tag <= nodeTag.deviceJid)
    if (isJid) throw new Error('broken node: a JID stands in another')
    return this.#string(tag)
  }

  /** A JID without a user is its server alone. */
  #jid(): string {
    const user = this.#part()
    const server = this.#part()
    if (server === '') throw new Error('broken node: a JID has no server')
    return user === '' ? server : `${user}@${server}`
  }

  #deviceJid(): string {
    const code = this.#reader.number(1)
    const device = this.#reader.number(1)
    const user = this.#part()
    const server = servers.get(code)
    if (server === undefined)
      throw new Error(`broken node: the JID of a device has the unknown server ${code}`)
    return device === 0 ? `${user}@${server}` : `${user}:${device}@${server}`
  }

  #facebookJid(): string {
    const user = this.#part()
    const device = this.#reader.number(2)
    return `${user}:${device}@${this.#part()}`
  }

  #interopJid(): string {
    const user = this.#part()
    const device = this.#reader.number(2)
    const integrator = this.#reader.number(2)
    return `${integrator}-${user}:${device}@${this.#part()}`
  }
}
