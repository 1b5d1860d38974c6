import { useLayoutEffect, useRef } from 'preact/hooks'

/** Pixels from the end within which the view is still kept there. */
const near = 120

/** Keeps the end of the log in view, unless the person reads further up; the part that they read stays in its place, too. `onEnd` is called when they scroll there. */
export function useStickyEnd(oldest: string | undefined, count: number, onEnd: () => void) {
  const element = useRef<HTMLDivElement>(null)
  const last = useRef({ fromEnd: 0, oldest })
  const toEnd = () => {
    const log = element.current
    if (log && last.current.fromEnd < near) log.scrollTop = log.scrollHeight
  }
  useLayoutEffect(() => {
    const log = element.current
    if (!log) return
    if (last.current.fromEnd < near) log.scrollTop = log.scrollHeight
    else if (last.current.oldest !== oldest)
      log.scrollTop = log.scrollHeight - log.clientHeight - last.current.fromEnd
    last.current.oldest = oldest
  }, [oldest, count])
  const onScroll = () => {
    const log = element.current
    if (!log) return
    last.current.fromEnd = log.scrollHeight - log.clientHeight - log.scrollTop
    if (last.current.fromEnd < near) onEnd()
  }
  const goToEnd = () => {
    last.current.fromEnd = 0
    toEnd()
  }
  const isAtEnd = () => last.current.fromEnd < near
  // A picture that was loaded makes the log longer.
  return { ref: element, onScroll, onLoadCapture: toEnd, isAtEnd, goToEnd }
}
