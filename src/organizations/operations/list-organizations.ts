import { handler } from '../../contract/handler.ts'
import { listOrganizations as operation } from '../../contract/operations/organization-operations.ts'
import { keyInCursor } from '../../contract/page-cursor.ts'
import { slugPattern } from '../../runtime/ids.ts'
import { writeCursor } from '../../runtime/text/cursor.ts'
import { renderOrganization } from '../organization.ts'
import { pageOfOrganizations } from '../organization-store.ts'
import type { OrganizationOperationsContext } from './context.ts'

export const listOrganizations = ({ store, quotas }: OrganizationOperationsContext) =>
  handler(operation, async ({ query, turn }) => {
    const after = keyInCursor(query.cursor, slugPattern)
    const { rows, more } = await store.read(pageOfOrganizations, { after, limit: query.limit ?? 50 }, turn)
    const last = rows.at(-1)
    const next_cursor = more && last ? writeCursor(last.name) : null
    return { status: 200, body: { data: rows.map((row) => renderOrganization(row, quotas)), next_cursor } }
  })
