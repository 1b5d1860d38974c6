import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Milliseconds without a keystroke before the typed text counts. */
const pause = 300

/**
 * Returns the text that the person is typing, at once, while `then` gets it only after a pause: for filters, each of which
 * sends a request. If `value` changes otherwise, for example because the person went back, that is shown.
 */
export function useTyped(value: string, then: (typed: string) => void): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(then)
  latest.current = then
  // Before the person can type on: later it would undo that.
  useLayoutEffect(() => setTyped((before) => (before.trim() === value ? before : value)), [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (next: string) => {
    setTyped(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => latest.current(next.trim()), pause)
  }
  return [typed, type]
}
