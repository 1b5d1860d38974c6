import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { call } from './api.ts'
import type { Answer, OperationId, Request } from './operations.ts'

interface Page<T> {
  readonly data: readonly T[]
  readonly next_cursor: string | null
}

/** The operations that answer with pages. */
export type ListId = { [Id in OperationId]: Answer<Id> extends Page<unknown> ? Id : never }[OperationId]
export type ItemOf<Id extends ListId> = Answer<Id> extends Page<infer T> ? T : never

/** The items of a list that were read so far. */
export interface Pages<T> {
  readonly items: readonly T[]
  readonly error: unknown
  readonly isLoading: boolean
  /** True once at least one page has come. */
  readonly isRead: boolean
  readonly hasMore: boolean
  readonly more: () => void
  readonly reload: () => void
  /** Changes what is shown, for example by an event. It is done again to what the server is just being asked for. */
  readonly change: (next: (items: readonly T[]) => readonly T[]) => void
}

/** How many pages without a single match are asked for before the person decides whether to go on. */
const emptyPages = 20

/**
 * Reads a list page by page. Pages may be empty although there are more, because the server bounds its work: those are passed
 * over. A request that changes begins anew.
 */
export function usePages<Id extends ListId>(id: Id, request: Request<Id> = {}): Pages<ItemOf<Id>> {
  type Item = ItemOf<Id>
  const start = { items: [] as readonly Item[], cursor: null as string | null, isRead: false }
  const [state, setState] = useState({ ...start, error: undefined as unknown, isLoading: true })
  const [round, setRound] = useState(0)
  const running = useRef<AbortController>(undefined)
  const meanwhile = useRef<((items: readonly Item[]) => readonly Item[])[]>(undefined)
  const key = JSON.stringify([id, request])

  const read = async (after: string | null) => {
    running.current?.abort()
    const abort = new AbortController()
    running.current = abort
    meanwhile.current = []
    setState((known) => ({ ...known, isLoading: true, error: undefined }))
    try {
      const page = await nextPage(id, request, after, abort.signal)
      if (abort.signal.aborted) return
      // What changed since the server was asked may not be in its answer yet.
      const changes = meanwhile.current ?? []
      meanwhile.current = undefined
      setState(({ items }) => ({
        items: changes.reduce<readonly Item[]>(
          (known, next) => next(known),
          [...(after === null ? [] : items), ...(page.data as readonly Item[])],
        ),
        cursor: page.next_cursor,
        isRead: true,
        error: undefined,
        isLoading: false,
      }))
    } catch (error) {
      if (abort.signal.aborted) return
      // Nothing is being asked for, so nothing is kept for its answer.
      meanwhile.current = undefined
      setState((known) => ({ ...known, error, isLoading: false }))
    }
  }

  useEffect(() => {
    read(null)
    return () => running.current?.abort()
  }, [key, round])

  return {
    items: state.items,
    error: state.error,
    isLoading: state.isLoading,
    isRead: state.isRead,
    hasMore: state.cursor !== null,
    more: () => void read(state.cursor),
    reload: useCallback(() => setRound((before) => before + 1), []),
    change: useCallback((next: (items: readonly Item[]) => readonly Item[]) => {
      meanwhile.current?.push(next)
      setState((known) => ({ ...known, items: next(known.items) }))
    }, []),
  }
}

async function nextPage<Id extends ListId>(
  id: Id,
  request: Request<Id>,
  after: string | null,
  signal: AbortSignal,
): Promise<Page<unknown>> {
  let cursor = after
  for (let read = 1; ; read++) {
    const query = Object.assign({}, request.query, cursor === null ? {} : { cursor })
    const page = (await call(id, { ...request, query } as Request<Id>, signal)) as Page<unknown>
    if (page.data.length > 0 || page.next_cursor === null || read === emptyPages) return page
    cursor = page.next_cursor
  }
}
