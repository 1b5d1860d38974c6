import { releaseAllMedia } from '../../media/media-record.ts'
import { changeUsage } from '../../organizations/usage.ts'
import { batchOf, batchStatement } from '../../store/statement.ts'
import { read, type StoreFunctions, type Transaction, transaction } from '../../store/store.ts'
import { type AddressAt, removeAddresses } from '../contacts/contact-store.ts'
import { type CurrentMessage, currentMessage, currentMessages } from '../current-message.ts'
import { weightOf } from '../inbox/incoming-message.ts'
import { isSettled } from '../life.ts'
import { type Listed, listMessages } from '../list/message-list.ts'
import { mayHaveFile, storedSize, templateIn, templateText } from '../message.ts'
import { settleWithoutAttempt } from '../outbox/sweep/sweep.ts'

/** Messages that one step looks at. */
const emptiedAtOnce = 100

/** A conversation that is being emptied. */
export interface ConversationToForget extends AddressAt {
  readonly organization: string
  readonly name: string
  readonly below: number
}

/** The next conversation after a place that is being emptied; null if there is none. */
export const nextToForget = read('contacts.next-to-forget', async (reader, after: AddressAt) => {
  const next = await reader.first(
    reader.sql
      .selectFrom('contact_addresses')
      .innerJoin('instances', 'instances.id', 'contact_addresses.instance_id')
      .select(['instance_id as instance', 'address', 'contact_addresses.organization_id as organization'])
      .select(['instances.name', 'forget_below as below'])
      .where('forget_below', 'is not', null)
      .where((eb) => eb(eb.refTuple('instance_id', 'address'), '>', eb.tuple(after.instance, after.address)))
      .orderBy('instance_id')
      .orderBy('address')
      .limit(1),
  )
  return next ? { ...next, below: next.below ?? 0 } : null
})

/**
 * Empties the newest messages of a conversation that is being forgotten; queued ones are canceled before. Resolves with true if the
 * conversation is done, or waits for an attempt to end: another one can go on. False if there is more to do, or what is to be done must be
 * looked up again.
 */
export const forgetPerson = transaction(
  'contacts.forget-person',
  async (tx, { now, ...forgetting }: ConversationToForget & { now: number }): Promise<boolean> => {
    const { instance, address, organization, below } = forgetting
    const asked = tx.sql
      .selectFrom('contact_addresses')
      .select('forget_below')
      .where('instance_id', '=', instance)
      .where('address', '=', address)
      .where('organization_id', '=', organization)
    // It was looked up before: another order may have come since, or another step may have done it.
    if ((await tx.first(asked))?.forget_below !== below) return false
    const listed = await newestOf(tx, forgetting)
    const ids = listed.data.map(({ id }) => id)
    const before = await rowsWith(tx, ids)
    const queued = before.filter(
      ({ status, underway, uncertain }) => status === 'queued' && underway + uncertain === 0,
    )
    await settleWithoutAttempt(tx, queued, 'canceled', now)
    const rows = queued.length > 0 ? await rowsWith(tx, ids) : before
    const open = rows.filter(({ status, awaits_file }) => !isSettled(status) || awaits_file === 1)
    const done = rows.filter((row) => !open.includes(row) && row.forgotten === 0)
    await empty(tx, organization, done, now)
    const waits = open.length > 0 ? Math.max(...open.map(({ seq }) => seq)) + 1 : null
    const goOn = waits ?? listed.goOn?.below ?? null
    if (goOn === null) await removeAddresses(tx, [{ instance, address, organization }])
    else if (goOn !== below)
      await tx.run(
        tx.sql
          .updateTable('contact_addresses')
          .set({ forget_below: goOn })
          .where('instance_id', '=', instance)
          .where('address', '=', address)
          .where('forget_below', '=', below),
      )
    return goOn === null || waits !== null
  },
  { touches: ({ organization }) => [organization] },
)

function newestOf(
  tx: Transaction,
  { organization, name, address, below }: ConversationToForget,
): Promise<Listed> {
  return listMessages.run(tx, {
    organizationId: organization,
    instanceName: name,
    seen: null,
    status: null,
    direction: null,
    conversation: address,
    to: null,
    clientRef: null,
    createdAfter: null,
    createdBefore: null,
    text: null,
    limit: emptiedAtOnce,
    before: null,
    place: { below, downTo: 0 },
  })
}

async function rowsWith(tx: Transaction, ids: readonly string[]): Promise<CurrentMessage[]> {
  if (ids.length === 0) return []
  return (await tx.all(currentMessages(tx.sql).where('messages.id', 'in', ids))).map(currentMessage)
}

const emptyRow = batchOf('messages', ['seq', 'text', 'stored_bytes'])((sql, { seq, ...change }) =>
  sql
    .updateTable('messages')
    .set({
      ...change,
      subject: null,
      content: null,
      aliases: null,
      metadata: null,
      trace: null,
      forgotten: 1,
    })
    .where('seq', '=', seq),
)

const emptyFile = batchStatement({ id: 'text' })((sql, given) =>
  sql
    .updateTable('message_files')
    .set({ url: null, reference: null, fetch_at: null, filename: null, sha256: null, media_id: null })
    .where('message_id', '=', given('id'))
    .returning('message_id'),
)

const selectBytes = batchStatement({ id: 'text' })((sql, given) =>
  sql
    .selectFrom('message_files')
    .select('media_id')
    .where('message_id', '=', given('id'))
    .where('direction', '=', 'inbound')
    .where('media_id', 'is not', null),
)

/** A file that a person sent goes at once, if no other message uses it; one that was sent to them may have been sent to others. */
const expireBytes = batchStatement({ id: 'text', at: 'bigint' })((sql, given) =>
  sql
    .updateTable('media')
    .set({ kept_until: given('at'), expires_at: given('at') })
    .where('id', '=', given('id'))
    .where('expires_at', 'is not', null)
    .where('held_until', '<=', given('at')),
)

const nothing = { text: null, relation: null, content: null, metadata: null, trace: null }

async function empty(
  tx: Transaction,
  organization: string,
  rows: readonly CurrentMessage[],
  now: number,
): Promise<void> {
  if (rows.length === 0) return
  const emptied = rows.map((row) => ({
    seq: row.seq,
    // The name of a template is the caller's, and its parameters are about the person.
    text: row.kind === 'template' ? templateText({ ...templateIn(row.text), components: [] }) : null,
    stored_bytes: row.stored_bytes === 0 ? 0 : storedSize({ ...row, ...nothing, relation: row.relation }),
  }))
  await tx.runForEach(emptyRow, emptied)
  const files = rows.filter(mayHaveFile).map(({ id }) => ({ id }))
  const bytes = await tx.allForEach(selectBytes, files)
  await releaseAllMedia(tx, { messageIds: files.map(({ id }) => id), expiresAt: now })
  await tx.allForEach(emptyFile, files)
  await tx.runForEach(
    expireBytes,
    [...new Set(bytes.map(({ media_id }) => media_id ?? ''))].map((id) => ({ id, at: now })),
  )
  const stored = rows.reduce(
    (sum, row, index) => sum + (emptied[index]?.stored_bytes ?? 0) - row.stored_bytes,
    0,
  )
  const weight = rows
    .filter(({ incoming, sent_elsewhere }) => incoming === 1 || sent_elsewhere === 1)
    .reduce((sum, { text }) => sum + weightOf(0) - weightOf([...(text ?? '')].length), 0)
  await changeUsage(tx, organization, { stored_bytes: stored, incoming_messages: weight })
}

export const forgetPersonFunctions: StoreFunctions = {
  reads: [nextToForget],
  transactions: [forgetPerson],
}
