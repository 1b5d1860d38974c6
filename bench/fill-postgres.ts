import pg from 'pg'
import { enterBlock } from '../src/messages/list/message-index.ts'
import { openPostgresStore } from '../src/store/postgres/postgres.ts'
import { keptKind, keptStatus } from '../src/store/tables/kept-message.ts'

/** Settled messages of the last days, in a database that a server has made. */
export interface Past {
  readonly url: string
  readonly messages: number
  /** Days ago when the first was accepted, and the last. */
  readonly from: number
  readonly until: number
}

const organizations = 10
/** Of each organization. */
const instances = 10
const all = organizations * instances
/** Messages of an instance that were accepted in one moment, and share their stretches of events. */
const together = 8
/** Messages of all instances in one moment. */
const burst = all * together
const perConversation = 10
const day = 24 * 60 * 60_000

const text = 'Your order 4711 has left our warehouse and will be with you tomorrow between 9 and 12 o’clock.'
const steps = ['message.queued', 'message.sent', 'message.delivered']

/**
 * Writes what a server would have of texts that were delivered: messages of ten other organizations, their events, counts and usage, by
 * SQL; then it enters their blocks in the index of lists and the conversations as a server does. Moments are bursts, so that events
 * stand in stretches of eight, as they do under load. In the end all is vacuumed, as it would be long after.
 */
export async function fillPostgres({ url, messages, from, until }: Past): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const bursts = Math.floor(messages / burst)
    const since = Date.now() - from * day
    const step = Math.floor(((from - until) * day) / bursts)
    await client.query(`set synchronous_commit = off`)
    await client.query(owners(since))
    await client.query(messagesOf(bursts, since, step))
    await client.query(eventsOf(bursts, since, step))
    await client.query(countsOf(bursts, since, step))
    await client.query(`select setval('messages_seq_seq', (select max(seq) from messages))`)
    await enterBlocks(url)
    await client.query('vacuum (freeze, analyze)')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

const organization = (number: string) => `'org_05' || lpad((${number})::text, 24, '0')`

function owners(since: number): string {
  return `
    insert into organizations (id, name, created_at, epoch)
      select ${organization('n')}, 'past-' || n, ${since}, 'past' from generate_series(0, ${organizations - 1}) as n;
    insert into instances (id, organization_id, name, network, wanted, status, status_since, settings, credentials, metadata,
        created_at, updated_at)
      select 'inst_05' || lpad(n::text, 24, '0'), ${organization(`n % ${organizations}`)}, 'past-' || n, 'sandbox', 'stopped', 'stopped',
        ${since}, '{}', '', '{}', ${since}, ${since}
      from generate_series(0, ${all - 1}) as n;
    insert into message_instances (number, instance_id, organization_id, instance_name)
      select 1000 + row_number() over (order by id), id, organization_id, name from instances where name like 'past-%'`
}

/** Message n is of instance n modulo the number of instances. */
function messagesOf(bursts: number, since: number, step: number): string {
  const recipients = Math.max(1, Math.floor((bursts * together) / perConversation))
  return `
    insert into messages (seq, id, instance, recipient, kind, status, text, client_ref, stored_bytes, attempts, created_at, expires_at,
        last_attempt_after, sent_after, delivered_after, last_event_after)
      select n + 1, 'msg_05' || lpad(n::text, 24, '0'), 1001 + n % ${all}, 'r' || (n / ${all} * 104729 % ${recipients}) || '@delivers.sandbox',
        ${keptKind('text')}, ${keptStatus('delivered')}, '${text}', case when n % 4 = 0 then 'order-' || n end, 1142, 1,
        ${since} + n / ${burst} * ${step}, ${since} + n / ${burst} * ${step} + ${day}, 12, 23, 900, 900
      from generate_series(0, ${bursts * burst - 1}::bigint) as n`
}

/** Each burst is three stretches of each instance: the events of an organization have numbers without gaps. */
function eventsOf(bursts: number, since: number, step: number): string {
  return `
    insert into events (organization_id, sequence, count, epoch, type, instance_name, created_at, message_seqs, data)
      select ${organization(`i % ${organizations}`)}, ((b * 3 + kind) * ${instances} + i / ${organizations} + 1) * ${together}, ${together}, 'past',
        (array['${steps.join("', '")}'])[kind + 1], 'past-' || i, at + (array[0, 23, 900])[kind + 1],
        '[' || b * ${burst} + i + 1 || repeat(',${all}', ${together - 1}) || ']',
        case kind when 0 then '{}' when 1 then '{"attempts":1,"sent_at":' || at + 23 || '}'
          else '{"attempts":1,"sent_at":' || at + 23 || ',"delivered_at":' || at + 900 || '}' end || repeat(E'\\n', ${together - 1})
      from (select b, ${since} + b * ${step} as at from generate_series(0, ${bursts - 1}::bigint) as b) as moments,
        generate_series(0, 2) as kind, generate_series(0, ${all - 1}) as i
      order by b, kind, i`
}

function countsOf(bursts: number, since: number, step: number): string {
  const perOrganization = bursts * 3 * instances * together
  const count = (of: string) =>
    `'{"to_sent":{"21":' || ${of} || '},"to_delivered":{"21":' || ${of} || '},"accepted":' || ${of} || ',"sent":' || ${of} || ',"delivered":' || ${of} || '}'`
  const rows = (span: 'hour' | 'day', milliseconds: number) => `
    insert into statistics (organization_id, span, instance_name, starts_at, counts)
      select ${organization(`i % ${organizations}`)}, '${span}', 'past-' || i, starts, ${count(`count * ${together}`)}
      from generate_series(0, ${all - 1}) as i,
        (select (${since} + b * ${step}) / ${milliseconds} * ${milliseconds} as starts, count(*) from generate_series(0, ${bursts - 1}::bigint) as b
          group by starts) as spans`
  return `
    update organizations set last_event = ${perOrganization}, last_counted = ${perOrganization}, last_fanned_out = ${perOrganization},
      last_event_at = ${since + (bursts - 1) * step + 900}, stored_bytes = ${(1142 * bursts * burst) / organizations} where epoch = 'past';
    ${rows('hour', day / 24)};
    ${rows('day', day)}`
}

async function enterBlocks(url: string): Promise<void> {
  const store = await openPostgresStore({ url, functions: { reads: [], transactions: [enterBlock] } })
  try {
    while (await store.transact(enterBlock, null, { party: 'housekeeping' }));
  } finally {
    await store.close()
  }
}
