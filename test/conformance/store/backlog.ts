import { organizationKey } from '../../../src/messages/list/conversation-rows.ts'
import type { Dialect } from '../../../src/store/store.ts'
import { keptKind, keptStatus } from '../../../src/store/tables/kept-message.ts'
import type { ObservedDatabase } from '../../kit/observed-plans.ts'

/** The number of deliveries for each webhook, and the present moment. */
const backlog = 12_000
export const now = 1_000_000_000

/** Rows besides texts that wait for nothing. */
function rareRows(series: (count: number) => string, dialect: Dialect['name']): string[] {
  return [
    // Some texts are held, and some wait to be tried again.
    ...[
      ['held', 2, 'held, due_at', '1, null'],
      ['due', 3, 'due_at', `${now * 2}`],
    ].flatMap(([name, instance, columns, values]) => [
      `insert into messages (id, instance, recipient, kind, status, text, created_at, expires_at)
       select 'msg_${name}_' || n, ${instance}, 'somebody' || (n % 50), ${keptKind('text')}, ${keptStatus('queued')}, 'Hello', 1, ${now * 3}
       from ${series(6_000)}`,
      `insert into outbox (seq, instance, recipient, expires_at, leads_lane, ${columns})
       select seq, instance, recipient, expires_at, 1, ${values} from messages where instance = ${instance}`,
    ]),
    `insert into message_files (message_id, organization_id, direction, fetch_at, voice)
     select 'msg_file_' || n, 'org_a', case when n % 2 = 0 then 'inbound' else 'outbound' end, case when n > ${backlog - 2_000} then ${now * 2} end, 0
     from ${series(backlog)}`,
    `insert into conversations (key, organization, last_seq)
     select ${dialect === 'sqlite' ? 'cast(n as blob)' : 'n::text::bytea'}, ${organizationKey('org_a')}, n from ${series(backlog)}`,
    `insert into audit (organization_id, number, id, created_at, action, result)
     select 'org_a', n, 'aud_' || n, n, 'createKey', 'done' from ${series(backlog)}`,
  ]
}

/** Stores the backlog. `series` is how the database counts from 1 to a number. */
export async function fill(database: ObservedDatabase, series: (count: number) => string): Promise<void> {
  const webhook = (id: string, ordering: string, batch: number) =>
    `insert into webhooks (id, organization_id, url, ordering, enabled, secret, begins_after, created_at, updated_at, batch, pending)
     values ('${id}', 'org_a', 'https://example.org/', '${ordering}', 1, '', 0, 0, 0, ${batch}, ${backlog})`
  const deliveries = (id: string, time = '1', batch = 'null') =>
    `insert into deliveries (id, organization_id, webhook_id, event_sequence, event_id, event_type, instance_name, status,
       next_attempt_at, created_at, batch_id)
     select 'dlv_${id}_' || n, 'org_a', '${id}', n, 'evt_' || n, 'message.sent', 'name' || (n % 3), 'pending', ${time}, 1, ${batch}
     from ${series(backlog)}`
  for (const sql of [
    `insert into organizations (id, name, created_at, last_audit, last_event, last_fanned_out, last_counted) values ('org_a', 'a', 0, ${backlog}, ${backlog}, ${backlog - 200}, ${backlog - 200})`,
    `insert into instances (id, organization_id, name, network, wanted, status, status_since, settings, credentials, metadata,
       created_at, updated_at, queue_depth) values ('inst_a', 'org_a', 'name0', 'sandbox', 'running', 'connected', 0, '{}', '', '{}', 0, 0, 20000)`,
    `insert into message_instances (instance_id, organization_id, instance_name) values ('inst_a', 'org_a', 'name0'), ('inst_held', 'org_a', 'held'), ('inst_due', 'org_a', 'due')`,
    `insert into events (organization_id, sequence, type, instance_name, created_at, data, message_seqs)
     select 'org_a', n, 'message.sent', 'name' || (n % 3), 1, '{}', '[' || n || ']' from ${series(backlog)}`,
    `insert into statistics (organization_id, span, instance_name, starts_at, counts)
     select 'org_a', 'hour', 'name' || (n % 3), n, '{}' from ${series(20_000)}`,
    webhook('wh_none', 'none', 1),
    webhook('wh_order', 'per_instance', 1),
    webhook('wh_batch', 'per_instance', 50),
    ...['wh_none', 'wh_order', 'wh_batch'].map((id) => deliveries(id)),
    // Most waits in batches whose first has its time later, and the last thousand was held back for an order that is no more.
    webhook('wh_loose', 'none', 50),
    deliveries(
      'wh_loose',
      `case when n % 50 = 0 and n <= ${backlog - 1_000} then ${now * 2} end`,
      `case when n <= ${backlog - 1_000} then 'bat_' || ((n + 49) / 50) end`,
    ),
    `insert into messages (id, instance, recipient, kind, status, text, created_at, expires_at)
     select 'msg_${'0'.repeat(21)}' || (10000 + n), 1, 'somebody' || (n % 50), ${keptKind('text')}, ${keptStatus('queued')}, 'Hello', 1, ${now * 2} from ${series(20_000)}`,
    `insert into outbox (seq, instance, recipient, expires_at, leads_lane, queue_position)
     select seq, instance, recipient, expires_at, case when seq <= 50 then 1 else 0 end, case when seq <= 50 then seq end
     from messages where instance = 1`,
    ...rareRows(series, database.session.dialect.name),
    `insert into service (name, value) values ('blocks_entered', '30')`,
    ...['id', 'somebody'].map(
      (name) =>
        `insert into contact_addresses (instance_id, organization_id, address, contact, wrote_at, told_at)
         select 'inst_a', 'org_a', '${name}' || n, 'id' || n, 1, 1 from ${series(20_000)}`,
    ),
    `insert into network_keys (instance_id, type, id, value, expires_at)
     select case when n > 19000 then 'inst_b' else 'inst_a' end, case when n % 2 = 0 then 'sent' else 'session' end, n, '',
       case when n % 2 = 0 then n end from ${series(20_000)}`,
  ])
    await database.execute(sql)
}
