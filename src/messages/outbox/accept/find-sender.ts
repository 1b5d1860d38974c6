import { statement } from '../../../store/statement.ts'
import { briefRead } from '../../../store/store.ts'

const selectSender = statement<{ organization: string; name: string }>()((sql, argument) =>
  sql
    .selectFrom('instances')
    .select(['id', 'network', 'settings'])
    .where('organization_id', '=', argument('organization'))
    .where('name', '=', argument('name')),
)

/** Returns what a message needs to know of the instance that it is to leave through. */
export const findSender = briefRead(
  'messages.sender',
  async (reader, args: { organization: string; name: string }) => {
    return (await reader.first(selectSender, args)) ?? null
  },
)
