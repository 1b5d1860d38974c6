import Type from 'typebox'
import { idPattern } from '../runtime/ids.ts'
import { type AuditEntry, AuditPage } from './audit.ts'
import { operation } from './operation.ts'
import { callerMoment, InstanceName, paging, record } from './scalars.ts'

const entry: AuditEntry = {
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

export const listAudit = operation({
  id: 'listAudit',
  method: 'GET',
  path: '/v1/audit',
  tag: 'Service',
  summary: 'Read the audit log',
  description:
    'Lists what the keys of your organization and the operator changed, the newest first: every operation that changes something ' +
    'but sending, and every command that is about your organization. What a key was refused for want of a right, or because of ' +
    'what was there, is listed as well, the same for one key once a minute. Entries are kept for 365 days, if the operator did ' +
    'not choose otherwise. The filters add up.',
  access: 'admin',
  query: record('ListAuditQuery', {
    actor: Type.Optional(
      Type.String({
        pattern: `^operator$|${idPattern('key')}`,
        description: 'Only what this key did, by its id, or `operator`.',
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
    since: Type.Optional(callerMoment('Only what was done then or later.')),
    until: Type.Optional(callerMoment('Only what was done before that.')),
    ...paging,
  }),
  replies: {
    200: {
      description: 'A page of the audit log.',
      body: AuditPage,
      example: { data: [entry], next_cursor: null },
    },
  },
  problems: [],
})

export const auditOperations = [listAudit] as const
