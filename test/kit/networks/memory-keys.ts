import type { KeyStore } from '../../../src/networks/driver/keys.ts'

/** Keys that are kept in memory, and never taken over by another connection. */
export function memoryKeys(): KeyStore {
  const kept = new Map<string, Uint8Array>()
  const nameOf = (type: string, id: string) => JSON.stringify([type, id])
  return {
    async get(type, ids) {
      const found = new Map<string, Uint8Array>()
      for (const id of ids) {
        const value = kept.get(nameOf(type, id))
        if (value) found.set(id, Uint8Array.from(value))
      }
      return found
    },
    async set(changes) {
      for (const { type, id, value } of changes)
        if (value === null) kept.delete(nameOf(type, id))
        else kept.set(nameOf(type, id), Uint8Array.from(value))
    },
    async clear() {
      kept.clear()
    },
  }
}
