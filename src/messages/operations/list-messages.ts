import { handler } from '../../contract/handler.ts'
import { listMessages as operation } from '../../contract/operations/message-operations.ts'
import { idInCursor } from '../../contract/page-cursor.ts'
import type { Store } from '../../store/store.ts'
import { listMessages as list, type MessageFilter, type MessagePage } from '../message-list.ts'
import type { MessageOperationsContext } from './context.ts'

export const listMessages = ({ store }: MessageOperationsContext) =>
  handler(operation, async ({ caller, query }) => {
    const before = idInCursor(query.cursor, 'msg')
    const { to = null, conversation = null, direction = null } = query
    const body = await firstPage(store, {
      organizationId: caller.organizationId,
      instanceName: query.instance ?? null,
      seen: caller.instances,
      status: query.status ?? null,
      direction,
      conversation,
      to,
      clientRef: query.client_ref ?? null,
      limit: query.limit ?? 50,
      before,
      below: null,
    })
    return { status: 200, body }
  })

/** Reads until there is a page. Each read is short, so that a list of rare and old messages delays nobody else. */
async function firstPage(store: Store, filter: MessageFilter): Promise<MessagePage> {
  const listed = await store.read(list, filter)
  return 'page' in listed ? listed.page : firstPage(store, { ...filter, below: listed.goOnBelow })
}
