import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../api.ts'
import { Meanwhile } from '../meanwhile.ts'
import type { Answer, OperationId, Request } from '../operations.ts'
import { whenServerReturns } from '../reach/reach.ts'

interface Page<T> {
  readonly data: readonly T[]
  readonly next_cursor: string | null
}

/** The operations that respond with pages. */
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
  readonly change: (next: Change<T>) => void
  /** True once changes have added so many items that the list must be read again before they add more. */
  readonly isFull: boolean
}

/** Makes the new items of the old ones. `hasMore` says that older ones follow that were not read. */
export type Change<T> = (items: readonly T[], hasMore: boolean) => readonly T[]

interface Known<T> {
  readonly items: readonly T[]
  readonly cursor: string | null
}

/** Items that changes may add to those that were read: a tab may stay open for days. */
const maxAdded = 300
/** Pages without a single match that are read before the person decides about going on. */
const emptyPages = 20

/**
 * Reads a list page by page. Pages may be empty although there are more, because the server bounds its work: those are passed
 * over. A request that changes begins anew.
 */
export function usePages<Id extends ListId>(id: Id, request: Request<Id> = {}): Pages<ItemOf<Id>> {
  type Item = ItemOf<Id>
  const start = { items: [] as readonly Item[], cursor: null as string | null, read: 0, isRead: false }
  const [state, setState] = useState({ ...start, error: undefined as unknown, isLoading: true })
  const [round, setRound] = useState(0)
  const running = useRef<AbortController>(undefined)
  const [meanwhile] = useState(() => new Meanwhile<Known<Item>>())
  const key = JSON.stringify([id, request])

  const read = async (after: string | null) => {
    running.current?.abort()
    const abort = new AbortController()
    running.current = abort
    meanwhile.begin()
    setState((known) => ({ ...known, isLoading: true, error: undefined }))
    try {
      const page = await nextPage(id, request, after, abort.signal)
      if (abort.signal.aborted) return
      const data = page.data as readonly Item[]
      const settled = { isRead: true, error: undefined, isLoading: false }
      const finish = meanwhile.end()
      setState(({ items, read }) => {
        const isFirst = after === null
        const known = { items: [...(isFirst ? [] : items), ...data], cursor: page.next_cursor }
        return { ...finish(known), read: (isFirst ? 0 : read) + data.length, ...settled }
      })
    } catch (error) {
      if (abort.signal.aborted) return
      meanwhile.end()
      setState((known) => ({ ...known, error, isLoading: false }))
    }
  }

  useEffect(() => {
    read(null)
    return () => running.current?.abort()
  }, [key, round])
  const reload = useCallback(() => setRound((before) => before + 1), [])
  useEffect(() => whenServerReturns(reload), [])

  return {
    items: state.items,
    error: state.error,
    isLoading: state.isLoading,
    isRead: state.isRead,
    hasMore: state.cursor !== null,
    more: () => void read(state.cursor),
    reload,
    change: useCallback((next: Change<Item>) => {
      const change = <K extends Known<Item>>(known: K): K => {
        const items = next(known.items, known.cursor !== null)
        return items === known.items ? known : { ...known, items }
      }
      meanwhile.add(change)
      setState(change)
    }, []),
    isFull: state.items.length - state.read >= maxAdded,
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
