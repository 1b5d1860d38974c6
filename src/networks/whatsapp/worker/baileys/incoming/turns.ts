import type { EventEmitter } from 'node:events'
import type { BinaryNode } from 'baileys'
import { RoundRobin } from '../../../../../runtime/limits/round-robin.ts'

/**
 * Gives the library the messages that come through a socket one after the other; conversations take turns. By itself it
 * begins with each at once, so the first messages of a new person overtake one another, and everybody waits for the busiest
 * writer. `turn` is one: it passes the message to the library, which is through with it when that resolves.
 */
export function takeTurns(
  { ws }: { readonly ws: EventEmitter },
  turn: (node: BinaryNode, pass: () => Promise<void>) => Promise<void> = (_, pass) => pass(),
): void {
  const library = ws.listeners('CB:message')
  const waiting = new RoundRobin<BinaryNode>()
  let isBusy = false

  async function pass(node: BinaryNode): Promise<void> {
    const given = asLive(node)
    await Promise.all(library.map((listener) => listener.call(ws, given)))
  }

  async function passAll(): Promise<void> {
    isBusy = true
    for (let node = waiting.take(); node; node = waiting.take()) {
      const next = node
      // A failed one is told of as every unexpected error, and does not stop the others.
      await turn(next, () => pass(next)).catch((error) => void Promise.reject(error))
    }
    isBusy = false
  }

  ws.removeAllListeners('CB:message')
  ws.on('CB:message', (node: BinaryNode) => {
    waiting.push(node.attrs.from ?? '', node)
    if (!isBusy) void passAll()
  })
}

/**
 * A message as if it came just now. One that had waited at WhatsApp, the library would only put in a queue of its own: the turn would end at
 * once, and what comes later would overtake it.
 */
function asLive(node: BinaryNode): BinaryNode {
  const { offline: _, ...attrs } = node.attrs
  return { ...node, attrs }
}
