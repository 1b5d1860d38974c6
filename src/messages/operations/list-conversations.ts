import { handler } from '../../contract/handler.ts'
import { listConversations as operation } from '../../contract/operations/conversation-operations.ts'
import { idInCursor } from '../../contract/page-cursor.ts'
import type { Conversation } from '../../contract/resources/conversation.ts'
import type { Networks } from '../../networks/driver/registry.ts'
import { writeCursor } from '../../runtime/text/cursor.ts'
import { pageBytes } from '../../store/page.ts'
import { pictureUrl } from '../contacts/picture-url.ts'
import {
  type ListedConversation,
  type ListedConversations,
  listConversations as list,
} from '../list/conversations/conversation-list.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

/** Reads after which a call that searches responds with what it has found. */
const maxReads = 4

export const listConversations = ({ store, searches, networks }: MessageOperationsContext) =>
  handler(operation, async ({ caller, query, signal, turn }) => {
    const { organizationId, instances: seen } = caller
    const before = idInCursor(query.cursor, 'msg')
    const { search = null, kind, unread: isUnread = false, limit = 50 } = query
    const filter = { organizationId, seen, search, isUnread, instanceName: query.instance ?? null, before }
    const isSearch = search !== null || kind !== undefined || isUnread
    const data: Conversation[] = []
    const read = (goOn: ListedConversations['goOn']): Promise<ListedConversations> =>
      store.read(
        list,
        { ...filter, limit: limit - data.length, bytes: left, below: goOn?.below ?? null },
        turn,
      )
    let last: string | null = null
    let left = pageBytes
    let reads = 0
    for (let goOn: ListedConversations['goOn'] = null; ; ) {
      const place: ListedConversations['goOn'] = goOn
      const listed: ListedConversations = await searches.run(organizationId, () => read(place), signal)
      const all = listed.data.map((one) => shown(networks, one))
      data.push(...all.filter((one) => kind === undefined || one.kind === kind))
      reads += 1
      goOn = listed.goOn
      if (!goOn) return { status: 200, body: { data, next_cursor: null } }
      last = goOn.id ?? last
      if (data.length > 0) left = Math.max(0, left - listed.bytes)
      const isEnough = data.length === limit || (listed.isFull && data.length > 0)
      if (last !== null && (isEnough || (isSearch && reads >= maxReads)))
        return { status: 200, body: { data, next_cursor: writeCursor(last) } }
    }
  })

/** The conversation as callers see it: only the driver of its network can tell a group from a person. */
function shown(networks: Networks, { network, conversation }: ListedConversation): Conversation {
  const { instance, conversation: address } = conversation
  const driver = network === null ? undefined : networks.get(network)
  const kind = driver && (driver.isGroup?.(address) ? 'group' : 'person')
  const picture_url = driver?.abilities.pictures ? pictureUrl(instance, address) : null
  return { ...conversation, kind: kind ?? null, picture_url }
}
