import { useEffect, useRef } from 'preact/hooks'

/**
 * A function that has `then` done once, `ms` milliseconds after its first call, however often it is called meanwhile: for what
 * many events ask for.
 */
export function useSoon(then: () => void, ms: number): () => void {
  const latest = useRef(then)
  latest.current = then
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      latest.current()
    }, ms)
  }
}
