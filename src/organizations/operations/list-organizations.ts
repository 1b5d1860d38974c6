import { handler } from '../../contract/handler.ts'
import { listOrganizations as operation } from '../../contract/operations/organization-operations.ts'
import { keyInCursor } from '../../contract/page-cursor.ts'
import { slugPattern } from '../../runtime/ids.ts'
import { writeCursor } from '../../runtime/text/cursor.ts'
import { pageOfOrganizations } from '../organization-store.ts'
import { type OrganizationOperationsContext, showOrganizations } from './context.ts'

export const listOrganizations = (context: OrganizationOperationsContext) =>
  handler(operation, async ({ query, turn }) => {
    const after = keyInCursor(query.cursor, slugPattern)
    const { rows, more } = await context.store.read(
      pageOfOrganizations,
      { after, limit: query.limit ?? 50 },
      turn,
    )
    const last = rows.at(-1)
    const next_cursor = more && last ? writeCursor(last.name) : null
    return { status: 200, body: { data: await showOrganizations(context, rows, turn), next_cursor } }
  })
