import { type Caller, handler } from '../../contract/handler.ts'
import type { QueryOf } from '../../contract/operation.ts'
import { listMessages as operation } from '../../contract/operations/message-operations.ts'
import { idInCursor } from '../../contract/page-cursor.ts'
import type { Networks } from '../../networks/driver/registry.ts'
import { momentOf } from '../../runtime/clock.ts'
import { writeCursor } from '../../runtime/text/cursor.ts'
import { pageBytes } from '../../store/page.ts'
import { isRare, type MessageFilter } from '../list/message-filter.ts'
import { type Listed, listMessages as list } from '../list/message-list.ts'
import { spellingsOf } from '../people/asked-person.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

/** Rows after which a call responds with what it has found: about 50 ms of work. */
const enoughLooked = 16_000
/** Rows that a read counts as, at least. */
const leastLooked = 64

export const listMessages = ({ store, searches, networks }: MessageOperationsContext) =>
  handler(operation, async ({ caller, query, signal, turn }) => {
    const before = idInCursor(query.cursor, 'msg')
    const filter = filterOf(networks, caller, query)
    const limit = query.limit ?? 50
    const data: Listed['data'] = []
    const read = (place: Listed['goOn']) =>
      store.read(list, { ...filter, limit: limit - data.length, bytes: left, before, place }, turn)
    // Each read is short, and searches take turns, so that no search delays another caller.
    const next = (place: Listed['goOn']) =>
      isRare(filter) ? searches.run(caller.organizationId, () => read(place), signal) : read(place)
    let last: string | null = null
    let left = pageBytes
    let looked = 0
    for (let place: Listed['goOn'] = null; ; ) {
      const listed: Listed = await next(place)
      data.push(...listed.data)
      place = listed.goOn
      if (!place) return { status: 200, body: { data, next_cursor: null } }
      last = place.id ?? last
      left = Math.max(0, left - listed.bytes)
      looked += Math.max(leastLooked, listed.looked)
      if (last !== null && (data.length === limit || listed.isFull || looked >= enoughLooked))
        return { status: 200, body: { data, next_cursor: writeCursor(last) } }
    }
  })

type Filters = Omit<QueryOf<typeof operation>, 'limit' | 'cursor'>

/** The messages that a caller asks for. */
export function filterOf(networks: Networks, caller: Caller, asked: Filters): MessageFilter {
  const spelled = (address: string | undefined) =>
    address === undefined ? null : spellingsOf(networks, address)
  const moment = (written: string | undefined) => (written === undefined ? null : momentOf(written))
  return {
    organizationId: caller.organizationId,
    instanceName: asked.instance ?? null,
    seen: caller.instances,
    status: asked.status ?? null,
    direction: asked.direction ?? null,
    kind: asked.kind ?? null,
    conversation: spelled(asked.conversation),
    to: spelled(asked.to),
    clientRef: asked.client_ref ?? null,
    createdAfter: moment(asked.created_after),
    createdBefore: moment(asked.created_before),
    text: asked.text ?? null,
  }
}
