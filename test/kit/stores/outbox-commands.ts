import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ownNetworkId } from '../../../src/messages/message.ts'
import { acceptMessage } from '../../../src/messages/outbox/accept/accept.ts'
import { Burst, type BurstMember } from '../../../src/messages/outbox/dispatch/burst.ts'
import type { ClaimedMessage } from '../../../src/messages/outbox/queue/claim.ts'
import {
  type MessageVerdict,
  type SettledAndClaimed,
  settleAndClaim,
} from '../../../src/messages/outbox/queue/settle-and-claim.ts'
import type { Verdict } from '../../../src/messages/outbox/queue/verdict.ts'
import {
  recordAcknowledged,
  recordReceipt,
  recordReturn,
} from '../../../src/messages/outbox/receipts/receipts.ts'
import { type Recovered, recoverMessages } from '../../../src/messages/outbox/recovery/recover.ts'
import { cancelMessage, discardQueue, expireMessages } from '../../../src/messages/outbox/sweep/sweep.ts'
import { firstPlace, type UnsettledPlace } from '../../../src/messages/unsettled-places.ts'
import type { Store } from '../../../src/store/store.ts'
import { accepting } from './accepting.ts'
import { instances, type ModelMessage, type OutboxModel } from './outbox-model.ts'
import { inspectOutbox, type OutboxRows } from './outbox-store.ts'

/** A real outbox, and what a server keeps in memory about it. */
export class RealOutbox {
  readonly store: Store
  /** Attempts under way, by the id of their message. */
  underway = new Map<string, ClaimedMessage & { readonly instance: string }>()
  /** The same in their bursts: the attempts that were claimed together, which are settled together. */
  readonly members = new Map<string, BurstMember>()
  /** Ends of attempts of which it is unknown whether the store has heard. */
  readonly answers = new Map<string, Verdict>()
  /** Instances whose last call ended without an answer. */
  readonly doubted = new Set<string>()

  constructor(store: Store) {
    this.store = store
  }
}

type Command = fc.AsyncCommand<OutboxModel, RealOutbox>

/** Does something to both, and compares them. */
function command(name: string, run: (model: OutboxModel, real: RealOutbox) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      await run(model, real)
      model.check(await real.store.read(inspectOutbox, null))
    },
    toString: () => name,
  }
}

interface Acceptance {
  readonly instance: number
  readonly recipient: number
  /** Milliseconds between the server's look at its clock and the transaction. */
  readonly late: number
  readonly sendIn: number | null
  readonly life: number
}

const queueLimit = 12
const unsettledLimit = 18

function accept({ instance, recipient, late, sendIn, life }: Acceptance): Command {
  const name = `accept(${[instance, recipient, late, sendIn, life]})`
  return command(name, async (model, real) => {
    const id = `msg_${String(model.messages.length).padStart(26, '0')}`
    const createdAt = model.now - late
    const sendAt = sendIn === null ? null : createdAt + sendIn
    const message = {
      id,
      instance: instances[instance]?.id ?? '',
      recipient: `recipient-${recipient}`,
      createdAt,
      sendAt,
      expiresAt: Math.max(createdAt, sendAt ?? 0) + life,
    }
    const [send_at, expires_at] = [sendAt, message.expiresAt]
    const times = { created_at: createdAt, send_at, expires_at }
    const accepted = await real.store.transact(
      acceptMessage,
      accepting(
        { id, instance_id: message.instance, recipient: message.recipient, ...times },
        { queueLimit, unsettledLimit },
      ),
    )
    const full = model.unsettled(message.instance).length >= queueLimit
    const all = instances.flatMap(({ id }) => model.unsettled(id)).length
    const refusal = full ? 'queue_full' : all >= unsettledLimit ? 'unsettled_quota_exceeded' : undefined
    assert.equal(accepted.kind, refusal ?? 'accepted')
    if (!refusal) model.accept(message)
  })
}

type Fate =
  | 'sent'
  | 'failed'
  | 'unknown'
  | 'uncertain'
  | 'later'
  | 'at-once'
  | 'unbegun'
  | 'paced'
  | 'silence'

function verdictOf(fate: Exclude<Fate, 'silence'>, now: number): Verdict {
  const error = { code: 'refused', detail: 'No.', permanent: fate === 'failed' }
  if (fate === 'sent' || fate === 'unknown') return { kind: fate }
  if (fate === 'failed') return { kind: 'failed', error }
  const again = { kind: 'again', error: null, uncertain: fate === 'uncertain' } as const
  if (fate === 'unbegun') return { ...again, at: now, unbegun: true }
  if (fate === 'paced') return { ...again, at: now + 10, unbegun: true }
  return { ...again, at: fate === 'later' ? now + 10 : now, error }
}

interface Call {
  readonly instance: number
  readonly claim: number
  /** Fates of the attempts under way, from the oldest on. */
  readonly fates: readonly Fate[]
  /** Committed and its answer heard, committed and its answer lost, or not committed, and its answer lost as well. */
  readonly end: 'heard' | 'unheard' | 'undone'
}

function settleAndClaimOnce({ instance, claim, fates, end }: Call): Command {
  return command(`settleAndClaim(${instance}, ${claim}, ${fates}, ${end})`, async (model, real) => {
    const instanceId = instances[instance]?.id ?? ''
    const own = [...real.underway.values()].filter((each) => each.instance === instanceId)
    for (const [index, claimed] of own.entries()) {
      const fate = fates[index] ?? 'silence'
      const member = real.members.get(claimed.id)
      if (fate === 'silence' || !member || member.burst.isOver) continue
      const { burst } = member
      burst.end(member, verdictOf(fate, model.now))
      if (burst.isOver) for (const [{ id }, verdict] of burst.verdicts) real.answers.set(id, verdict)
    }
    const attempted = own.flatMap(({ id, seq, attempt, recipient }): MessageVerdict[] => {
      const verdict = real.answers.get(id)
      return verdict ? [{ seq, attempt, recipient, verdict }] : []
    })
    const doubted = real.doubted.has(instanceId)
    if (end !== 'heard') real.doubted.add(instanceId)
    if (end === 'undone') return
    const attempts = own.map(({ seq, attempt }) => ({ seq, attempt }))
    const holding = doubted ? { attempts, epoch: 0 } : null
    const claimPerRecipient = instances[instance]?.perRecipient ?? 1
    const args = { instanceId, attempted, claim, claimPerRecipient, now: model.now, holding }
    const before = await real.store.read(inspectOutbox, null)
    const answer = await real.store.transact(settleAndClaim, args)
    if (claim > 0) checkLine(args, answer, before, await real.store.read(inspectOutbox, null))

    if (doubted) model.giveBackClaims(instanceId, new Map(own.map(({ id, attempt }) => [id, attempt])))
    for (const { id, attempt } of own) {
      const verdict = real.answers.get(id)
      if (verdict) model.answer(model.find(id), attempt, verdict)
    }
    if (claim > 0) model.claim(instanceId, claim, answer.claimed)
    if (end === 'unheard') return
    for (const { id } of own) if (real.answers.delete(id)) real.underway.delete(id)
    for (const [recipient, lane] of Map.groupBy(answer.claimed, (each) => each.recipient)) {
      const burst = new Burst(recipient)
      for (const message of lane) {
        real.underway.set(message.id, { ...message, instance: instanceId })
        real.members.set(message.id, burst.add(message))
      }
    }
    real.doubted.delete(instanceId)
  })
}

/** No message in the queue is passed over, however busy the others are; no time that has come, or comes next, is missed. */
function checkLine(
  { instanceId, claim, now }: { instanceId: string; claim: number; now: number },
  { claimed, nextDueAt }: SettledAndClaimed,
  before: OutboxRows,
  after: OutboxRows,
): void {
  const behind = Number.POSITIVE_INFINITY
  const positions = new Map(before.messages.map(({ seq, queue_position }) => [seq, queue_position ?? behind]))
  const last = Math.max(...claimed.map(({ seq }) => positions.get(seq) ?? behind))
  const own = after.messages.filter(({ instance_id }) => instance_id === instanceId)
  const queue = own.filter(({ queue_position, expires_at }) => queue_position !== null && expires_at > now)
  const passedOver = queue.filter(({ seq }) => (positions.get(seq) ?? behind) < last)
  assert.deepEqual(
    passedOver.map(({ id }) => id),
    [],
    'a message was claimed that stood farther back in the queue',
  )
  if (claimed.length < claim) assert.deepEqual(queue, [], 'a message in the queue was not claimed')
  const times = own.flatMap(({ due_at }) => (due_at === null ? [] : [due_at]))
  assert.ok(!times.some((at) => at <= now), 'a time has come, and its message was not queued')
  if (claimed.length < claim) assert.equal(nextDueAt, times.length > 0 ? Math.min(...times) : null)
}

/**
 * The answer to an attempt that was given up: the network acknowledged it, or counted it without a proof. Its message waits for
 * another, is under way again, or settled.
 */
function answerLate(pick: number, kind: 'sent' | 'unknown'): Command {
  return command(`answerLate(${pick}, ${kind})`, async (model, real) => {
    const message = picked(
      model,
      pick,
      ({ instance, attempts }) => attempts > 0 && !real.doubted.has(instance),
    )
    if (!message) return
    const { messages } = await real.store.read(inspectOutbox, null)
    const { seq, recipient } = messages.find(({ id }) => id === message.id) as OutboxRows['messages'][number]
    await real.store.transact(settleAndClaim, {
      instanceId: message.instance,
      attempted: [{ seq, attempt: 1, recipient, verdict: kind === 'sent' ? { kind } : { kind, late: true } }],
      claim: 0,
      claimPerRecipient: 1,
      now: model.now,
      holding: null,
    })
    model.answerLate(message, kind)
  })
}

/** Picks one of the messages that fit, or none. */
function picked(model: OutboxModel, pick: number, fits: (message: ModelMessage) => boolean) {
  const candidates = model.messages.filter(fits)
  return candidates[pick % Math.max(1, candidates.length)]
}

function receipt(pick: number, state: 'delivered' | 'read', stranger: boolean): Command {
  return command(`receipt(${pick}, ${state}, ${stranger})`, async (model, real) => {
    const message = picked(model, pick, ({ status }) => !['read', 'expired', 'canceled'].includes(status))
    if (!message) return
    await real.store.transact(recordReceipt, {
      instanceId: message.instance,
      networkMessageId: ownNetworkId(message.id),
      from: stranger ? 'somebody-else' : message.recipient,
      state,
      at: model.now,
    })
    if (!stranger) model.receipt(message, state)
  })
}

function giveBack(pick: number): Command {
  return command(`giveBack(${pick})`, async (model, real) => {
    const message = picked(model, pick, ({ status }) =>
      ['sending', 'sent', 'unknown', 'queued'].includes(status),
    )
    if (!message) return
    await real.store.transact(recordReturn, {
      instanceId: message.instance,
      networkMessageId: ownNetworkId(message.id),
      from: message.recipient,
      error: { code: 'recipient_gone', detail: 'Gone.', permanent: true },
      at: model.now,
    })
    model.giveBack(message)
  })
}

function showSent(pick: number): Command {
  return command(`showSent(${pick})`, async (model, real) => {
    const message = picked(model, pick, ({ status }) => ['queued', 'sending', 'unknown'].includes(status))
    if (!message) return
    await real.store.transact(recordAcknowledged, {
      instanceId: message.instance,
      networkMessageId: ownNetworkId(message.id),
      at: model.now,
    })
    model.showSent(message)
  })
}

function cancel(pick: number): Command {
  return command(`cancel(${pick})`, async (model, real) => {
    const message = picked(
      model,
      pick,
      ({ status }) => status === 'queued' || status === 'sending' || pick % 7 === 0,
    )
    if (!message) return
    const args = { organizationId: 'org_test', id: message.id, instances: null, now: model.now }
    const canceled = await real.store.transact(cancelMessage, args)
    assert.equal(canceled.kind, model.cancel(message))
  })
}

/** Forward as a rule; a clock may also be set, back and forth, and by hours. */
function passTime(ms: number): Command {
  return command(`passTime(${ms})`, async (model) => model.passTime(ms))
}

const expire = (): Command =>
  command('expire', async (model, real) => {
    await real.store.transact(expireMessages, { now: model.now, limit: 100 })
    model.expire()
  })

function discard(instance: number): Command {
  return command(`discard(${instance})`, async (model, real) => {
    const instanceId = instances[instance]?.id ?? ''
    await real.store.transact(discardQueue, { instanceId, now: model.now, limit: 100 })
    model.discard(instanceId)
  })
}

const crash = (): Command =>
  command('crash', async (model, real) => {
    let after: UnsettledPlace | null = firstPlace
    while (after) {
      const args = { now: model.now, dedupingNetworks: ['deduping'], after, limit: 3 }
      const part: Recovered = await real.store.transact(recoverMessages, args)
      after = part.next
    }
    model.recover()
    real.underway.clear()
    real.answers.clear()
    real.doubted.clear()
  })

const instance = fc.nat(instances.length - 1)
const acceptance = fc.record({
  instance,
  recipient: fc.nat(1),
  late: fc.oneof({ arbitrary: fc.constant(0), weight: 2 }, { arbitrary: fc.nat(5), weight: 1 }),
  sendIn: fc.oneof({ arbitrary: fc.constant(null), weight: 1 }, { arbitrary: fc.nat(12), weight: 1 }),
  life: fc.oneof(
    { arbitrary: fc.constant(24 * 3_600_000), weight: 2 },
    { arbitrary: fc.constant(10_000), weight: 1 },
    { arbitrary: fc.integer({ min: 1, max: 60 }), weight: 1 },
  ),
})
const fate = fc.constantFrom<Fate>(
  ...([
    'sent',
    'sent',
    'failed',
    'unknown',
    'uncertain',
    'later',
    'at-once',
    'unbegun',
    'paced',
    'silence',
  ] as const),
)
const call = fc.record({
  instance,
  claim: fc.nat(4),
  fates: fc.array(fate, { maxLength: 6 }),
  end: fc.constantFrom(
    ...(['heard', 'heard', 'heard', 'heard', 'heard', 'heard', 'unheard', 'undone'] as const),
  ),
})
const pick = fc.nat(50)
const hour = 3_600_000
const passing = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 20 }), weight: 6 },
  { arbitrary: fc.integer({ min: -8, max: -1 }), weight: 2 },
  { arbitrary: fc.constantFrom(-5 * hour, -hour, hour, 5 * hour), weight: 1 },
)

/** Everything that can happen to an outbox, the ordinary more often. */
export const outboxCommands: fc.Arbitrary<Command>[] = [
  ...Array.from({ length: 5 }, () => acceptance.map(accept)),
  ...Array.from({ length: 6 }, () => call.map(settleAndClaimOnce)),
  ...Array.from({ length: 3 }, () => passing.map(passTime)),
  fc
    .tuple(pick, fc.constantFrom('delivered' as const, 'read' as const), fc.boolean())
    .map((args) => receipt(...args)),
  fc
    .tuple(pick, fc.constantFrom('delivered' as const, 'read' as const))
    .map((args) => receipt(...args, false)),
  pick.map(giveBack),
  fc
    .tuple(pick, fc.constantFrom('sent', 'unknown'))
    .map(([pick, kind]) => answerLate(pick, kind as 'sent' | 'unknown')),
  pick.map(showSent),
  pick.map(cancel),
  fc.constant(null).map(expire),
  instance.map(discard),
  fc.constant(null).map(crash),
]
