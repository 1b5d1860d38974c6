import { useState } from 'preact/hooks'

/** Items by which the part that is drawn moves at once. */
const step = 50

/** The part of a long list that is drawn, so that the page stays small however much was read. */
interface Stretch<T> {
  readonly shown: readonly T[]
  /** True if items before it, or after it, were read and are not drawn. */
  readonly isBeforeHidden: boolean
  readonly isAfterHidden: boolean
  /** Moves away from home. Returns false if nothing more was read there: what is read next is drawn, then. */
  readonly away: () => boolean
  /** Moves back towards home. */
  readonly back: () => void
  readonly goHome: () => void
  /** Moves to where an item is, by its key, with others on both sides. */
  readonly goTo: (key: string) => void
  /** Stays where it is, even if items come at home. */
  readonly hold: () => void
}

/**
 * Draws at most `max` items of a list. It begins `home`, at its start or at its end, where the newest are; items are held by their
 * keys, because others come and go.
 */
export function useStretch<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  max: number,
  home: 'start' | 'end',
): Stretch<T> {
  const [place, setPlace] = useState<'home' | 'far' | { readonly key: string }>('home')
  const last = Math.max(0, all.length - max)
  const homeAt = home === 'start' ? 0 : last
  const farAt = last - homeAt
  const at = (wanted: number) => Math.min(last, Math.max(0, wanted))
  const found = typeof place === 'object' ? all.findIndex((item) => keyOf(item) === place.key) : -1
  const from = place === 'far' ? farAt : found < 0 ? homeAt : at(found)
  const direction = home === 'start' ? 1 : -1
  const holdAt = (index: number) => {
    const item = all[index]
    setPlace(index === homeAt || item === undefined ? 'home' : { key: keyOf(item) })
  }
  return {
    shown: all.length <= max ? all : all.slice(from, from + max),
    isBeforeHidden: from > 0,
    isAfterHidden: from < last,
    away: () => {
      if (from === farAt) setPlace('far')
      else holdAt(at(from + direction * step))
      return from !== farAt
    },
    back: () => holdAt(at(from - direction * step)),
    goHome: () => setPlace('home'),
    goTo: (key) => holdAt(at(all.findIndex((item) => keyOf(item) === key) - Math.floor(max / 2))),
    hold: () => {
      const item = all[from]
      if (item !== undefined) setPlace({ key: keyOf(item) })
    },
  }
}
