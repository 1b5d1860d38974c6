import { handler } from '../../contract/handler.ts'
import { listServerAudit as operation } from '../../contract/operations/operator/server-operations.ts'
import { writeCursor } from '../../runtime/text/cursor.ts'
import { listAuditOfAll } from '../audit-log.ts'
import { idOfOrganization, type OrganizationOperationsContext } from './context.ts'
import { auditFilterOf } from './list-audit.ts'

export const listServerAudit = ({ store }: OrganizationOperationsContext) =>
  handler(operation, async ({ query, turn }) => {
    const { organization: name } = query
    const organization = name === undefined ? null : await idOfOrganization(store, name, turn)
    const { entries, next } = await store.read(
      listAuditOfAll,
      { ...auditFilterOf(query), organization },
      turn,
    )
    return { status: 200, body: { data: entries, next_cursor: next === null ? null : writeCursor(next) } }
  })
