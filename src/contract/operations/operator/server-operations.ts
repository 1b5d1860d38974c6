import type { Static } from 'typebox'
import { operation, pageResponse } from '../../operation.ts'
import { AuditEntry } from '../../resources/audit.ts'
import { id, moment, oneOf, orNull, page, record } from '../../scalars.ts'
import { instanceStatuses } from '../../statuses.ts'
import Type from '../../type.ts'
import { auditFilters, exampleEntry } from '../audit-operations.ts'
import { HealthStatus } from '../service-operations.ts'
import { type FindingCode, findingSeverities, serverFindings } from './findings.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const seconds = (description: string) => orNull(Type.Number({ minimum: 0, description }))

const listed = (Object.entries(serverFindings) as [FindingCode, { happened: string }][])
  .map(([code, { happened }]) => `\`${code}\`: ${happened}`)
  .join('\n- ')

const Finding = record(
  'ServerFinding',
  {
    code: Type.String({
      description: `What was found; there may be more codes in later versions.\n\n- ${listed}`,
      examples: ['disk_low'],
    }),
    severity: oneOf(findingSeverities, {
      title: 'FindingSeverity',
      description:
        '`critical`: the server does not do its work, or soon will not; `warning`: a person should act; `notice`: it is good to know.',
    }),
    happened: Type.String({ description: 'What was found, for the operator.' }),
    next: Type.String({ description: 'What the operator can do.' }),
    count: orNull(count('The number of things that it is about; null if that is none or one.')),
    since: orNull(moment('Since when, as far as that is known.')),
  },
  'Something that the operator should know, as `posthorn doctor` would say it.',
)
export type ServerFinding = Static<typeof Finding>

const Store = record(
  'ServerStore',
  {
    kind: oneOf(['sqlite', 'postgres'], { title: 'StoreKind', description: 'The database.' }),
    schema: orNull(Type.String({ description: 'The newest step of its schema.', examples: ['0001-schema'] })),
    bytes: orNull(count('Its size, with its indexes and the bytes of small files; null if it is not known.')),
    write_seconds: seconds('How long the last test write to the store took; null before the first.'),
    waiting_reads: count('Reads of this node that wait for their turn.'),
    waiting_writes: count('Writes of this node that wait for their turn.'),
  },
  'The database in which everything is kept.',
)

const Queue = record(
  'ServerQueue',
  {
    messages: count('Messages of all organizations that are `queued` or `sending`.'),
    oldest_seconds: seconds('For how long the oldest of them waits; null if there is none.'),
    overdue_seconds: seconds(
      'For how long the oldest message of a connected instance is due and not settled; null if there is none. Messages that are held, or wait for a file or for another message, do not count.',
    ),
    held: count('Messages that are held since the store was restored, until the operator decides.'),
  },
  'The messages that wait to be sent, of all organizations and nodes.',
)

const Webhooks = record(
  'ServerWebhooks',
  {
    pending: count('Deliveries that wait, of all webhooks that are enabled and not paused.'),
    oldest_seconds: seconds('For how long the oldest of them waits; null if there is none.'),
    failing: count('Enabled webhooks whose last attempt failed.'),
    disabled: count('Webhooks that Posthorn disabled.'),
  },
  'The webhooks of all organizations.',
)

const Workers = record(
  'ServerWorkers',
  {
    network: Type.String({ description: 'The network whose accounts they hold.', examples: ['whatsapp'] }),
    running: count('Processes that run.'),
    accounts: count('Accounts that they hold.'),
    ended: count(
      'Processes that ended unexpectedly since the node was started; their accounts were reconnected.',
    ),
  },
  'The worker processes of a node that hold the accounts of a network.',
)

const byStatus = Type.Unsafe<Record<string, number>>({
  type: 'object',
  title: 'InstancesByStatus',
  description: 'The instances that this node runs, by status.',
  properties: Object.fromEntries(instanceStatuses.map((status) => [status, { type: 'integer', minimum: 0 }])),
  additionalProperties: { type: 'integer', minimum: 0 },
})

/** The knowledge of one node about itself, and about what it shares with others. */
export const ServerHealth = record(
  'ServerHealth',
  {
    node: id('node', 'The node that responded, and that this is about.'),
    status: HealthStatus,
    checked_at: moment('When this was determined: a few seconds ago at most.'),
    findings: Type.Array(Finding, { description: 'The most severe first; empty if all is well.' }),
    version: Type.String({ description: 'The version of the program.', examples: ['1.0.0'] }),
    node_version: Type.String({ description: 'The version of Node.js.', examples: ['26.0.0'] }),
    started_at: moment('When the process was started.'),
    memory_bytes: count('The memory of the process, without its workers.'),
    store: Store,
    disk: orNull(
      record(
        'ServerDisk',
        { free_bytes: count('What may still be filled.'), size_bytes: count('Its size.') },
        'The disk of the data folder.',
      ),
    ),
    queue: orNull(Queue),
    webhooks: orNull(Webhooks),
    waiting_callbacks: orNull(count('Callbacks of networks that are stored and not handled.')),
    instances: byStatus,
    workers: Type.Array(Workers),
    nodes_running: count('Nodes that run on the store, as this one sees them. `GET /v1/nodes` lists them.'),
    last_backup_at: orNull(
      moment('When `posthorn backup` last succeeded; null if it never has, or if that is not known now.'),
    ),
  },
  'The health of a server. What could not be read in time is null.',
)
export type ServerHealth = Static<typeof ServerHealth>

const example: ServerHealth = {
  node: 'node_06fdw2n0q8me4t1c9z7rk5hsab',
  status: 'ok',
  checked_at: '2026-11-20T10:15:00.000Z',
  findings: [{ code: 'disk_low', ...serverFindings.disk_low, count: null, since: null }],
  version: '1.0.0',
  node_version: '26.0.0',
  started_at: '2026-11-20T09:30:00.000Z',
  memory_bytes: 121_634_816,
  store: {
    kind: 'sqlite',
    schema: '0007-marketing-defaults',
    bytes: 734_003_200,
    write_seconds: 0.004,
    waiting_reads: 0,
    waiting_writes: 1,
  },
  disk: { free_bytes: 3_221_225_472, size_bytes: 42_949_672_960 },
  queue: { messages: 12, oldest_seconds: 4.2, overdue_seconds: null, held: 0 },
  webhooks: { pending: 3, oldest_seconds: 0.8, failing: 0, disabled: 0 },
  waiting_callbacks: 0,
  instances: { connected: 11, reconnecting: 1 },
  workers: [{ network: 'whatsapp', running: 1, accounts: 4, ended: 0 }],
  nodes_running: 1,
  last_backup_at: '2026-11-20T03:00:00.000Z',
}

export const getServer = operation('GET /v1/server', {
  id: 'getServer',
  summary: 'Read the health of the server',
  description:
    'Returns the health of the node that responds: its problems, each with ' +
    'what to do, its store and disk, and its queues. The server examines itself at most once in five seconds, ' +
    'so the result may be that old.',
  access: 'operator',
  responses: { 200: { description: 'The health of the server.', body: ServerHealth, example } },
})

const ServerAuditEntry = record(
  'ServerAuditEntry',
  {
    ...AuditEntry.properties,
    organization: Type.String({
      description: 'The name of the organization in whose log it is.',
      examples: ['bakery'],
    }),
  },
  'An action in the audit log of an organization.',
)
export type ServerAuditEntry = Static<typeof ServerAuditEntry>

export const listServerAudit = operation('GET /v1/server/audit', {
  id: 'listServerAudit',
  summary: 'Read the audit logs of all organizations',
  description:
    'Lists the entries of the audit logs of all organizations, or of one, newest first, as `GET /v1/audit` does for the organization ' +
    'itself. An entry must match all filters.',
  access: 'operator',
  query: record('ListServerAuditQuery', {
    organization: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: 'Only the log of the organization with this name.',
        examples: ['bakery'],
      }),
    ),
    ...auditFilters,
  }),
  responses: {
    200: pageResponse('A page of the audit logs.', page('ServerAuditPage', ServerAuditEntry), [
      { ...exampleEntry, organization: 'bakery' },
    ]),
  },
  problems: ['organization_not_found'],
})

export const serverOperations = [getServer, listServerAudit] as const
