import { h } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { type LiveEvent, useLive } from '../../core/live.ts'
import { linkTo } from '../../core/router.ts'
import { say } from '../../words/say.ts'
import { EventTable, instanceOf, type ShownEvent } from './event-table.ts'

/**
 * Events that are shown, or held while the tail is paused: the newest. At a hundred in a second, more would be gone before
 * they could be read; older ones can be replayed.
 */
const maxShown = 200

interface TailProps {
  /** The type to show, and the instance; empty for all. */
  readonly types: string
  readonly instances: string
}

/** The events as they happen, newest first. A pause holds what comes meanwhile, and so does who points at the rows: none moves then. */
export function Tail({ types, instances }: TailProps) {
  const [shown, setShown] = useState<readonly ShownEvent[]>([])
  const [isPaused, setPaused] = useState(false)
  const [count, setCount] = useState(0)
  const held = useRef<ShownEvent[]>([])
  const isPointedAt = useRef(false)
  const lastCursor = useRef<string>(undefined)
  const [gap, setGap] = useState<{ readonly after: string | undefined }>()
  const isWanted = ({ event }: ShownEvent) =>
    (types === '' || event.type === types) && (instances === '' || instanceOf(event) === instances)
  const wanted = shown.filter(isWanted)
  const hear = (event: LiveEvent, cursor: string) => {
    lastCursor.current = cursor
    // Here already, so that all that others do displaces nothing that is wanted.
    if (!isWanted({ event, cursor })) return
    if (isPaused || (isPointedAt.current && wanted.length > 0)) {
      held.current = [{ event, cursor }, ...held.current].slice(0, maxShown)
      setCount((before) => before + 1)
    } else setShown((before) => [{ event, cursor }, ...before].slice(0, maxShown))
  }
  useLive(hear, () => setGap((known) => known ?? { after: lastCursor.current }))
  const point = (is: boolean) => (event: PointerEvent) => {
    if (event.pointerType !== 'mouse') return
    isPointedAt.current = is
    if (!is && !isPaused) showHeld()
  }
  const showHeld = () => {
    const waiting = held.current
    held.current = []
    setCount(0)
    setShown((before) => [...waiting, ...before].slice(0, maxShown))
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
    h('div', { role: 'status' }, gap && h(Gap, { ...gap, types, instances })),
    h(
      'div',
      { onPointerEnter: point(true), onPointerLeave: point(false) },
      wanted.length === 0
        ? h('div', { class: 'empty' }, h('p', null, say('events.empty')))
        : h(EventTable, { events: wanted }),
    ),
    wanted.length === maxShown && h('p', { class: 'hint' }, say('events.newest_only', { count: maxShown })),
  )
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
