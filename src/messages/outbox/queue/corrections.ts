import { batchStatement } from '../../../store/statement.ts'
import type { Transaction } from '../../../store/store.ts'
import { keptStatus } from '../../../store/tables/kept-message.ts'
import { leaveQueue } from './leave-queue.ts'
import { changeBy, type RefusedUnsent, type Removed, removedBy, writeSettled } from './settle.ts'

/*
 * Corrections of messages that wait: the message leaves with the newest text, and its corrections are then sent with it. An attempt that
 * may have arrived is repeated with the text that it had; what corrects it later follows as a message of its own.
 */

/** Corrections of one message that are looked at, the newest first. */
const maxCorrections = 20

const selectCorrections = batchStatement({ target: 'bigint' })((sql, given) =>
  sql
    .selectFrom('outbox')
    .innerJoin('messages', 'messages.seq', 'outbox.seq')
    .select(['outbox.seq', 'outbox.target_seq', 'outbox.included', 'messages.text'])
    .where('outbox.target_seq', '=', given('target'))
    .where('outbox.attempts', '=', 0)
    // As `relationTo` writes it.
    .where('messages.relation', 'like', '{"type":"correction"%')
    .orderBy('outbox.seq', 'desc')
    .limit(maxCorrections),
)

const include = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql.updateTable('outbox').set({ included: 1 }).where('seq', '=', given('seq')),
)

/** A message that is being claimed. */
interface Claiming {
  readonly seq: number
  readonly awaited: number
  readonly uncertain: number
}

/** Returns the texts with which messages leave that were corrected while they waited, by their numbers. */
export async function correctedTexts(
  tx: Transaction,
  claiming: readonly Claiming[],
): Promise<ReadonlyMap<number, string>> {
  const awaited = claiming.filter((one) => one.awaited === 1)
  if (awaited.length === 0) return new Map()
  const mayHaveLeft = new Set(awaited.flatMap(({ seq, uncertain }) => (uncertain === 1 ? [seq] : [])))
  const found = await tx.allForEach(
    selectCorrections,
    awaited.map(({ seq: target }) => ({ target })),
  )
  const usable = found.filter(
    ({ target_seq, included }) => included === 1 || !mayHaveLeft.has(target_seq ?? 0),
  )
  const added = usable.filter(({ included }) => included === 0)
  tx.sendForEach(
    include,
    added.map(({ seq }) => ({ seq })),
  )
  usable.sort((a, b) => a.seq - b.seq)
  return new Map(usable.map(({ target_seq, text }) => [target_seq ?? 0, text ?? '']))
}

const removeIncluded = removedBy('included')

/** Settles corrections as sent whose texts left with the messages that they correct. */
export async function settleIncluded(
  tx: Transaction,
  included: readonly { readonly seq: number; readonly instance: number }[],
  now: number,
): Promise<ReadonlyMap<number, RefusedUnsent>> {
  if (included.length === 0) return new Map()
  const removed = await tx.allForEach(removeIncluded, included)
  const told = { acceptedAt: now, error: null }
  const settled = removed.map((row) => ({ removed: row, change: changeBy('included', row, told) }))
  const left = await writeSettled(tx, settled, now)
  await leaveQueue(tx, left, now)
  return new Map(left.map(({ row: { seq, id, instance } }) => [seq, { id, instance, error: null }]))
}

const selectUncertain = batchStatement({ target: 'bigint' })((sql, given) =>
  sql
    .selectFrom('messages')
    .leftJoin('outbox', 'outbox.seq', 'messages.seq')
    .select('messages.seq')
    .where('messages.seq', '=', given('target'))
    .where((eb) =>
      eb.or([
        eb('outbox.uncertain', '=', 1),
        eb('outbox.underway', '=', 1),
        eb.and([eb('outbox.seq', 'is', null), eb('messages.status', '=', keptStatus('unknown'))]),
      ]),
    ),
)

const isUncertain = ({ underway, uncertain }: Removed) => underway === 1 || uncertain === 1

/**
 * Returns messages that leave the outbox without an attempt, with those corrections as uncertain as the messages that they correct whose
 * texts may have left in these.
 */
export async function withUncertainty(
  tx: Transaction,
  removed: readonly Removed[],
): Promise<readonly Removed[]> {
  const targets = removed.flatMap(({ included, target_seq }) =>
    included === 1 && target_seq !== null ? [{ target: target_seq }] : [],
  )
  if (targets.length === 0) return removed
  const found = await tx.allForEach(selectUncertain, targets)
  const uncertain = new Set([...found, ...removed.filter(isUncertain)].map(({ seq }) => seq))
  return removed.map((row) =>
    row.included === 1 && uncertain.has(row.target_seq ?? 0) ? { ...row, uncertain: 1 } : row,
  )
}
