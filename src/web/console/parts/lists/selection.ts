import { useRef, useState } from 'preact/hooks'

/** The selected rows of a list, by their keys. */
export interface Selection {
  /** Those that are shown, in the order of the list. */
  readonly keys: readonly string[]
  readonly has: (key: string) => boolean
  /** Selects a row or no longer does so; with `isRange`, all from the row before to this one become as that one is. */
  readonly toggle: (key: string, isRange?: boolean) => void
  readonly selectAll: () => void
  readonly clear: () => void
  /** Selects these rows no longer: what was to be done with them is done. */
  readonly drop: (keys: readonly string[]) => void
}

/** The selection among the rows that are shown, in this order. Another `about` begins anew: its list is about something else. */
export function useSelection(order: readonly string[], about: string): Selection {
  const [state, setState] = useState({ about, chosen: none })
  /** The row that was toggled last: a range begins there. */
  const last = useRef<string>(undefined)
  const chosen = state.about === about ? state.chosen : none
  // Of what is chosen by then: two clicks may come before the first is drawn.
  const change = (next: (chosen: ReadonlySet<string>) => ReadonlySet<string>) =>
    setState((before) => ({ about, chosen: next(before.about === about ? before.chosen : none) }))
  const toggle = (key: string, isRange = false) => {
    const from = isRange && last.current !== undefined ? last.current : undefined
    last.current = key
    change((before) => {
      const range = from === undefined ? undefined : rangeOf(order, from, key)
      if (from === undefined || !range) return before.symmetricDifference(new Set([key]))
      return before.has(from) ? before.union(range) : before.difference(range)
    })
  }
  return {
    keys: chosen.size === 0 ? [] : order.filter((key) => chosen.has(key)),
    has: (key) => chosen.has(key),
    toggle,
    selectAll: () => change(() => new Set(order)),
    clear: () => change(() => none),
    drop: (keys) => change((before) => before.difference(new Set(keys))),
  }
}

/** The keys between two, with both; undefined if one of them is no longer there. */
function rangeOf(order: readonly string[], from: string, to: string): ReadonlySet<string> | undefined {
  const [first, last] = [order.indexOf(from), order.indexOf(to)].sort((a, b) => a - b)
  if (first === undefined || last === undefined || first < 0) return undefined
  return new Set(order.slice(first, last + 1))
}

const none: ReadonlySet<string> = new Set()

/**
 * The keys in a list whose rows can be selected: Space selects a row unless it presses what has the focus, Shift with an arrow extends
 * the selection, Escape ends it.
 */
export function selectByKey(event: KeyboardEvent, selection: Selection): void {
  const target = event.target as HTMLElement
  const key = keyOfRow(target)
  if (key === undefined || target.matches('textarea, select')) return
  if (event.key === ' ' && !target.matches('input, button, summary')) selection.toggle(key, event.shiftKey)
  else if (event.key === 'Escape' && selection.keys.length > 0) selection.clear()
  else return
  event.preventDefault()
}

function keyOfRow(element: Element): string | undefined {
  return element.closest<HTMLElement>('[data-key]')?.dataset.key
}
