import { handler } from '../../contract/handler.ts'
import { listInstances as operation } from '../../contract/instance-operations.ts'
import { invalid } from '../../contract/problem.ts'
import { readCursor, writeCursor } from '../../runtime/cursor.ts'
import { renderInstance } from '../instance.ts'
import type { InstanceOperationsContext } from './context.ts'

/** What a name can be made of; no other text may reach the store. */
const isName = /^[a-z0-9_-]+$/

export const listInstances = ({ reader }: InstanceOperationsContext) =>
  handler(operation, async ({ caller, query }) => {
    const after = query.cursor === undefined ? null : readCursor(query.cursor, 'string')
    if (after === undefined || (after !== null && !isName.test(after))) {
      throw invalid({
        pointer: 'query/cursor',
        code: 'wrong_form',
        detail: 'The cursor is not one that a page gave.',
      })
    }
    const { readings, more } = await reader.list({
      organizationId: caller.organizationId,
      status: query.status ?? null,
      network: query.network ?? null,
      limit: query.limit ?? 50,
      after,
    })
    const last = readings.at(-1)
    return {
      status: 200,
      body: {
        data: readings.map(renderInstance),
        next_cursor: more && last ? writeCursor(last.row.name) : null,
      },
    }
  })
