import { idPattern } from '../../runtime/ids.ts'
import { operation, pageResponse } from '../operation.ts'
import { type AuditEntry, AuditPage } from '../resources/audit.ts'
import { callerMoment, InstanceName, paging, record } from '../scalars.ts'
import Type from '../type.ts'

/** An entry as the reference shows it. */
export const exampleEntry: AuditEntry = {
  id: 'aud_06fdw2p7d8sq1m5v2b9x4hyk6n',
  timestamp: '2026-11-20T10:15:00.000Z',
  actor: { kind: 'key', key: 'key_06fdw2n0q8me4t1c9z7rk5hsab', hint: 'phk_7h2k9x' },
  action: 'deleteInstance',
  target: 'support',
  instance: 'support',
  result: 'done',
  address: '203.0.113.7',
  request_id: 'req_06fdw2p7d3va6x0n8y2jm4kgts',
}

/** The filters of an audit log, and its pages. */
export const auditFilters = {
  actor: Type.Optional(
    Type.String({
      pattern: `^operator$|${idPattern('key')}`,
      description: 'Only actions of this key, by its id, or of the `operator`.',
      examples: ['key_06fdw2n0q8me4t1c9z7rk5hsab'],
    }),
  ),
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Only this action.',
      examples: ['deleteInstance'],
    }),
  ),
  instance: Type.Optional(InstanceName),
  since: Type.Optional(callerMoment('Only actions at or after this time.')),
  until: Type.Optional(callerMoment('Only actions before this time.')),
  ...paging,
}

export const listAudit = operation('GET /v1/audit', {
  id: 'listAudit',
  summary: 'Read the audit log',
  description:
    'Lists the changes that keys of your organization and the operator made, newest first: every operation that changes ' +
    'something, except sending, and every operator command that concerns your organization. It also lists requests that were ' +
    'refused because the key lacked a permission or because of a conflict; identical refusals of one key are listed once a ' +
    'minute. Entries are kept for 365 days, unless the operator chose otherwise. An entry must match all filters.',
  access: 'admin',
  query: record('ListAuditQuery', auditFilters),
  responses: {
    200: pageResponse('A page of the audit log.', AuditPage, [exampleEntry]),
  },
})

export const auditOperations = [listAudit] as const
