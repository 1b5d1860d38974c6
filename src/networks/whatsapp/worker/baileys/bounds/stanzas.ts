import type { EventEmitter } from 'node:events'
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, proto } from 'baileys'
import { decodeBounded } from './decoding.ts'
import { isReadable } from './messages.ts'

/**
 * Length of a stanza as it comes, in bytes: those of WhatsApp have some hundred kilobytes, and longer ones are compressed.
 */
const longestStanza = 8 * 1024 * 1024

/** Tags, lengths and numbers of a part of the account's state. */
const maxElements = 50_000

/** The certificate of a business has some hundred bytes. */
const longestCertificate = 16 * 1024

/** The bytes before a stanza that say how long it is. */
const headBytes = 3

export interface StanzaOptions {
  /** Bytes came. */
  readonly came: () => void
  /** One is longer than may be: nothing after it can be read. */
  readonly tooLong: () => void
  /** A part of one was taken out. */
  readonly dropped: () => void
}

/**
 * Looks at the stanzas that come through a socket before the library does: how long they are, and what in them the library is going to decode.
 * What is encrypted in a message is looked at when it is decrypted.
 */
export function boundStanzas(ws: EventEmitter, { came, tooLong, dropped }: StanzaOptions): void {
  const lengths = new Lengths()
  ws.prependListener('message', (bytes: Uint8Array) => {
    came()
    if (lengths.isTooLong(bytes)) tooLong()
  })
  ws.prependListener('frame', (frame: BinaryNode | Uint8Array) => {
    if (!(frame instanceof Uint8Array) && takeOut(frame)) dropped()
  })
}

/** Follows the lengths of stanzas, which do not care where messages of the WebSocket begin and end. */
class Lengths {
  #head = 0
  #headRead = 0
  /** Of the stanza that is coming. */
  #rest = 0

  isTooLong(bytes: Uint8Array): boolean {
    let at = 0
    while (at < bytes.length) {
      const step = Math.min(this.#rest, bytes.length - at)
      this.#rest -= step
      at += step
      for (; at < bytes.length && this.#rest === 0; at++) {
        this.#head = (this.#head << 8) | (bytes[at] as number)
        this.#headRead += 1
        if (this.#headRead < headBytes) continue
        if (this.#head > longestStanza) return true
        this.#rest = this.#head
        this.#head = 0
        this.#headRead = 0
      }
    }
    return false
  }
}

/** Returns true if something was taken out. */
function takeOut(stanza: BinaryNode): boolean {
  let isTakenOut = false
  for (const node of decodedIn(stanza)) {
    if (!(node.content instanceof Uint8Array) || isFit(node, node.content)) continue
    node.content = Buffer.alloc(0)
    isTakenOut = true
  }
  return isTakenOut
}

/** Returns the parts of a stanza that the library decodes. */
function decodedIn(stanza: BinaryNode): BinaryNode[] {
  if (stanza.tag === 'message')
    return [...getBinaryNodeChildren(stanza, 'plaintext'), ...getBinaryNodeChildren(stanza, 'verified_name')]
  if (stanza.tag !== 'iq') return []
  const collections = getBinaryNodeChildren(getBinaryNodeChild(stanza, 'sync'), 'collection')
  return collections.flatMap((collection) => [
    ...getBinaryNodeChildren(collection, 'snapshot'),
    ...getBinaryNodeChildren(collection, 'patch'),
    ...getBinaryNodeChildren(getBinaryNodeChild(collection, 'patches'), 'patch'),
  ])
}

function isFit({ tag }: BinaryNode, bytes: Uint8Array): boolean {
  if (tag === 'plaintext') return isReadable(bytes)
  if (tag !== 'patch') return bytes.length <= longestCertificate
  try {
    decodeBounded(proto.SyncdPatch, bytes, maxElements)
    return true
  } catch {
    return false
  }
}
