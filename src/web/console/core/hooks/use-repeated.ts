import { useEffect } from 'preact/hooks'
import type { Answer, OperationId, Request } from '../operations.ts'
import { type Called, useCall } from './use-call.ts'

/** Calls an operation again and again while the page is seen, for what no event tells. `every` is the pause in milliseconds. */
export function useRepeated<Id extends OperationId>(
  id: Id,
  every: number,
  request: Request<Id> = {},
): Called<Answer<Id>> {
  const called = useCall(id, request)
  const { isLoading, reload } = called
  useEffect(() => {
    // One that takes long must not be ended by the next.
    if (isLoading) return
    const timer = setInterval(() => document.hidden || reload(), every)
    return () => clearInterval(timer)
  }, [isLoading])
  return called
}
