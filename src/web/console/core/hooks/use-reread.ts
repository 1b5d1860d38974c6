import { useEffect, useRef } from 'preact/hooks'

/** Result of a read: something new; nothing new, though something is still to come; or that nothing is to come. */
export type Reread = 'changed' | 'waiting' | 'settled'

/** The shortest time between two reads, in milliseconds. */
const shortest = 2_000
/**
 * Longest time between two reads while something is to come, and time after which nothing is expected to follow a reason;
 * both as multiples of the shortest.
 */
const longest = 16
const enough = 4

/**
 * Reads again, without a word, what no event tells of. The function that it returns is called when there is a reason; reads follow
 * for as long as something is to come, half as often each time that nothing was new. A hidden tab reads nothing, and nothing is
 * read twice at once. Another `key` begins anew, and ends a read that is under way; null reads nothing.
 */
export function useReread(key: string | null, read: (signal: AbortSignal) => Promise<Reread>): () => void {
  const latest = useRef(read)
  latest.current = read
  const isAsked = useRef(false)
  useEffect(() => {
    if (key === null) return
    const abort = new AbortController()
    let [isReading, pace, left] = [false, 1, Number.POSITIVE_INFINITY]
    const pass = async () => {
      left--
      if (document.hidden || isReading || !(isAsked.current || left <= 0)) return
      if (isAsked.current) pace = 1
      isAsked.current = false
      isReading = true
      // Out of reach for now: it goes on later.
      const found = await latest.current(abort.signal).catch(() => 'waiting')
      isReading = false
      left = found === 'settled' && pace >= enough ? Number.POSITIVE_INFINITY : pace
      pace = found === 'changed' ? 1 : Math.min(pace * 2, longest)
    }
    const timer = setInterval(pass, shortest)
    return () => {
      clearInterval(timer)
      abort.abort()
    }
  }, [key])
  return () => {
    isAsked.current = true
  }
}
