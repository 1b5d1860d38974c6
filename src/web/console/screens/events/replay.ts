import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import type { LiveEvent } from '../../core/live.ts'
import type { Request } from '../../core/operations.ts'
import { Copyable } from '../../parts/copy.ts'
import { Failure } from '../../parts/failure.ts'
import { MoreButton } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import { EventTable } from './event-table.ts'

interface ReplayProps {
  /** The cursor to begin behind; `oldest` for the oldest event that is kept. */
  readonly after: string
  readonly types: string
  readonly instances: string
}

const eventsOnPage = 100

/** The feed from a cursor on, oldest first, a page at a time. */
export function Replay({ after, types, instances }: ReplayProps) {
  const [events, setEvents] = useState<readonly LiveEvent[]>([])
  const [cursor, setCursor] = useState(after === 'oldest' ? undefined : after)
  const [isAtEnd, setAtEnd] = useState(false)
  const [isLoading, setLoading] = useState(true)
  const [error, setError] = useState<unknown>()
  const isRead = events.length > 0 || isAtEnd
  const read = async () => {
    setLoading(true)
    setError(undefined)
    const query = { limit: eventsOnPage, after: cursor, types, instances } as unknown
    try {
      const page = await call('listEvents', { query: query as NonNullable<Request<'listEvents'>['query']> })
      setEvents((before) => [...before, ...(page.data as readonly LiveEvent[])])
      setAtEnd(page.next_cursor === cursor || page.data.length === 0)
      setCursor(page.next_cursor)
    } catch (refusal) {
      setError(refusal)
    }
    setLoading(false)
  }
  useEffect(() => void read(), [])
  return h(
    'section',
    null,
    h(EventTable, { events }),
    h(Failure, { error, onRetry: read }),
    // The button that reads on stays, so that it keeps the focus.
    isLoading && !isRead && h('p', { class: 'loading', role: 'status' }, say('everywhere.loading')),
    isAtEnd && h('p', { class: 'hint' }, say('events.read_to_here')),
    cursor !== undefined && h('p', null, h(Copyable, { text: cursor })),
    isRead && h(MoreButton, { isLoading, onMore: read, text: say('events.more') }),
  )
}
