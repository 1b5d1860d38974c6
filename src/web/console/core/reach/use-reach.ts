import { createContext } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { type Reach, type ReachState, whenReachChanges } from './reach.ts'

/** Whether what is shown is known, for whatever shows a state. */
export const Known = createContext(true)

/** How the server is reached, kept current. */
export function useReach(): ReachState {
  const [state, setState] = useState<ReachState>({ reach: 'known' satisfies Reach, heardAt: Date.now() })
  // Before anything is drawn: it may be out of reach already.
  useLayoutEffect(() => whenReachChanges(setState), [])
  return state
}
