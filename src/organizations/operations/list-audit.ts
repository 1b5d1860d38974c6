import { handler } from '../../contract/handler.ts'
import { listAudit as operation } from '../../contract/operations/audit-operations.ts'
import { invalid } from '../../contract/problem.ts'
import { momentOf } from '../../runtime/clock.ts'
import { readCursor, writeCursor } from '../../runtime/text/cursor.ts'
import { type AuditFilter, listAudit as list } from '../audit-log.ts'
import type { OrganizationOperationsContext } from './context.ts'

export const listAudit = ({ store }: OrganizationOperationsContext) =>
  handler(operation, async ({ caller, query, turn }) => {
    const filter = { ...auditFilterOf(query), organization: caller.organizationId }
    const { entries, next } = await store.read(list, filter, turn)
    return { status: 200, body: { data: entries, next_cursor: next === null ? null : writeCursor(next) } }
  })

/** The filters of a request. */
interface GivenFilters {
  readonly actor?: string
  readonly action?: string
  readonly instance?: string
  readonly since?: string
  readonly until?: string
  readonly limit?: number
  readonly cursor?: string
}

/** Returns the filter that a request asks for. Throws the problem if its cursor comes from elsewhere. */
export function auditFilterOf(query: GivenFilters): Omit<AuditFilter, 'organization'> {
  return {
    actor: query.actor ?? null,
    action: query.action ?? null,
    instance: query.instance ?? null,
    since: query.since === undefined ? null : momentOf(query.since),
    until: query.until === undefined ? null : momentOf(query.until),
    limit: query.limit ?? 50,
    before: query.cursor === undefined ? null : numberIn(query.cursor),
  }
}

function numberIn(cursor: string): number {
  const number = readCursor(cursor, 'number')
  if (number !== undefined && number >= 0) return number
  throw invalid({
    pointer: 'query/cursor',
    code: 'wrong_form',
    detail: 'The cursor does not come from this list.',
  })
}
