import { sql as raw } from 'kysely'
import { type Schema, tables } from '../../schema.ts'
import { type Compilable, rawSql } from '../../statement.ts'
import type { Step } from '../step.ts'

/** The organization whose caller reads; no row is of null, which it is without one. */
const ours = "current_setting('posthorn.organization', true)"

const ofOrganization = `organization_id = ${ours}`
/*
 * A value that is not null. PostgreSQL would answer `exists` for a whole table at once, in each statement; and of other conditions on the result
 * it expects that they hold for few rows, so that it would sort what an index has in order.
 */
const ofMessageInstance = (column: string) =>
  `(select number from message_instances where number = ${column} and ${ofOrganization}) is not null`
/** Lets through what the wall of the other table does: PostgreSQL applies that in here, too. */
export const ofRow = (table: string, key: string, column: string) =>
  `(select ${key} from ${table} where ${table}.${key} = ${column}) is not null`

/** Tables that later steps make. */
type LaterTable = 'marketing_choices' | 'known_templates' | 'webhook_hours' | 'rate_use'

const isFirst = (table: string): table is keyof typeof walls => Object.hasOwn(walls, table)

/**
 * The rows of each table that a read in the turn of an organization may see, as PostgreSQL has it checked beside the conditions of the
 * query (docs/decisions/0084). Null for a table that no such read may touch.
 */
const walls: Readonly<Record<Exclude<keyof Schema, LaterTable>, string | null>> = {
  organizations: `id = ${ours}`,
  api_keys: ofOrganization,
  audit: ofOrganization,
  idempotency: ofOrganization,
  statistics: ofOrganization,
  queue_depths: ofOrganization,
  // Lists ask for the first block that is not entered; the other facts are secrets and duties of the server.
  service: "name = 'blocks_entered'",
  // Nodes, and what they ask each other.
  nodes: null,
  duties: null,
  asks: null,
  // Read before it is known whose they are.
  sessions: null,
  sign_in_codes: null,
  instances: ofOrganization,
  instance_labels: ofOrganization,
  callbacks: ofOrganization,
  kept_parts: ofRow('instances', 'id', 'kept_parts.instance_id'),
  contact_addresses: ofOrganization,
  network_keys: ofRow('instances', 'id', 'network_keys.instance_id'),
  link_pages: ofOrganization,
  message_instances: ofOrganization,
  messages: ofMessageInstance('messages.instance'),
  outbox: ofMessageInstance('outbox.instance'),
  message_attempts: ofRow('messages', 'seq', 'message_attempts.message_seq'),
  // Digests, and numbers of messages: they lead to nothing that the wall of `messages` does not let through.
  message_index: 'true',
  conversations: 'true',
  message_files: ofOrganization,
  media: ofOrganization,
  media_uses: ofRow('media', 'id', 'media_uses.media_id'),
  small_files: ofRow('media', 'id', 'small_files.media_id'),
  // That of the next step.
  media_chunks: null,
  events: ofOrganization,
  epoch_starts: ofOrganization,
  webhooks: ofOrganization,
  deliveries: ofOrganization,
  delivery_attempts: ofRow('deliveries', 'seq', 'delivery_attempts.delivery_seq'),
}

/**
 * The statements that put up the walls, and the view of all messages by which lists find their place among the numbers (see
 * `messages/list/list-place.ts`): its owner's rights count, so there is no wall in it. Only PostgreSQL has them.
 */
export function wallsOf(step: Step): Compilable<unknown>[] {
  if (step.dialect.name !== 'postgres') return []
  const walled = Object.keys(tables)
    .filter(isFirst)
    .flatMap((table) => wallAround(table, walls[table]))
  return [...walled, 'create view message_places as select seq, id from messages'].map(stated(step))
}

/** The statements that put up the wall around a table that a later step makes; without a condition, rows name their organization. */
export function wallOfLater(
  step: Step,
  table: LaterTable,
  condition: string | null = ofOrganization,
): Compilable<unknown>[] {
  return step.dialect.name === 'postgres' ? wallAround(table, condition).map(stated(step)) : []
}

function wallAround(table: string, condition: string | null): string[] {
  const policy = `create policy callers on ${table} for select using (${condition})`
  return [`alter table ${table} enable row level security`, ...(condition === null ? [] : [policy])]
}

const stated = (step: Step) => (text: string) => ({ compile: () => raw`${rawSql(text)}`.compile(step.sql) })
