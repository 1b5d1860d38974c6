import { useState } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'

/** Number from which on news are no longer counted, but shown as `999+`. */
const maxCounted = 999

/** News that came and waits to be shown. */
export interface News {
  readonly isEmpty: boolean
  /** The number of news, as the page says it: `999+` for any more. */
  readonly count: number | string
  readonly add: (id: string) => void
  readonly remove: (id: string) => void
  readonly clear: () => void
  /** Has the list read again, so that all of it is shown. */
  readonly show: () => void
}

interface Listed<T> {
  readonly items: readonly T[]
  readonly reload: () => void
}

/** Counts what came, by ids, until the list has it. Another `key` begins anew. */
export function useNews<T>(key: string, { items, reload }: Listed<T>, idOf: (item: T) => string): News {
  const [state, setState] = useState({ key, ids: none })
  const change = (next: (ids: ReadonlySet<string>) => ReadonlySet<string>) =>
    setState((before) => {
      const ids = before.key === key ? before.ids : none
      const after = next(ids)
      return after === ids ? before : { key, ids: after }
    })
  const waiting = state.key === key ? state.ids.difference(new Set(items.map(idOf))) : none
  const clear = () => change(() => none)
  return {
    isEmpty: waiting.size === 0,
    count: waiting.size < maxCounted ? waiting.size : `${number(maxCounted)}+`,
    add: (id) => change((ids) => (ids.has(id) || ids.size >= maxCounted ? ids : new Set([...ids, id]))),
    remove: (id) => change((ids) => (ids.has(id) ? ids.difference(new Set([id])) : ids)),
    clear,
    show: () => {
      clear()
      reload()
    },
  }
}

const none: ReadonlySet<string> = new Set()
