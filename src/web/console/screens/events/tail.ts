import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useCall } from '../../core/hooks/use-call.ts'
import { type LiveEvent, useLive } from '../../core/live.ts'
import type { Request } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { Failure } from '../../parts/failure.ts'
import { Skeleton } from '../../parts/skeleton.ts'
import { MoreButton } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import { EventTable, instanceOf } from './event-table.ts'

/**
 * Events that are shown, or held while the tail is paused: the newest. At a hundred in a second, more would be gone before
 * they could be read; older ones can be replayed.
 */
const maxShown = 200
/** Events that are there from the beginning, and those that are added when one asks for earlier ones. */
const atFirst = 50

/** Makes the request of the newest events. */
export function newestRequest(count: number, { types, instances }: TailProps): Request<'listEvents'> {
  const filters = { ...(types ? { types } : {}), ...(instances ? { instances } : {}) }
  // The types of the contract call for lists, which go into the URL as texts.
  return { query: { last: count, limit: count, ...filters } as never }
}

interface TailProps {
  /** The type to show, and the instance; empty for all. */
  readonly types: string
  readonly instances: string
}

/** The newest events, and those that happen, newest first. A pause holds what comes meanwhile, and so does who points at the rows: none moves then. */
export function Tail({ types, instances }: TailProps) {
  const [shown, setShown] = useState<readonly LiveEvent[]>([])
  const [isPaused, setPaused] = useState(false)
  const [count, setCount] = useState(0)
  const held = useRef<readonly LiveEvent[]>([])
  const isPointedAt = useRef(false)
  const gaps = useGap()
  const isWanted = (event: LiveEvent) =>
    (types === '' || event.type === types) && (instances === '' || instanceOf(event) === instances)
  const wanted = shown.filter(isWanted)
  const show = (more: readonly LiveEvent[]) => setShown((before) => together(before, more))
  const showRead = (read: readonly LiveEvent[], cursor: string) => {
    gaps.noteRead(cursor)
    show(read)
  }
  const hear = (event: LiveEvent, cursor: string) => {
    gaps.noteHeard(cursor)
    // Here already, so that all that others do displaces nothing that is wanted.
    if (!isWanted(event)) return
    if (isPaused || (isPointedAt.current && wanted.length > 0)) {
      held.current = together(held.current, [event])
      setCount((before) => before + 1)
    } else show([event])
  }
  useLive(hear, gaps.noteMissed)
  const point = (is: boolean) => (event: PointerEvent) => {
    if (event.pointerType !== 'mouse') return
    isPointedAt.current = is
    if (!is && !isPaused) showHeld()
  }
  const showHeld = () => {
    show(held.current)
    held.current = []
    setCount(0)
  }
  const proceed = () => {
    showHeld()
    setPaused(false)
  }
  return h(
    'section',
    null,
    h(
      'p',
      { class: 'actions' },
      isPaused
        ? h('button', { type: 'button', class: 'primary', onClick: proceed }, say('events.continue'))
        : h('button', { type: 'button', onClick: () => setPaused(true) }, say('events.pause')),
      (isPaused || count > 0) && h('span', { role: 'status' }, say('events.held', { count })),
    ),
    h('div', { role: 'status' }, gaps.gap && h(Gap, { ...gaps.gap, types, instances })),
    h(
      'div',
      { onPointerEnter: point(true), onPointerLeave: point(false) },
      wanted.length > 0 && h(EventTable, { events: wanted }),
    ),
    h(Newest, { types, instances, shown: wanted.length, onRead: showRead }),
  )
}

/** Notes where the first events were left out: behind the last one of the stream, or behind those that were read before one came. */
function useGap() {
  const last = useRef<string>(undefined)
  const [gap, setGap] = useState<{ readonly after: string | undefined }>()
  return {
    gap,
    noteHeard: (cursor: string) => {
      last.current = cursor
    },
    noteRead: (cursor: string) => {
      last.current ??= cursor
      // If the stream broke off before anything was read, all up to here is shown.
      setGap((known) => known && { after: known.after ?? cursor })
    },
    noteMissed: () => setGap((known) => known ?? { after: last.current }),
  }
}

/** Returns events of both lists, newest first, each of them once. */
function together(some: readonly LiveEvent[], more: readonly LiveEvent[]): readonly LiveEvent[] {
  const known = new Set(some.map(({ id }) => id))
  const added = more.filter(({ id }) => !known.has(id))
  if (added.length === 0) return some
  return [...added, ...some].toSorted((one, other) => other.sequence - one.sequence).slice(0, maxShown)
}

interface NewestProps extends TailProps {
  /** Number of events that are shown. */
  readonly shown: number
  /** Gets what was read, and the cursor behind it. */
  readonly onRead: (events: readonly LiveEvent[], cursor: string) => void
}

/** Reads the newest events, more of them if one asks for earlier ones, and says it if there are none. */
function Newest({ types, instances, shown, onRead }: NewestProps) {
  const [count, setCount] = useState(atFirst)
  const { data, error, isLoading, reload } = useCall('listEvents', newestRequest(count, { types, instances }))
  useEffect(() => {
    if (data) onRead(data.data as readonly LiveEvent[], data.next_cursor)
  }, [data])
  if (error !== undefined) return h(Failure, { error, onRetry: reload })
  if (shown === 0)
    return data ? h('div', { class: 'empty' }, h('p', null, say('events.empty'))) : h(Skeleton, { rows: 8 })
  if (shown >= maxShown) return h('p', { class: 'hint' }, say('events.newest_only', { count: maxShown }))
  const onMore = () => setCount(Math.min(maxShown, count + atFirst))
  // The button stays while more are read, so that it keeps the focus.
  return shown >= count || isLoading
    ? h(MoreButton, { isLoading, onMore, text: say('events.show_earlier') })
    : null
}

interface GapProps extends TailProps {
  /** The last event that was seen before. */
  readonly after: string | undefined
}

/** Says that the tail left events out, and where they are. */
function Gap({ after, types, instances }: GapProps) {
  return h(
    'p',
    { class: 'warning' },
    say('events.left_out'),
    ' ',
    after !== undefined &&
      h('a', { href: linkTo(['events'], { types, instances, after }) }, say('events.show_left_out')),
  )
}
