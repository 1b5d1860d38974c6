import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { type Handover, historyMessage } from '../people/history.ts'
import { write } from '../people/writing.ts'
import type { Message } from '../proto/message.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { node } from '../wire/node.ts'
import { encodeBareNode } from '../wire/node-encoder.ts'
import { nodeTag } from '../wire/node-tags.ts'

interface Bomb {
  readonly person: string
  /** Size of it unfolded, in bytes. */
  readonly bytes: number
}

/** Messages that are small until they are unpacked. */
export const bombActions = {
  /** The phone hands its clients a part of its history: empty conversations, two bytes each, deflated. Returns the id of what carries it. */
  throwHistory: (
    whatsapp: WhatsApp,
    { person, bytes, isFile = false }: Bomb & { readonly isFile?: boolean },
  ): Promise<string> => {
    const payload = deflated('history', bytes, () => Buffer.alloc(bytes, emptyConversation))
    return handOver(whatsapp, person, payload, { kind: isFile ? 'reference' : 'inline' })
  },

  /** The phone tells its clients of a file with a part of its history: so many bytes that are none. Returns the id of what carries it. */
  throwFile: (
    whatsapp: WhatsApp,
    { person, bytes, ...handover }: Bomb & Omit<Handover & { kind: 'reference' }, 'kind'>,
  ): Promise<string> => handOver(whatsapp, person, randomBytes(bytes), { kind: 'reference', ...handover }),

  /** The phone writes to its clients what is not packed: a message of so many bytes of empty objects. Returns its id. */
  throwMessage: (whatsapp: WhatsApp, { person, bytes }: Bomb): Promise<string> => {
    const author = whatsapp.directory.get(person)
    const keys = { keys: Array.from({ length: bytes >> 1 }, () => ({})) }
    const message = { protocolMessage: { type: 'APP_STATE_SYNC_KEY_SHARE', appStateSyncKeyShare: keys } }
    return write(whatsapp, {
      author,
      to: author,
      message: message as Message,
      more: { category: 'peer' },
    })
  },

  /** The server sends the clients of an account a stanza that holds nothing but empty nodes: compressed, unless it is to be as it is. */
  throwStanza: (
    { directory }: WhatsApp,
    { person, bytes, asItIs = false }: Bomb & { readonly asItIs?: boolean },
  ): void => {
    const stanza = asItIs ? Buffer.concat([Buffer.of(0), manyNodes(bytes)]) : stanzaOf(bytes)
    for (const { line } of directory.get(person).devices.values()) line?.sendBytes(stanza)
  },
}

const packed = new Map<string, Buffer>()

/** Deflated once for all bombs of its kind and size, because that takes a second. */
function deflated(kind: string, bytes: number, make: () => Uint8Array): Buffer {
  const name = `${kind} ${bytes}`
  const known = packed.get(name) ?? deflateSync(make(), { level: 9 })
  packed.set(name, known)
  return known
}

/** The field `conversations` of a `HistorySync`, with nothing in it. */
const emptyConversation = Buffer.of(0x12, 0)

function handOver(
  whatsapp: WhatsApp,
  person: string,
  payload: Uint8Array,
  handover: Handover,
): Promise<string> {
  const author = whatsapp.directory.get(person)
  const message = historyMessage(payload, 'INITIAL_BOOTSTRAP', handover, whatsapp.media)
  return write(whatsapp, { author, to: author, message, more: { category: 'peer' } })
}

/** The bit that says that zlib compressed the rest. */
const compressed = 2
const longestList = 65_535

function stanzaOf(bytes: number): Uint8Array {
  return Buffer.concat([Buffer.of(compressed), deflated('stanza', bytes, () => manyNodes(bytes))])
}

/** A node with lists of empty nodes. */
function manyNodes(bytes: number): Uint8Array {
  const empty = encodeBareNode(node('iq'))
  const [, , name = 0] = empty
  const full = (count: number) => Buffer.of(nodeTag.list8, 2, name, nodeTag.list16, count >> 8, count & 0xff)
  const group = Buffer.concat([full(longestList), Buffer.alloc(longestList * empty.length, empty)])
  const groups = Math.max(1, Math.floor(bytes / group.length))
  return Buffer.concat([full(groups), ...Array.from({ length: groups }, () => group)])
}
