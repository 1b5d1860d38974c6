import assert from 'node:assert/strict'
import { keptStatus } from '../../src/store/tables/kept-message.ts'
import { rowsIn } from './rows.ts'

type Counts = Readonly<Record<string, string | number>>

const counted = `select id, file_bytes, stored_bytes, unsettled_messages, incoming_messages, waiting_callbacks, waiting_callback_bytes,
  contact_addresses from organizations order by id`
const ownMessages =
  'from messages join message_instances on number = instance where organization_id = organizations.id'
const recounted = `select id,
  (select coalesce(sum(size), 0) from media where organization_id = organizations.id) as file_bytes,
  (select coalesce(sum(1024 + octet_length(recipient) + coalesce(octet_length(text), 0) + coalesce(octet_length(client_ref), 0)
    + coalesce(octet_length(metadata), 0)), 0) ${ownMessages}
    and incoming = 0 and sent_elsewhere = 0) as stored_bytes,
  (select count(*) ${ownMessages}
    and status = ${keptStatus('queued')}) as unsettled_messages,
  (select coalesce(sum(1 + coalesce(length(text), 0) / 4096), 0) ${ownMessages}
    and incoming = 1) as incoming_messages,
  (select count(*) from callbacks where organization_id = organizations.id) as waiting_callbacks,
  (select coalesce(sum(size), 0) from callbacks where organization_id = organizations.id) as waiting_callback_bytes,
  (select count(*) from contact_addresses where organization_id = organizations.id) as contact_addresses
  from organizations order by id`

/** Recounts what every organization uses, in the store of the Posthorn on this data folder, while nothing changes there. */
export async function checkUsage(data: string): Promise<void> {
  const numbers = (rows: readonly Counts[]) =>
    rows.map((row) =>
      Object.entries(row).map(([name, value]) => [name, name === 'id' ? value : Number(value)]),
    )
  assert.deepEqual(
    numbers(await rowsIn<Counts>(data, counted)),
    numbers(await rowsIn<Counts>(data, recounted)),
  )
}
