import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import type { Pages } from '../../core/hooks/use-pages.ts'
import type { useStretch } from '../../core/hooks/use-stretch.ts'
import { elementOf, showMessage } from './bubble.ts'
import { type Entry, keyOfEntry } from './log-entries.ts'

/** Messages that are read to find the one that is sought: twenty pages. One further back is shown by itself only. */
const maxRead = 1_000
/** Messages that are shown above it, if there are as many. */
const shownAbove = 5

interface Log {
  readonly pages: Pages<Message>
  readonly entries: readonly Entry[]
  readonly stretch: ReturnType<typeof useStretch<Entry>>
  /** Keeps the place to which the log was moved. */
  readonly stayHere: () => void
  readonly goToEnd: () => void
}

interface Search {
  /** The entry that shows the message, once it is in view. */
  readonly key: string | undefined
  /** The id of the message, if it was not found among the newest ones. */
  readonly missed: string | undefined
}

/**
 * Reads a conversation back to a message, and moves there: once for each `id`. What it was folded into counts as the message, for
 * example what it corrects.
 */
export function useSought(id: string | undefined, { pages, entries, stretch, ...log }: Log): Search {
  const { items, isRead, isLoading, hasMore, error, more } = pages
  const done = useRef<string>(undefined)
  const [missed, setMissed] = useState<string>()
  const place = id === undefined ? -1 : entries.findIndex((entry) => isAbout(entry, id))
  const entry = entries[place]
  const key = entry && keyOfEntry(entry)
  const mayRead = hasMore && items.length < maxRead
  const isThere = key !== undefined && (place >= shownAbove || !mayRead)
  useEffect(() => {
    if (id === undefined || done.current === id || isThere) return
    if (!isRead || isLoading || error !== undefined) return
    if (mayRead) return more()
    done.current = id
    setMissed(id)
    log.goToEnd()
  })
  useLayoutEffect(() => {
    if (!isThere || done.current === id) return
    const element = elementOf(key)
    if (!element) return stretch.goTo(key)
    done.current = id
    showMessage(element)
    log.stayHere()
  })
  return { key: isThere ? key : undefined, missed: missed === id ? missed : undefined }
}

function isAbout(entry: Entry, id: string): boolean {
  if ('change' in entry) return false
  const { message, correction, retraction } = entry
  return [message, correction, retraction].some((each) => each?.id === id)
}
