import type { RowOf } from '../store/schema.ts'
import { batchOf, batchStatement, type Sql, statement } from '../store/statement.ts'
import { isForeign, type OfTurn, type Reader, type Transaction } from '../store/store.ts'

/*
 * Messages name their instance by a short number. It is given to the instance when that is created and means no other; an instance
 * that is gone is known by it for as long as a message of it may be kept.
 */

/** An instance by its number. */
export interface MessageInstance
  extends Pick<RowOf<'message_instances'>, 'number' | 'instance_id' | 'organization_id' | 'instance_name'> {
  /** The time of the last event of its organization. */
  readonly last_event_at: number
}

const insertInstance = batchOf('message_instances', ['instance_id', 'organization_id', 'instance_name'])(
  (sql, row) => sql.insertInto('message_instances').values(row),
)

/** Gives a number to an instance that is created. */
export async function numberInstance(
  tx: Transaction,
  { id, organization_id, name }: Pick<RowOf<'instances'>, 'id' | 'organization_id' | 'name'>,
): Promise<void> {
  await tx.runForEach(insertInstance, [{ instance_id: id, organization_id, instance_name: name }])
}

const instances = (sql: Sql) =>
  sql
    .selectFrom('message_instances')
    .innerJoin('organizations', 'organizations.id', 'message_instances.organization_id')
    .select(['number', 'instance_id', 'organization_id', 'instance_name', 'last_event_at'])

const selectById = batchStatement({ instance: 'text' })((sql, given) =>
  instances(sql).where('instance_id', '=', given('instance')),
)

const selectByNumber = batchStatement({ number: 'bigint' })((sql, given) =>
  instances(sql).where('number', '=', given('number')),
)

/** The instances with these ids, by their ids. */
export async function instancesWithIds(
  reader: Reader,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, MessageInstance>> {
  const rows = await reader.allForEach(
    selectById,
    [...new Set(ids)].map((instance) => ({ instance })),
  )
  return new Map(rows.map((row) => [row.instance_id, row]))
}

/** The instances with these numbers, by their numbers. */
export async function instancesNumbered(
  reader: Reader,
  numbers: Iterable<number>,
): Promise<ReadonlyMap<number, MessageInstance>> {
  const rows = await reader.allForEach(
    selectByNumber,
    [...new Set(numbers)].map((number) => ({ number })),
  )
  return new Map(rows.map((row) => [row.number, row]))
}

const selectNumber = statement<{ id: string }>()((sql, argument) =>
  sql
    .selectFrom('message_instances')
    .select(['number', 'organization_id'])
    .where('instance_id', '=', argument('id')),
)

/** The number of an instance; 0, which none has, if the instance is unknown, or of another organization than that of the turn. */
export async function numberOf(reader: Reader, id: string, call: OfTurn = {}): Promise<number> {
  const row = await reader.first(selectNumber, { id })
  return row && !isForeign(call, row.organization_id) ? row.number : 0
}

const selectEpoch = statement<{ id: string }>()((sql, argument) =>
  sql.selectFrom('instances').select('epoch').where('id', '=', argument('id')),
)

/** True if an instance was taken over, by this node or another one, after the takeover that began this epoch; or if it is gone. */
export async function isTakenOverSince(reader: Reader, id: string, epoch: number): Promise<boolean> {
  return (await reader.first(selectEpoch, { id }))?.epoch !== epoch
}

const selectNewest = statement<Record<never, never>>()((sql) =>
  sql.selectFrom('messages').select('seq').orderBy('seq', 'desc').limit(1),
)

const noteErased = statement<{ id: string; newest: number }>()((sql, argument) =>
  sql
    .updateTable('message_instances')
    .set({ last_seq: argument('newest') })
    .where('instance_id', '=', argument('id')),
)

/** Notes that an instance is erased: it gets no more messages. */
export async function noteInstanceErased(tx: Transaction, id: string): Promise<void> {
  const newest = await tx.first(selectNewest, {})
  await tx.run(noteErased, { id, newest: newest?.seq ?? 0 })
}

/** Numbers forgotten at once. */
const forgottenAtOnce = 100

const forgetBefore = statement<{ oldest: number }>()((sql, argument) =>
  sql
    .deleteFrom('message_instances')
    .where('number', 'in', (eb) =>
      eb
        .selectFrom('message_instances as erased')
        .select('erased.number')
        .where('erased.last_seq', '<', argument('oldest'))
        .orderBy('erased.last_seq')
        .limit(forgottenAtOnce),
    ),
)

/** Forgets instances of which no message is left, the oldest message being this one, some at a time; true if there may be more. */
export async function forgetMessageInstances(tx: Transaction, oldest: number): Promise<boolean> {
  return (await tx.run(forgetBefore, { oldest })) === forgottenAtOnce
}
