import { createContext } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { type Reach, type ReachState, whenReachChanges } from './reach.ts'

/** True if the data on the screen is known to be current, for every component that shows a state. */
export const Known = createContext(true)

/** Returns the state of the connection to the server, kept current. */
export function useReach(): ReachState {
  const [state, setState] = useState<ReachState>({ reach: 'known' satisfies Reach, heardAt: Date.now() })
  // Before anything is drawn: it may be out of reach already.
  useLayoutEffect(() => whenReachChanges(setState), [])
  return state
}
