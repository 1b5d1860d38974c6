import { handler } from '../../contract/handler.ts'
import { listContacts as operation } from '../../contract/operations/conversation-operations.ts'
import { keyInCursor } from '../../contract/page-cursor.ts'
import { Problem } from '../../contract/problem.ts'
import { networksWithPictures } from '../../networks/driver/registry.ts'
import { writeCursor } from '../../runtime/text/cursor.ts'
import { type ListedContacts, listContacts as list } from '../people/contact-list.ts'
import type { MessageOperationsContext } from '../sending/context.ts'

/** Reads after which a search responds with what it has found. */
const readsAtOnce = 16
/** Any address of any network. */
const anyAddress = '^[^\\0]{1,1024}$'

export const listContacts = ({ store, networks, searches }: MessageOperationsContext) =>
  handler(operation, async ({ caller, params, query, signal, turn }) => {
    const { organizationId } = caller
    const limit = query.limit ?? 50
    const search = query.search ?? null
    const withPictures = networksWithPictures(networks)
    const data: ListedContacts['data'] = []
    let after = keyInCursor(query.cursor, anyAddress) ?? ''
    for (let reads = 1; ; reads++) {
      const place = { organizationId, instanceName: params.name, withPictures }
      const asked = { ...place, search, after, limit: limit - data.length }
      const listed = await searches.run(organizationId, () => store.read(list, asked, turn), signal)
      if (!listed) throw new Problem('instance_not_found')
      const driver = networks.get(listed.network)
      data.push(...listed.data.filter(({ address }) => !driver?.isGroup?.(address)))
      if (listed.goOn === null) return { status: 200, body: { data, next_cursor: null } }
      after = listed.goOn
      if (data.length >= limit || reads === readsAtOnce)
        return { status: 200, body: { data, next_cursor: writeCursor(after) } }
    }
  })
