import type { EventEmitter } from 'node:events'
import type { BinaryNode } from 'baileys'
import type { GroupChanged } from '../../../../driver/abilities/groups.ts'

/** Changes that are stored together, few enough for the server to hold them while its store is away. */
const together = 100

/** Notifications that may wait to be stored, and members in them: all of them are in memory. */
const maxWaiting = 20_000

/** The type of notifications about groups. */
const aboutGroups = 'w:gp2'

export interface GroupKeeperOptions {
  readonly ws: EventEmitter
  readonly changesIn: (node: BinaryNode) => readonly GroupChanged[]
  /** Resolves with true if all of them are stored. Rejects if the client is closed or the server failed. */
  readonly store: (changes: readonly GroupChanged[]) => Promise<boolean>
  /** More came than can be held. What was not stored comes again with the next connection. */
  readonly overflowed: () => void
}

interface Waiting {
  readonly node: BinaryNode
  readonly changes: readonly GroupChanged[]
}

/**
 * Has the changes of groups that come through a socket stored before the library acknowledges them, which it does as soon as it gets them:
 * so it gets them only then. What was not acknowledged, WhatsApp sends again to the next connection.
 */
export function keepGroupChanges({ ws, changesIn, store, overflowed }: GroupKeeperOptions): void {
  const waiting: Waiting[] = []
  let weight = 0
  let isBusy = false
  const library = ws.listeners('CB:notification')
  const pass = (node: BinaryNode) => {
    for (const listener of library) listener.call(ws, node)
  }

  async function keep(): Promise<void> {
    isBusy = true
    while (waiting.length > 0) {
      const some = waiting.splice(0, together)
      // If it fails, what is not acknowledged comes again with the next connection.
      const areStored = await store(some.flatMap(({ changes }) => changes)).catch(() => false)
      for (const each of some) {
        weight -= weightOf(each)
        if (areStored) pass(each.node)
      }
    }
    isBusy = false
  }

  ws.removeAllListeners('CB:notification')
  ws.on('CB:notification', (node: BinaryNode) => {
    const changes = node.attrs.type === aboutGroups ? changesIn(node) : []
    if (changes.length === 0) {
      pass(node)
      return
    }
    waiting.push({ node, changes })
    weight += weightOf({ changes })
    if (weight > maxWaiting) overflowed()
    else if (!isBusy) void keep()
  })
}

function weightOf({ changes }: Pick<Waiting, 'changes'>): number {
  return changes.reduce((sum, { members }) => sum + 1 + (members?.length ?? 0), 0)
}
