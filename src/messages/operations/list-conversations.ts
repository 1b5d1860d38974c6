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
} from '../list/conversation-list.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

export const listConversations = ({ store, searches, networks }: MessageOperationsContext) =>
  handler(operation, async ({ caller, query, signal, turn }) => {
    const { organizationId, instances: seen } = caller
    const before = idInCursor(query.cursor, 'msg')
    const filter = { organizationId, seen, instanceName: query.instance ?? null, before }
    const limit = query.limit ?? 50
    const data: Conversation[] = []
    const read = (goOn: ListedConversations['goOn']): Promise<ListedConversations> =>
      store.read(
        list,
        { ...filter, limit: limit - data.length, bytes: left, below: goOn?.below ?? null },
        turn,
      )
    let last: string | null = null
    let left = pageBytes
    for (let goOn: ListedConversations['goOn'] = null; ; ) {
      const place: ListedConversations['goOn'] = goOn
      const listed: ListedConversations = await searches.run(organizationId, () => read(place), signal)
      data.push(...listed.data.map((one) => shown(networks, one)))
      goOn = listed.goOn
      if (!goOn) return { status: 200, body: { data, next_cursor: null } }
      last = goOn.id ?? last
      if (data.length > 0) left = Math.max(0, left - listed.bytes)
      if (last !== null && (data.length === limit || (listed.isFull && data.length > 0)))
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
