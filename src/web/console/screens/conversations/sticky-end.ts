import { useLayoutEffect, useRef } from 'preact/hooks'

/** Pixels from the end within which the view is still kept there. */
const near = 120

/** The message that a person reads first, and how far below the top of the log it is, in pixels. */
interface Anchor {
  readonly id: string
  readonly top: number
}

interface Ends {
  /** False if the view begins at another place, which is not known yet. */
  readonly beginsAtEnd: boolean
  /** Called when the person scrolls to the end of what is drawn. Returns false if more will be drawn below it. */
  readonly onEnd: () => boolean
  /** Called when the person scrolls away from the end. */
  readonly onLeave: () => void
}

/** Keeps the end of the log in view, unless the person reads further up; what they read stays in its place, too. */
export function useStickyEnd({ beginsAtEnd, onEnd, onLeave }: Ends) {
  const element = useRef<HTMLDivElement>(null)
  const isNear = useRef(beginsAtEnd)
  const anchor = useRef<Anchor>(undefined)
  const toEnd = () => {
    const log = element.current
    if (log && isNear.current) log.scrollTop = log.scrollHeight
  }
  // After each drawing: any of them may change heights.
  useLayoutEffect(() => {
    const log = element.current
    if (!log) return
    const place = anchor.current && document.getElementById(anchor.current.id)
    if (isNear.current) toEnd()
    else if (place && anchor.current) log.scrollTop += topIn(log, place) - anchor.current.top
    anchor.current = firstIn(log)
  })
  useLayoutEffect(() => {
    const log = element.current
    if (!log) return
    // The field below it grows with what is written.
    const observer = new ResizeObserver(toEnd)
    observer.observe(log)
    return () => observer.disconnect()
  }, [])
  const onScroll = () => {
    const log = element.current
    if (!log) return
    const wasNear = isNear.current
    isNear.current = log.scrollHeight - log.clientHeight - log.scrollTop < near
    anchor.current = firstIn(log)
    // The view stays in its place if more is drawn below: a person can scroll on to that.
    if (isNear.current) isNear.current = onEnd()
    else if (wasNear) onLeave()
  }
  /** Keeps the place to which the view was just moved. */
  const stayHere = () => {
    isNear.current = true
    onScroll()
  }
  const goToEnd = () => {
    isNear.current = true
    toEnd()
  }
  // A picture that was loaded makes the log longer.
  return { ref: element, onScroll, onLoadCapture: toEnd, isAtEnd: () => isNear.current, goToEnd, stayHere }
}

const topIn = (log: Element, place: Element) =>
  place.getBoundingClientRect().top - log.getBoundingClientRect().top

/** The first message in view. */
function firstIn(log: Element): Anchor | undefined {
  for (const place of log.querySelectorAll('.bubble')) {
    const top = topIn(log, place)
    if (top + place.clientHeight > 0) return { id: place.id, top }
  }
  return undefined
}
