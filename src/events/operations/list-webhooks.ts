import { handler } from '../../contract/handler.ts'
import { listWebhooks as operation } from '../../contract/operations/webhook-operations.ts'
import { idInCursor } from '../../contract/page-cursor.ts'
import { writeCursor } from '../../runtime/text/cursor.ts'
import type { EventContext } from '../context.ts'
import { renderWebhook } from '../webhook.ts'
import { listWebhooks as list } from '../webhook-store.ts'

export const listWebhooks = ({ store, deliverer }: EventContext) =>
  handler(operation, async ({ caller, query, turn }) => {
    const after = idInCursor(query.cursor, 'wh')
    const { rows, more } = await store.read(
      list,
      {
        organization: caller.organizationId,
        limit: query.limit ?? 50,
        after,
      },
      turn,
    )
    const last = rows.at(-1)
    const next_cursor = more && last ? writeCursor(last.id) : null
    return {
      status: 200,
      body: { data: rows.map((row) => renderWebhook(row, deliverer.rateOf(row.id))), next_cursor },
    }
  })
