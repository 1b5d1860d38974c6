import { messageErrors, sentencesOf } from '../../../contract/codes.ts'
import type { AuditNote } from '../../../contract/resources/audit.ts'
import { keepAudit, keepForAll } from '../../../organizations/audit-log.ts'
import { keepServiceValue } from '../../../organizations/organization-store.ts'
import { endAllSessions, forgetSessions } from '../../../organizations/session-store.ts'
import { beginEpoch } from '../../../store/position.ts'
import { batchStatement, rawSql, statement } from '../../../store/statement.ts'
import { briefRead, type Store, type StoreFunctions, transaction } from '../../../store/store.ts'
import { numberOf } from '../../message-instances.ts'
import { storedError } from '../../stored-error.ts'
import { firstPlace, type UnsettledPlace, unsettledAfter } from '../../unsettled-places.ts'
import { enqueue } from '../queue/lane.ts'
import { settleWithoutAttempt } from '../sweep/sweep.ts'

/*
 * After the store went back to a backup, the outcome of the messages that were unsettled in it is uncertain: some may have
 * been sent since. They are held: they keep their place in their lane, so later messages to the same recipient wait for
 * them, but they do not leave before the operator has decided. They never become failed, expired or canceled.
 */

const code = 'held_after_restore'
const held = storedError({ code, detail: sentencesOf(messageErrors[code]), permanent: false })
const givenUp = storedError({
  code,
  detail:
    'The server was restored from a backup, and the operator decided not to send the message. It may have been sent before.',
  permanent: true,
})

/** The name of the fact that the store is going back, and has not held everything yet. */
export const goingBack = 'going_back'

const heldAtOnce = 500

/** Holds unsettled messages after a place, some at a time; returns how many, and the place to continue after. */
export const holdMessages = transaction(
  'store.hold',
  async (tx, args: { after: UnsettledPlace; limit: number }) => {
    await keepServiceValue.run(tx, { name: goingBack, value: 'yes' })
    const { messages, next } = await unsettledAfter(tx, args.after, args.limit)
    await tx.runForEach(
      hold,
      messages.map(({ seq }) => ({ seq })),
    )
    return { held: messages.length, next }
  },
)

const hold = batchStatement({ seq: 'bigint' })((sql, given) =>
  sql
    .updateTable('outbox')
    .set((eb) => ({
      held: 1,
      uncertain: 1,
      error: held,
      // Those that lead their lane go on leading it. An attempt that was under way is taken up by the next start.
      queue_position: null,
      due_at: eb.case().when('joins_lane_at', '>', 0).then(eb.ref('due_at')).end(),
    }))
    .where('seq', '=', given('seq')),
)

/** Begins a new epoch of the store, once everything that is unsettled is held. */
export const beginAgain = transaction(
  'store.go-back',
  async (tx, args: { epoch: string; now: number }): Promise<void> => {
    await beginEpoch(tx, args)
    await keepForAll(tx, 'restore', args.now)
    await endAllSessions(tx)
    await tx.run(tx.sql.deleteFrom('service').where('name', '=', goingBack))
  },
)

/**
 * Holds all unsettled messages, in parts, and begins a new epoch of the store. Returns how many they are. If it was not finished, it must
 * be done again before anything is sent: the store says so (`goingBack`), and is behind its recorded position until the end.
 */
export async function markRestored(
  store: Pick<Store, 'transact'>,
  args: { epoch: string; now: number },
): Promise<number> {
  let count = 0
  for (let after: UnsettledPlace | null = firstPlace; after; ) {
    const part: { held: number; next: UnsettledPlace | null } = await store.transact(holdMessages, {
      after,
      limit: heldAtOnce,
    })
    count += part.held
    after = part.next
  }
  // No person can sign in meanwhile: what is left of the last part is little.
  const all = { now: Number.MAX_SAFE_INTEGER, limit: heldAtOnce }
  while ((await store.transact(forgetSessions, all)) >= heldAtOnce);
  await store.transact(beginAgain, args)
  return count
}

/** An instance with held messages, and their number. */
export interface HeldQueue {
  readonly organizationId: string
  readonly organization: string
  readonly instanceId: string
  readonly instance: string
  readonly messages: number
}

/** As its index has it, so that the index is used. */
const isHeld = rawSql<boolean>('held = 1')

/** Messages after which one read counts no further instance. */
const countedAtOnce = 2_000

const firstHeld = statement<{ after: number }>()((sql, argument) =>
  sql
    .selectFrom('outbox')
    .innerJoin('message_instances', 'message_instances.number', 'outbox.instance')
    .innerJoin('organizations', 'organizations.id', 'organization_id')
    .select([
      'number',
      'organization_id as organizationId',
      'organizations.name as organization',
      'instance_id as instanceId',
      'instance_name as instance',
    ])
    .where('outbox.instance', '>', argument('after'))
    .where(isHeld)
    .orderBy('outbox.instance')
    .orderBy('outbox.seq')
    .limit(1),
)

const countOf = statement<{ instance: number }>()((sql, argument) =>
  sql
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<number | string>().as('messages'))
    .where('instance', '=', argument('instance'))
    .where(isHeld),
)

/** Some of the queues with held messages, and the number of the instance to go on after; null at the end. */
export const listHeld = briefRead('held.list', async (reader, { after }: { after: number }) => {
  const queues: HeldQueue[] = []
  let last = after
  for (let counted = 0; counted < countedAtOnce; ) {
    const found = await reader.first(firstHeld, { after: last })
    if (!found) return { queues, next: null }
    const { number, ...queue } = found
    last = number
    const messages = Number((await reader.first(countOf, { instance: last }))?.messages ?? 0)
    queues.push({ ...queue, messages })
    counted += Math.max(messages, 10)
  }
  return { queues, next: last }
})

/** All queues with held messages by the names of organization and instance, in short reads. */
export async function allHeld(store: Pick<Store, 'read'>): Promise<HeldQueue[]> {
  const all: HeldQueue[] = []
  for (let after: number | null = 0; after !== null; ) {
    const part: { queues: HeldQueue[]; next: number | null } = await store.read(listHeld, { after })
    all.push(...part.queues)
    after = part.next
  }
  const nameOf = ({ organization, instance }: HeldQueue) => `${organization} ${instance}`
  return all.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

/** Returns the number of messages that are held. */
export async function countHeld(store: Pick<Store, 'read'>): Promise<number> {
  return (await allHeld(store)).reduce((sum, { messages }) => sum + messages, 0)
}

export interface Decision {
  readonly decision: 'send' | 'fail'
  readonly organizationId: string
  readonly instanceId: string
  readonly limit: number
  readonly now: number
  /** The entry for the audit log; it is written once, if any message is decided. */
  readonly audit?: AuditNote | undefined
}

/**
 * Sends the held messages of an instance, or gives them up as `unknown`, oldest first and at most `limit`; returns how many.
 */
export const decideHeld = transaction('held.decide', async (tx, args: Decision): Promise<number> => {
  const { decision, limit, now } = args
  const instance = await numberOf(tx, args.instanceId, { turn: args.organizationId })
  const rows = await tx.all(
    tx.sql
      .selectFrom('outbox')
      .select(['seq', 'instance', 'leads_lane', 'awaits_file'])
      .where(isHeld)
      .where('instance', '=', instance)
      .orderBy('seq')
      .limit(limit),
  )
  const seqs = rows.map(({ seq }) => seq)
  if (seqs.length === 0) return 0
  await keepAudit(tx, args.audit)
  const error = decision === 'send' ? null : givenUp
  await tx.run(tx.sql.updateTable('outbox').set({ held: 0, error }).where('seq', 'in', seqs))
  if (decision === 'fail') {
    await settleWithoutAttempt(tx, rows, 'discarded', now)
    return rows.length
  }
  const ready = rows.filter(({ leads_lane, awaits_file }) => leads_lane === 1 && awaits_file === 0)
  await enqueue(
    tx,
    ready.map(({ seq }) => ({ instance, seq })),
  )
  return rows.length
})

export const heldFunctions: StoreFunctions = {
  reads: [listHeld],
  transactions: [holdMessages, beginAgain, decideHeld],
}
