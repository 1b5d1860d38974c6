import { type BinaryNode, getBinaryNodeChildren, type WASocket } from 'baileys'
import { type ReceiptObservation, receiptsIn } from '../../../incoming/receipts.ts'

/** Receipts that are stored together, few enough for the server to hold them while its store is away. */
const together = 250

/** Receipts that may wait to be stored: all of them are in memory. */
const maxWaiting = 20_000

export interface ReceiptKeeperOptions {
  readonly sock: WASocket
  /** Resolves with true if all of them are stored. Rejects if the client is closed or the server failed. */
  readonly store: (receipts: readonly ReceiptObservation[]) => Promise<boolean>
  /** Sends a message again to a device that asks for it. False if it cannot be answered now. Rejects if that failed. */
  readonly sendAgain: (node: BinaryNode) => Promise<boolean>
  /** More came than can be held. What was not stored comes again with the next connection. */
  readonly overflowed: () => void
}

interface Waiting {
  readonly node: BinaryNode
  readonly receipts: readonly ReceiptObservation[]
}

/**
 * Has the receipts that come through a socket stored before the library acknowledges them, which it does as soon as it gets them: so it gets
 * them only then. What was not acknowledged, WhatsApp sends again to the next connection.
 */
export function keepReceipts({ sock, store, sendAgain, overflowed }: ReceiptKeeperOptions): void {
  const waiting: Waiting[] = []
  let count = 0
  let isBusy = false
  const library = sock.ws.listeners('CB:receipt')
  const pass = (node: BinaryNode) => {
    for (const listener of library) listener.call(sock.ws, node)
  }

  async function keep(): Promise<void> {
    isBusy = true
    while (waiting.length > 0) {
      const next = taken(waiting)
      await keepSome(next).catch(() => undefined)
      for (const each of next) count -= weightOf(each)
    }
    isBusy = false
  }

  /** If it fails, what is not acknowledged comes again with the next connection. */
  async function keepSome(some: readonly Waiting[]): Promise<void> {
    const receipts = some.flatMap((each) => each.receipts)
    const areStored = receipts.length === 0 || (await store(receipts))
    if (areStored) for (const { node } of some) await settle(node).catch(() => undefined)
  }

  async function settle(node: BinaryNode): Promise<void> {
    if (asksAgain(node)) void answer(node).catch(() => undefined)
    else pass(node)
  }

  async function answer(node: BinaryNode): Promise<void> {
    if (await sendAgain(node)) await sock.sendMessageAck(node)
  }

  sock.ws.removeAllListeners('CB:receipt')
  sock.ws.on('CB:receipt', (node: BinaryNode) => {
    const receipts = receiptsOf(node, sock)
    // Stanzas that concern the account alone are left to the library.
    if (receipts.length === 0 && !asksAgain(node)) {
      pass(node)
      return
    }
    waiting.push({ node, receipts })
    count += weightOf({ node, receipts })
    if (count > maxWaiting) overflowed()
    else if (!isBusy) void keep()
  })
}

/** Takes out the first few stanzas; one at least, however much it confirms. */
function taken(waiting: Waiting[]): Waiting[] {
  let count = 0
  const end = waiting.findIndex(({ receipts }, place) => {
    count += receipts.length
    return place > 0 && count > together
  })
  return waiting.splice(0, end < 0 ? waiting.length : end)
}

function weightOf({ receipts }: Waiting): number {
  return Math.max(receipts.length, 1)
}

/** Returns true if a device asks for a message again. */
function asksAgain({ attrs }: BinaryNode): boolean {
  return attrs.type === 'retry'
}

function receiptsOf(node: BinaryNode, sock: WASocket): ReceiptObservation[] {
  const { lid, id = '' } = sock.authState.creds.me ?? {}
  const [list] = getBinaryNodeChildren(node, 'list')
  const items = getBinaryNodeChildren(list, 'item').map(({ attrs }) => attrs.id ?? '')
  return receiptsIn({ attrs: node.attrs, items }, { number: id, lid: lid ?? null })
}
