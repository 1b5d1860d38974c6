import { messageErrors, sentencesOf } from '../../contract/codes.ts'
import type { AuditNote } from '../../contract/resources/audit.ts'
import { keepAudit, keepForAll } from '../../organizations/audit-log.ts'
import { endAllSessions } from '../../organizations/session-store.ts'
import { beginEpoch } from '../../store/position.ts'
import { spelledOut, statement, unsettled } from '../../store/statement.ts'
import { read, type Store, type StoreFunctions, transaction } from '../../store/store.ts'
import { storedError } from '../stored-error.ts'
import { enqueue } from './lane.ts'
import { depart, departing } from './sweep.ts'

/*
 * After the store went back to a backup, nobody knows the outcome of the messages that were unsettled in it: some may have
 * been sent since. They are held: they keep their place in their lane, so later messages to the same recipient wait for them,
 * but they do not leave before the operator has decided. They never become failed, expired or canceled.
 */

const code = 'held_after_restore'
const held = storedError({ code, detail: sentencesOf(messageErrors[code]), permanent: false })
const givenUp = storedError({
  code,
  detail:
    'The server was restored from a backup, and the operator decided not to send the message. It may have been sent before.',
  permanent: true,
})

/** Begins a new epoch of the store, and holds all unsettled messages. Returns how many there are. */
export const goBack = transaction(
  'store.go-back',
  async (tx, args: { epoch: string; now: number }): Promise<number> => {
    await beginEpoch(tx, args)
    await keepForAll(tx, 'restore', args.now)
    await endAllSessions(tx)
    return tx.run(
      tx.sql
        .updateTable('messages')
        .set((eb) => ({
          held: 1,
          uncertain: 1,
          error: held,
          // Those that lead their lane go on leading it. An attempt that was under way is taken up by the next start.
          queue_position: null,
          due_at: eb.case().when('joins_lane_at', '>', 0).then(eb.ref('due_at')).end(),
        }))
        .where(unsettled),
    )
  },
)

/** How many messages are held, by instance. */
export interface HeldQueue {
  readonly organizationId: string
  readonly organization: string
  readonly instanceId: string
  readonly instance: string
  readonly messages: number
}

/** As its index has it, so that the index is used. */
const isHeld = spelledOut<boolean>('held = 1')

/** After how many messages one read counts no further instance. */
const countedAtOnce = 2_000

const firstHeld = statement<{ after: string }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .innerJoin('organizations', 'organizations.id', 'messages.organization_id')
    .select([
      'messages.organization_id as organizationId',
      'organizations.name as organization',
      'messages.instance_id as instanceId',
      'messages.instance_name as instance',
    ])
    .where('messages.instance_id', '>', argument('after'))
    .where(isHeld)
    .where(unsettled)
    .orderBy('messages.instance_id')
    .orderBy('messages.seq')
    .limit(1),
)

const countOf = statement<{ instance: string }>()((sql, argument) =>
  sql
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number | string>().as('messages'))
    .where('instance_id', '=', argument('instance'))
    .where(isHeld)
    .where(unsettled),
)

/** Some of the queues with held messages, and the instance to go on after; null at the end. */
export const listHeld = read('held.list', async (reader, { after }: { after: string }) => {
  const queues: HeldQueue[] = []
  let last = after
  for (let counted = 0; counted < countedAtOnce; ) {
    const queue = await reader.first(firstHeld, { after: last })
    if (!queue) return { queues, next: null }
    last = queue.instanceId
    const messages = Number((await reader.first(countOf, { instance: last }))?.messages ?? 0)
    queues.push({ ...queue, messages })
    counted += Math.max(messages, 10)
  }
  return { queues, next: last }
})

/** All queues with held messages by the names of organization and instance, in short reads. */
export async function allHeld(store: Pick<Store, 'read'>): Promise<HeldQueue[]> {
  const all: HeldQueue[] = []
  for (let after: string | null = ''; after !== null; ) {
    const part: { queues: HeldQueue[]; next: string | null } = await store.read(listHeld, { after })
    all.push(...part.queues)
    after = part.next
  }
  const nameOf = ({ organization, instance }: HeldQueue) => `${organization} ${instance}`
  return all.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

/** How many messages are held. */
export async function countHeld(store: Pick<Store, 'read'>): Promise<number> {
  return (await allHeld(store)).reduce((sum, { messages }) => sum + messages, 0)
}

export interface Decision {
  readonly decision: 'send' | 'fail'
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
  const { decision, instanceId: instance, limit, now } = args
  const rows = await tx.all(
    tx.sql
      .selectFrom('messages')
      .select([...departing, 'leads_lane', 'awaits_file'])
      .where('held', '=', 1)
      .where('instance_id', '=', instance)
      .where(unsettled)
      .orderBy('seq')
      .limit(limit),
  )
  const seqs = rows.map(({ seq }) => seq)
  if (seqs.length === 0) return 0
  await keepAudit(tx, args.audit)
  const error = decision === 'send' ? null : givenUp
  await tx.run(tx.sql.updateTable('messages').set({ held: 0, error }).where('seq', 'in', seqs))
  if (decision === 'fail') {
    await depart(tx, rows, 'discarded', now)
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
  transactions: [goBack, decideHeld],
}
