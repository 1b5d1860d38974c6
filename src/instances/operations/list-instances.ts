import { handler } from '../../contract/handler.ts'
import { listInstances as operation } from '../../contract/operations/instance-operations.ts'
import { keyInCursor } from '../../contract/page-cursor.ts'
import { writeCursor } from '../../runtime/cursor.ts'
import { type InstanceOperationsContext, showInstance } from './context.ts'

/** What a name can be made of. */
const anyName = '^[a-z0-9_-]+$'

export const listInstances = (context: InstanceOperationsContext) =>
  handler(operation, async ({ caller, query }) => {
    const { reader } = context
    const after = keyInCursor(query.cursor, anyName)
    const { readings, more } = await reader.list({
      organizationId: caller.organizationId,
      status: query.status ?? null,
      network: query.network ?? null,
      seen: caller.instances,
      limit: query.limit ?? 50,
      after,
    })
    const last = readings.at(-1)
    return {
      status: 200,
      body: {
        data: readings.map((reading) => showInstance(context, caller, reading)),
        next_cursor: more && last ? writeCursor(last.row.name) : null,
      },
    }
  })
