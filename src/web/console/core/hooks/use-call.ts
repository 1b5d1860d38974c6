import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { call, isOutOfReach } from '../api.ts'
import { Meanwhile } from '../meanwhile.ts'
import type { Answer, OperationId, Request } from '../operations.ts'
import { whenServerReturns } from '../reach/reach.ts'

/** The known state of a call that a screen shows. */
export interface Called<T> {
  /** The last response of the server; undefined before the first one. */
  readonly data: T | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** Calls again, and shows the old response meanwhile. */
  readonly reload: () => void
  /** Changes what is shown, for example by an event. It is done again to what the server is just being asked for. */
  readonly change: (next: (data: T) => T) => void
}

/** Calls an operation when the component is shown, and again when the request changes. Null calls nothing. */
export function useCall<Id extends OperationId>(
  id: Id,
  request: Request<Id> | null = {},
): Called<Answer<Id>> {
  type State = { readonly data: Answer<Id> | undefined; readonly error: unknown; readonly isLoading: boolean }
  const [state, setState] = useState<State>({ data: undefined, error: undefined, isLoading: true })
  const [round, setRound] = useState(0)
  const key = JSON.stringify([id, request])
  const shown = useRef(key)
  const [meanwhile] = useState(() => new Meanwhile<Answer<Id>>())
  useEffect(() => {
    if (request === null) return setState({ data: undefined, error: undefined, isLoading: false })
    const abort = new AbortController()
    const isOther = shown.current !== key
    shown.current = key
    meanwhile.begin()
    setState(({ data }) => ({ data: isOther ? undefined : data, error: undefined, isLoading: true }))
    call(id, request, abort.signal).then(
      (answer) => {
        if (abort.signal.aborted) return
        setState({ data: meanwhile.end()(answer), error: undefined, isLoading: false })
      },
      (error) => {
        if (abort.signal.aborted) return
        meanwhile.end()
        // The last known data stays, and the page says that it is not known any more, until it is read again.
        setState(({ data }) => {
          const isKept = data !== undefined && isOutOfReach(error)
          return { data, error: isKept ? undefined : error, isLoading: false }
        })
      },
    )
    return () => abort.abort()
  }, [key, round])
  const reload = useCallback(() => setRound((before) => before + 1), [])
  useEffect(() => whenServerReturns(reload), [])
  const change = useCallback((next: (data: Answer<Id>) => Answer<Id>) => {
    meanwhile.add(next)
    setState((before) => {
      const data = before.data === undefined ? undefined : next(before.data)
      return data === before.data ? before : { ...before, data }
    })
  }, [])
  return { ...state, reload, change }
}
