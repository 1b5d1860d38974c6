import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { InstanceSecrets } from '../src/instances/credentials.ts'
import { conversationKey, organizationKey } from '../src/messages/list/conversation-rows.ts'
import { blockOf, firstOfBlock, keyOf } from '../src/messages/list/message-index.ts'
import { keptPlaces } from '../src/messages/list/places.ts'
import { readSecretFile } from '../src/runtime/config/secret-file.ts'
import { Seal } from '../src/runtime/secrets/seal.ts'
import { keptKind, keptStatus } from '../src/store/tables/kept-message.ts'
import { startPosthorn } from './posthorn.ts'

export interface Filling {
  readonly instances: number
  readonly messages: number
  /** Makes an instance from its number; without it, instances are of the sandbox. */
  readonly instance?: (number: number) => FilledInstance
}

export interface FilledInstance {
  readonly network: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly credentials: Readonly<Record<string, unknown>>
  /** As the driver has it in `accountIn`. */
  readonly account: string | null
}

const ofSandbox: FilledInstance = { network: 'sandbox', settings: {}, credentials: {}, account: null }

/**
 * Makes a data folder with connected sandbox instances and old, settled messages. Posthorn itself makes the store and its
 * keys; the rows are written with SQL, because sending a million messages would take longer than the whole benchmark.
 */
export async function fillStore(data: string, filling: Filling): Promise<void> {
  await (await startPosthorn(data)).end()
  const database = new DatabaseSync(join(data, 'posthorn.db'))
  try {
    // If this is cut off, the folder is thrown away: nothing here needs to survive a crash.
    database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN')
    writeInstances(database, data, filling)
    const period = { since: Date.now() - 95 * day, days: 90 }
    if (filling.messages > 0)
      withoutIndexes(database, 'messages', () => writeMessages(database, filling, period))
    database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize')
  } finally {
    database.close()
  }
}

/** Stops every instance of a store that no server has open. */
export function stopInstances(data: string): void {
  const database = new DatabaseSync(join(data, 'posthorn.db'))
  database.exec(`update instances set wanted = 'stopped', status = 'stopped'`)
  database.close()
}

const day = 24 * 60 * 60_000

interface Period {
  /** In milliseconds since the epoch. */
  readonly since: number
  readonly days: number
}

/** Why a message failed, as the store keeps it. */
const refusal =
  '{"code":"recipient_unknown","detail":"The network knows nobody of this address.","permanent":true,"network_code":null}'

/** Ids of the right form that come before all that a server makes today. */
const oldId = (prefix: string, number: string) => `'${prefix}05' || printf('%024d', ${number})`

function writeInstances(
  database: DatabaseSync,
  data: string,
  { instances, instance = () => ofSandbox }: Filling,
): void {
  const key = readSecretFile(join(data, 'master.key'))
  if (key === undefined) throw new Error(`${data} has no master key`)
  const secrets = new InstanceSecrets(new Seal(Buffer.from(key, 'hex')))
  const insert = database.prepare(
    `insert into instances (id, organization_id, name, network, wanted, status, status_since, account, settings,
       credentials, metadata, connected_at, last_verified_at, created_at, updated_at, account_key)
     select ${oldId('inst_', '?1')}, id, 'old-' || cast(?1 as integer), ?4, 'running', 'connected', ?2,
       case when ?4 = 'sandbox' then '{"address":"sandbox@delivers.sandbox","display_name":"Sandbox account"}' end,
       ?5, ?3, '{}', ?2, ?2, ?2, ?2, ?6
     from organizations`,
  )
  const insertNumber = database.prepare(
    `insert into message_instances (instance_id, organization_id, instance_name)
     select ${oldId('inst_', '?1')}, id, 'old-' || cast(?1 as integer) from organizations`,
  )
  const then = Date.now() - 100 * day
  for (let number = 0; number < instances; number++) {
    const id = `inst_05${String(number).padStart(24, '0')}`
    const { network, settings, credentials, account } = instance(number)
    const sealed = secrets.closeCredentials(id, credentials)
    insert.run(number, then, sealed, network, JSON.stringify(settings), account)
    insertNumber.run(number)
  }
}

/** A hundred thousand recipients, among them those of the load; all instances in turn; evenly over these days. */
function writeMessages(database: DatabaseSync, { instances, messages }: Filling, period: Period): void {
  const step = Math.floor((period.days * day) / messages)
  const [failed, read, delivered] = [keptStatus('failed'), keptStatus('read'), keptStatus('delivered')]
  database.exec(
    `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${messages - 1}),
       moments as (select n, n * 7919 % ${instances} as instance, ${period.since} + n * ${step} as at,
         case when n % 50 = 0 then ${failed} when n % 10 < 2 then ${read} when n % 10 < 9 then ${delivered}
           else ${keptStatus('sent')} end as status from numbers)
     insert into messages (seq, id, instance, recipient, kind, status, text,
       client_ref, error, attempts, created_at, expires_at, sent_after, delivered_after, read_after, last_event_after)
     select n + 1, ${oldId('msg_', 'n')}, number,
       'r' || (n * 104729 % 100000) || '@accepts.sandbox', ${keptKind('text')}, status,
       'Your order ' || n || ' has left our warehouse and will be with you tomorrow between 9 and 12 o’clock.',
       case when n % 4 = 0 then 'order-' || n end,
       case when status = ${failed} then '${refusal}' end,
       1, at, at + ${day}, case when status <> ${failed} then 150 end,
       case when status in (${delivered}, ${read}) then 900 end, case when status = ${read} then 60000 end,
       case status when ${read} then 60000 when ${delivered} then 900 else 150 end
     from moments join message_instances on instance_id = ${oldId('inst_', 'moments.instance')}`,
  )
  indexMessages(database)
}

/** Enters all blocks but the open one, as a server does when they are full. */
function indexMessages(database: DatabaseSync): void {
  database.function('block_of', { deterministic: true }, (seq) => blockOf(Number(seq)))
  database.function('key_of', { varargs: true }, (attribute, organization, ...values) =>
    keyOf(attribute as Parameters<typeof keyOf>[0], String(organization), ...values.map(String)),
  )
  const ofInstances = 'messages join message_instances on number = instance'
  const keys = [
    `key_of('organization', organization_id)`,
    `key_of('instance', organization_id, instance_name)`,
    `key_of('conversation', organization_id, recipient)`,
    `case when client_ref is not null then key_of('client_ref', organization_id, client_ref) end`,
  ]
  database.function('first_of', { deterministic: true }, (block) => firstOfBlock(Number(block)))
  database.function('kept', (places) => keptPlaces(JSON.parse(String(places))))
  database.function('conversation_key', (organization, instance, address) =>
    conversationKey(String(organization), String(instance), String(address)),
  )
  database.function('organization_key', (organization) => organizationKey(String(organization)))
  const entries = keys.map((key) => `select block_of(seq) as block, ${key} as key, seq from ${ofInstances}`)
  database.exec(
    `insert into message_index (block, key, places)
     select block, key, kept(json_group_array(seq - first_of(block) order by seq)) from (${entries.join(' union all ')})
     where key is not null and block < (select block_of(max(seq)) from messages) group by block, key order by block, key;
     insert into conversations (key, organization, last_seq)
     select conversation_key(organization_id, instance_name, recipient), organization_key(organization_id), max(seq)
     from ${ofInstances} where block_of(seq) < (select block_of(max(seq)) from messages)
     group by organization_id, instance_name, recipient order by 1;
     insert into service (name, value) select 'blocks_entered', block_of(max(seq)) from messages`,
  )
}

/** Makes a data folder whose organization has this many events, the last twenty days of a journal. */
export async function fillJournal(data: string, events: number): Promise<void> {
  await (await startPosthorn(data)).end()
  const database = new DatabaseSync(join(data, 'posthorn.db'))
  const filling = { instances: 1, messages: Math.ceil(events / eventsOfMessage) }
  try {
    database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN')
    writeInstances(database, data, filling)
    const period = { since: Date.now() - 20 * day, days: 20 }
    withoutIndexes(database, 'messages', () => writeMessages(database, filling, period))
    withoutIndexes(database, 'events', () => writeJournal(database, events))
    database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize')
  } finally {
    database.close()
  }
}

const eventsOfMessage = 3

/** Each message was queued, sent and delivered; one event in ten thousand is a refusal. */
function writeJournal(database: DatabaseSync, events: number): void {
  database.exec(
    `with steps (step, type, later) as
       (values (0, 'message.queued', 0), (1, 'message.sent', 150), (2, 'message.delivered', 900)),
     planned as (select messages.*, organization_id, instance_name, (seq - 1) * ${eventsOfMessage} + step + 1 as number, type, later, step
       from messages join message_instances on message_instances.number = instance, steps order by number limit ${events})
     insert into events (organization_id, sequence, epoch, type, instance_name, created_at, message_seqs, data)
     select organization_id, number, epoch, case when number % 10000 = 0 then 'message.failed' else type end,
       instance_name, planned.created_at + later, json_array(seq),
       case when number % 10000 = 0 then json_object('attempts', 1, 'error', '${refusal}')
         when step = 0 then '{}' when step = 1 then json_object('attempts', 1, 'sent_at', planned.created_at + 150)
         else json_object('attempts', 1, 'sent_at', planned.created_at + 150, 'delivered_at', planned.created_at + 900) end
     from planned join organizations on organizations.id = organization_id;
     update organizations set last_event = ${events}`,
  )
}

/** Indexes are built faster over what is there than with each row. */
function withoutIndexes(database: DatabaseSync, table: 'messages' | 'events', write: () => void): void {
  const indexes = database
    .prepare(
      `select name, sql from sqlite_schema where type = 'index' and tbl_name = '${table}' and sql is not null`,
    )
    .all()
  for (const { name } of indexes) database.exec(`drop index "${name}"`)
  write()
  for (const { sql } of indexes) database.exec(String(sql))
}
