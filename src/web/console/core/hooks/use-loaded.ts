import { useCallback, useEffect, useState } from 'preact/hooks'
import { whenInReach, whenServerReturns } from '../reach/reach.ts'

/** The known state of code that is loaded when it is needed first. */
export interface Loaded<T> {
  /** Undefined until it has come. */
  readonly module: T | undefined
  /** Why it could not be loaded; undefined while it may still come. */
  readonly error: unknown
  /** Loads again what could not be loaded. */
  readonly retry: () => void
}

/** Attempts by itself while the server is in reach: what fails as often is missing, and each further attempt costs a request. */
const maxAttempts = 4
/** Milliseconds before the third attempt: twice as many before each that follows. The second one is made at once. */
const firstPause = 1_000

/**
 * Loads a module when the component is shown, and another one when `load` changes. What broke off is loaded again by itself: no
 * person can tell a screen that is missing from one whose connection was cut.
 */
export function useLoaded<T>(load: (() => Promise<T>) | undefined): Loaded<T> {
  const [state, setState] = useState<{
    readonly load: unknown
    readonly module?: T
    readonly error?: unknown
  }>()
  const [round, setRound] = useState({ load, failures: 0 })
  useEffect(() => {
    // A module that the person has left may come last.
    let isLeft = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let stopWaiting = () => {}
    const fail = (error: unknown) => {
      if (isLeft) return
      setState({ load, error })
      const failures = round.load === load ? round.failures + 1 : 1
      const loadAgain = () => setRound({ load, failures })
      const loadSoon = () => {
        timer = setTimeout(loadAgain, failures === 1 ? 0 : firstPause * 2 ** (failures - 2))
      }
      // Waited for from now on, not once the failure is drawn: the server may be back before that.
      stopWaiting = failures < maxAttempts ? whenInReach(loadSoon) : whenServerReturns(loadAgain)
    }
    load?.().then((module) => isLeft || setState({ load, module }), fail)
    return () => {
      isLeft = true
      clearTimeout(timer)
      stopWaiting()
    }
  }, [load, round])
  const retry = useCallback(() => setRound({ load, failures: 0 }), [load])
  const known = state?.load === load ? state : undefined
  return { module: known?.module, error: known?.error, retry }
}
