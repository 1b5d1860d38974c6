import { instancesNumbered } from '../messages/message-instances.ts'
import { batchStatement, statement } from '../store/statement.ts'
import { type StoreFunctions, type Transaction, transaction } from '../store/store.ts'

/*
 * Waits are stored as the moments at which they end, and facts as the moments at which they began. If the wall clock is set
 * back, waits would last too long, and facts would have begun in the future. All moments ahead of the clock are therefore
 * brought back by the same amount, in parts, so that requests do not wait for it. Times that people were told (when a
 * message expires or is to be sent, when a key or a session ends) stay as they are. (docs/decisions/0058)
 *
 * If the result of a part is lost, that part is brought back twice. Some waits are then too short, which does no harm.
 */

/** A part of what is to be brought back. */
interface PartArgs {
  /** Milliseconds by which the clock was set back. */
  readonly by: number
  /** The current time, in milliseconds since the epoch. */
  readonly now: number
  /** End of the previous part; null for the first part. */
  readonly after: Place | null
}

/** A row in the order in which rows are looked through. */
interface Place {
  readonly owner: string
  readonly at: number
  readonly key: string | number
}

/** The result of one part. */
export interface BroughtBack {
  /** Ids of the owners with something to look at: instances of messages, organizations of deliveries. */
  readonly owners: readonly string[]
  /** Beginning of the next part; null if this was the last. */
  readonly next: Place | null
}

/** Rows, and instances or webhooks, that one part looks at. */
const rowsAtOnce = 500
const ownersAtOnce = 50

interface Row {
  readonly key: string | number
  readonly at: number
}

/** Functions that go through the rows of one owner after another. */
interface Walk {
  /** The first owner after this one, by its id. */
  readonly nextOwner: (tx: Transaction, after: string) => Promise<string | undefined>
  /** The next rows of an owner, in order, at most `rowsAtOnce`. */
  readonly rows: (tx: Transaction, place: Place) => Promise<readonly Row[]>
  /** Brings some of these back; true if there was one. */
  readonly bringBack: (tx: Transaction, rows: readonly Row[]) => Promise<boolean>
}

async function walk(tx: Transaction, after: Place | null, { nextOwner, rows, bringBack }: Walk, first: Row) {
  const owners: string[] = []
  let place = after
  for (let looked = 0, count = 0; looked < rowsAtOnce && count < ownersAtOnce; count++) {
    if (place === null || place.key === done) {
      const owner = await nextOwner(tx, place?.owner ?? '')
      if (owner === undefined) return { owners, next: null }
      place = { owner, ...first }
    }
    const { owner } = place
    const found = await rows(tx, place)
    if (await bringBack(tx, found)) owners.push(owner)
    looked += found.length
    const last = found.at(-1)
    const isDone = !last || found.length < rowsAtOnce
    place = isDone ? { owner, at: 0, key: done } : { owner, at: last.at, key: last.key }
  }
  return { owners, next: place }
}

/** The key of a place after the last row of its owner. */
const done = 'done'

const later = (at: number, { by, now }: PartArgs): number => Math.max(now, at - by)

const selectInstanceThatWaits = statement<{ after: number }>()((sql, argument) =>
  sql
    .selectFrom('outbox')
    .select('instance')
    .where('due_at', 'is not', null)
    .where('instance', '>', argument('after'))
    .orderBy('instance')
    .limit(1),
)

const selectDueMessages = statement<{ instance: number; at: number; key: number; limit: number }>()(
  (sql, argument) =>
    sql
      .selectFrom('outbox')
      .select(['seq', 'due_at', 'joins_lane_at'])
      .where('instance', '=', argument('instance'))
      .where('due_at', '>=', argument('at'))
      .where((eb) => eb.or([eb('due_at', '>', argument('at')), eb('seq', '>', argument('key'))]))
      .orderBy('due_at')
      .orderBy('seq')
      .limit(argument('limit')),
)

const setDueMessage = batchStatement({ seq: 'bigint', at: 'bigint' })((sql, given) =>
  sql
    .updateTable('outbox')
    .set({ due_at: given('at') })
    .where('seq', '=', given('seq')),
)

/** Messages that wait to be tried again. Those that are scheduled keep their time. */
export const bringBackMessages = transaction(
  'clock.bring-back-messages',
  async (tx, args: PartArgs): Promise<BroughtBack> => {
    const scheduled = new Set<string | number>()
    // Their numbers are the owners here.
    const nextOwner = async (_: Transaction, after: string) =>
      (await tx.first(selectInstanceThatWaits, { after: Number(after) }))?.instance.toString()
    const rows = async (_: Transaction, { owner, at, key }: Place) => {
      const place = { instance: Number(owner), at, key: Number(key) }
      const found = await tx.all(selectDueMessages, { ...place, limit: rowsAtOnce })
      for (const { seq, joins_lane_at } of found) if (joins_lane_at > 0) scheduled.add(seq)
      return found.map(({ seq, due_at }) => ({ key: seq, at: due_at ?? 0 }))
    }
    const bringBack = async (_: Transaction, found: readonly Row[]) => {
      const moved = found.filter(({ key }) => !scheduled.has(key))
      await tx.runForEach(
        setDueMessage,
        moved.map(({ key, at }) => ({ seq: Number(key), at: later(at, args) })),
      )
      return moved.length > 0
    }
    const first = { at: args.now + 1, key: 0 }
    const { owners, next } = await walk(tx, args.after, { nextOwner, rows, bringBack }, first)
    const instances = await instancesNumbered(tx, owners.map(Number))
    return { owners: [...instances.values()].map(({ instance_id }) => instance_id), next }
  },
)

const selectWebhook = statement<{ after: string }>()((sql, argument) =>
  sql.selectFrom('webhooks').select('id').where('id', '>', argument('after')).orderBy('id').limit(1),
)

const selectDueDeliveries = statement<{ owner: string; at: number; key: number; limit: number }>()(
  (sql, argument) =>
    sql
      .selectFrom('deliveries')
      .select(['seq as key', 'next_attempt_at as at'])
      .where('webhook_id', '=', argument('owner'))
      .where('next_attempt_at', '>=', argument('at'))
      .where((eb) => eb.or([eb('next_attempt_at', '>', argument('at')), eb('seq', '>', argument('key'))]))
      .orderBy('next_attempt_at')
      .orderBy('seq')
      .limit(argument('limit')),
)

const setNextAttempt = batchStatement({ seq: 'bigint', at: 'bigint' })((sql, given) =>
  sql
    .updateTable('deliveries')
    .set({ next_attempt_at: given('at') })
    .where('seq', '=', given('seq')),
)

const selectPendingDeliveries = statement<{ owner: string; key: number; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('deliveries')
    .select(['seq as key', 'created_at as at'])
    .where('webhook_id', '=', argument('owner'))
    .where('status', '=', 'pending')
    .where('seq', '>', argument('key'))
    .orderBy('seq')
    .limit(argument('limit')),
)

const setCreated = batchStatement({ seq: 'bigint', at: 'bigint' })((sql, given) =>
  sql
    .updateTable('deliveries')
    .set({ created_at: given('at') })
    .where('seq', '=', given('seq')),
)

const nextWebhook = async (tx: Transaction, after: string) => (await tx.first(selectWebhook, { after }))?.id

/** Deliveries that wait for their next attempt. */
export const bringBackAttempts = transaction(
  'clock.bring-back-attempts',
  async (tx, args: PartArgs): Promise<BroughtBack> => {
    const rows = async (_: Transaction, { owner, at, key }: Place) => {
      const found = await tx.all(selectDueDeliveries, { owner, at, key: Number(key), limit: rowsAtOnce })
      return found.map((row) => ({ key: row.key, at: row.at ?? 0 }))
    }
    const bringBack = async (_: Transaction, found: readonly Row[]) => {
      await tx.runForEach(
        setNextAttempt,
        found.map(({ key, at }) => ({ seq: Number(key), at: later(at, args) })),
      )
      return found.length > 0
    }
    const { owners, next } = await walk(
      tx,
      args.after,
      { nextOwner: nextWebhook, rows, bringBack },
      { at: args.now + 1, key: 0 },
    )
    if (owners.length === 0) return { owners, next }
    const ofWebhooks = tx.sql.selectFrom('webhooks').select('organization_id').where('id', 'in', owners)
    return { owners: (await tx.all(ofWebhooks)).map((row) => row.organization_id), next }
  },
)

/** Since when deliveries wait, by which webhooks are found that lag. */
export const bringBackDeliveries = transaction(
  'clock.bring-back-deliveries',
  async (tx, args: PartArgs): Promise<BroughtBack> => {
    const rows = (_: Transaction, { owner, key }: Place) =>
      tx.all(selectPendingDeliveries, { owner, key: Number(key), limit: rowsAtOnce })
    const bringBack = async (_: Transaction, found: readonly Row[]) => {
      const ahead = found.filter(({ at }) => at > args.now)
      await tx.runForEach(
        setCreated,
        ahead.map(({ key, at }) => ({ seq: Number(key), at: at - args.by })),
      )
      return false
    }
    return walk(tx, args.after, { nextOwner: nextWebhook, rows, bringBack }, { at: 0, key: 0 })
  },
)

const directions = ['inbound', 'outbound'] as const

const selectFiles = statement<{ owner: string; at: number; key: string; limit: number }>()((sql, argument) =>
  sql
    .selectFrom('message_files')
    .select(['message_id as key', 'fetch_at as at'])
    .where('direction', '=', argument('owner') as (typeof directions)[number])
    .where('fetch_at', '>=', argument('at'))
    .where((eb) => eb.or([eb('fetch_at', '>', argument('at')), eb('message_id', '>', argument('key'))]))
    .orderBy('fetch_at')
    .orderBy('message_id')
    .limit(argument('limit')),
)

const setFetch = batchStatement({ id: 'text', at: 'bigint' })((sql, given) =>
  sql
    .updateTable('message_files')
    .set({ fetch_at: given('at') })
    .where('message_id', '=', given('id')),
)

/** Files that wait to be fetched again. */
export const bringBackFiles = transaction(
  'clock.bring-back-files',
  async (tx, args: PartArgs): Promise<BroughtBack> => {
    const nextOwner = async (_: Transaction, after: string) => directions.find((one) => one > after)
    const rows = async (_: Transaction, { owner, at, key }: Place) => {
      const found = await tx.all(selectFiles, { owner, at, key: String(key), limit: rowsAtOnce })
      return found.map((row) => ({ key: row.key, at: row.at ?? 0 }))
    }
    const bringBack = async (_: Transaction, found: readonly Row[]) => {
      await tx.runForEach(
        setFetch,
        found.map(({ key, at }) => ({ id: String(key), at: later(at, args) })),
      )
      return found.length > 0
    }
    return walk(tx, args.after, { nextOwner, rows, bringBack }, { at: args.now + 1, key: '' })
  },
)

const instanceTimes = [
  'status_since',
  'claimed_at',
  'next_attempt_at',
  'linked_at',
  'connected_at',
  'last_verified_at',
  'caught_up_at',
] as const

const webhookTimes = ['failing_since', 'lagging_since'] as const

/** Brings back the moments at which facts about instances and webhooks began or were last seen. */
export const bringBackFacts = transaction(
  'clock.bring-back-facts',
  async (tx, { by, now, after }: PartArgs): Promise<BroughtBack> => {
    const table = after?.owner ?? 'instances'
    const columns = table === 'instances' ? instanceTimes : webhookTimes
    const rows = await tx.all(
      tx.sql
        .selectFrom(table as 'instances')
        .select(['id', ...(columns as typeof instanceTimes)])
        .where('id', '>', String(after?.key ?? ''))
        .orderBy('id')
        .limit(ownersAtOnce),
    )
    for (const { id, ...times } of rows) {
      const ahead = Object.entries(times).flatMap(([column, at]) =>
        at !== null && at > now ? [[column, at - by]] : [],
      )
      if (ahead.length === 0) continue
      const change = tx.sql.updateTable(table as 'instances').set(Object.fromEntries(ahead))
      await tx.run(change.where('id', '=', id))
    }
    const last = rows.at(-1)
    if (rows.length === ownersAtOnce && last)
      return { owners: [], next: { owner: table, at: 0, key: last.id } }
    return { owners: [], next: table === 'instances' ? { owner: 'webhooks', at: 0, key: '' } : null }
  },
)

export const setBackFunctions: StoreFunctions = {
  reads: [],
  transactions: [bringBackMessages, bringBackAttempts, bringBackDeliveries, bringBackFiles, bringBackFacts],
}
