import { useCallback, useEffect, useState } from 'preact/hooks'

/** Milliseconds after which what is there is shown, although some of it is still being read. */
const longestHold = 3_000

/**
 * Says when parts of a screen were read for the first time. Until then their place is held, and they appear together: each that
 * came by itself would push the others away from a person who reads them.
 */
export function useFirstRead(parts: readonly string[]) {
  const [read, setRead] = useState<ReadonlySet<string>>(new Set())
  const [isLate, setLate] = useState(false)
  const [wasReady, setReady] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), longestHold)
    return () => clearTimeout(timer)
  }, [])
  const note = useCallback((part: string) => {
    setRead((before) => (before.has(part) ? before : new Set([...before, part])))
  }, [])
  const isReady = wasReady || isLate || parts.every((part) => read.has(part))
  useEffect(() => {
    if (isReady) setReady(true)
  }, [isReady])
  return { isReady, note }
}
