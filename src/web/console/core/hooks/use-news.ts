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
}

/** Counts what came, by ids, until it is shown. Another `key` begins anew. */
export function useNews(key: string, shown: readonly string[]): News {
  const [state, setState] = useState({ key, ids: none })
  const change = (next: (ids: ReadonlySet<string>) => ReadonlySet<string>) =>
    setState((before) => {
      const ids = before.key === key ? before.ids : none
      const after = next(ids)
      return after === ids ? before : { key, ids: after }
    })
  const waiting = state.key === key ? state.ids.difference(new Set(shown)) : none
  return {
    isEmpty: waiting.size === 0,
    count: waiting.size < maxCounted ? waiting.size : `${number(maxCounted)}+`,
    add: (id) => change((ids) => (ids.has(id) || ids.size >= maxCounted ? ids : new Set([...ids, id]))),
    remove: (id) => change((ids) => (ids.has(id) ? ids.difference(new Set([id])) : ids)),
    clear: () => change(() => none),
  }
}

const none: ReadonlySet<string> = new Set()
