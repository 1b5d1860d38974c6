import { useEffect, useRef, useState } from 'preact/hooks'
import { call, isOutOfReach } from '../../core/api.ts'
import type { ItemOf } from '../../core/hooks/use-pages.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { instanceIn, messageIn, useLive } from '../../core/live.ts'
import { whenServerReturns } from '../../core/reach/reach.ts'

type Instance = ItemOf<'listInstances'>

/** The part of an instance that the overview keeps: there may be ten thousand. */
export type Kept = Pick<Instance, 'id' | 'name' | 'status' | 'action' | 'reason' | 'restriction' | 'queue'>

export interface Instances {
  readonly all: readonly Kept[]
  /** True if all were read. */
  readonly isRead: boolean
  readonly error: unknown
  readonly reload: () => void
}

const pageSize = 200
/** Queues are read again as messages move if that is one request, and at most once in so many milliseconds. */
const queueDelay = 3_000

/** All instances, read page by page, and kept current by events. */
export function useInstances(): Instances {
  const [known, setKnown] = useState<ReadonlyMap<string, Kept>>(new Map())
  const [state, setState] = useState<{ isRead: boolean; error?: unknown }>({ isRead: false })
  const [round, setRound] = useState(0)
  const running = useRef<AbortController>(undefined)
  const reload = () => setRound((before) => before + 1)
  useEffect(() => {
    const abort = new AbortController()
    running.current = abort
    readAll(abort.signal, setKnown).then(
      () => setState({ isRead: true }),
      (error) => {
        if (abort.signal.aborted) return
        // Known instances stay until the server is back, which has them read again.
        setState((before) => (before.isRead && isOutOfReach(error) ? before : { isRead: false, error }))
      },
    )
    return () => abort.abort()
  }, [round])
  useEffect(() => whenServerReturns(reload), [])
  const readQueues = useSoon(() => known.size <= pageSize && reload(), queueDelay)
  useLive((event) => {
    if (messageIn(event)) readQueues()
    const instance = instanceIn(event)
    if (!instance) return
    setKnown((before) => {
      const after = new Map(before)
      if (event.type === 'instance.deleted') after.delete(instance.id)
      else after.set(instance.id, keptOf({ queue: emptyQueue, ...before.get(instance.id), ...instance }))
      return after
    })
  }, reload)
  return { all: [...known.values()], reload, isRead: state.isRead, error: state.error }
}

/** A new instance has nothing to send. */
const emptyQueue = { depth: 0, oldest_at: null }

async function readAll(
  signal: AbortSignal,
  show: (change: (before: ReadonlyMap<string, Kept>) => ReadonlyMap<string, Kept>) => void,
): Promise<void> {
  const read = new Map<string, Kept>()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }
    const page = await call('listInstances', { query }, signal)
    if (signal.aborted) return
    for (const instance of page.data) read.set(instance.id, keptOf(instance))
    cursor = page.next_cursor
    // Each instance that was known before stays until it was read again, or was not found.
    show((before) => new Map([...(cursor === null ? [] : before), ...read]))
  }
}

function keptOf({ id, name, status, action, reason, restriction, queue }: Kept): Kept {
  return { id, name, status, action, reason, restriction, queue }
}

/** Returns the instance whose queue has waited the longest; undefined if nothing waits. */
export function oldestQueue(instances: readonly Kept[]): Kept | undefined {
  return instances.reduce<Kept | undefined>((found, each) => {
    const { oldest_at } = each.queue
    return oldest_at !== null && (!found || oldest_at < (found.queue.oldest_at ?? '')) ? each : found
  }, undefined)
}
