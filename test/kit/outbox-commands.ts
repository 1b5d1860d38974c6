import assert from 'node:assert/strict'
import fc from 'fast-check'
import { acceptMessage } from '../../src/messages/accept.ts'
import { type Attempted, type Claimed, type Turned, turnOutbox } from '../../src/messages/outbox.ts'
import { recordReceipt, recordReturn } from '../../src/messages/receipts.ts'
import { recoverMessages } from '../../src/messages/recover.ts'
import { isSettled } from '../../src/messages/status.ts'
import { cancelMessage, discardQueue, expireMessages } from '../../src/messages/sweep.ts'
import type { Verdict } from '../../src/messages/verdict.ts'
import type { Store } from '../../src/store/store.ts'
import { instances, type ModelMessage, type OutboxModel } from './outbox-model.ts'
import { inspectOutbox, type OutboxRows } from './outbox-store.ts'

/** A real outbox, and what a server keeps in memory about it. */
export class RealOutbox {
  readonly store: Store
  /** Attempts under way, by the id of their message. */
  underway = new Map<string, Claimed & { readonly instance: string }>()
  /** How attempts ended, as long as nobody knows that the store has heard it. */
  readonly answers = new Map<string, Verdict>()
  /** Instances whose last turn ended without an answer. */
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
  /** How much earlier the server looked at its clock than the transaction was carried out. */
  readonly late: number
  readonly sendIn: number | null
  readonly life: number
}

const queueLimit = 12

function accept({ instance, recipient, late, sendIn, life }: Acceptance): Command {
  const name = `accept(${[instance, recipient, late, sendIn, life]})`
  return command(name, async (model, real) => {
    const id = `msg_${model.messages.length}`
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
    const accepted = await real.store.transact(acceptMessage, {
      message: {
        id,
        organization_id: 'org_test',
        instance_id: message.instance,
        instance_name: message.instance,
        recipient: message.recipient,
        kind: 'text',
        text: 'a text',
        network_message_id: `network-${id}`,
        client_ref: null,
        metadata: null,
        created_at: createdAt,
        send_at: sendAt,
        expires_at: message.expiresAt,
      },
      queueLimit,
      idempotency: null,
    })
    const full = model.unsettled(message.instance).length >= queueLimit
    assert.equal(accepted.kind, full ? 'queue_full' : 'accepted')
    if (!full) model.accept(message)
  })
}

type Fate = 'sent' | 'failed' | 'unknown' | 'uncertain' | 'later' | 'at-once' | 'unbegun' | 'silence'

function verdictOf(fate: Exclude<Fate, 'silence'>, now: number): Verdict {
  const error = { code: 'refused', detail: 'No.', permanent: fate === 'failed' }
  if (fate === 'sent' || fate === 'unknown') return { kind: fate }
  if (fate === 'failed') return { kind: 'failed', error }
  const again = { kind: 'again', error: null, uncertain: fate === 'uncertain' } as const
  if (fate === 'unbegun') return { ...again, at: now, unbegun: true }
  return { ...again, at: fate === 'later' ? now + 40 : now, error }
}

interface Turn {
  readonly instance: number
  readonly claim: number
  /** What becomes of the attempts under way, from the oldest on. */
  readonly fates: readonly Fate[]
  /** Whether the answer of the store is heard. */
  readonly heard: boolean
}

function turn({ instance, claim, fates, heard }: Turn): Command {
  return command(`turn(${instance}, ${claim}, ${fates}, ${heard})`, async (model, real) => {
    const instanceId = instances[instance]?.id ?? ''
    const own = [...real.underway.values()].filter((each) => each.instance === instanceId)
    const attempted: Attempted[] = []
    for (const [index, { id, seq, recipient }] of own.entries()) {
      const fate = fates[index] ?? 'silence'
      const verdict = real.answers.get(id) ?? (fate === 'silence' ? null : verdictOf(fate, model.now))
      if (!verdict) continue
      real.answers.set(id, verdict)
      attempted.push({ seq, recipient, verdict })
    }
    const doubted = real.doubted.has(instanceId)
    const holding = doubted ? own.map(({ seq }) => seq) : null
    const args = { instanceId, attempted, claim, now: model.now, holding }
    const before = await real.store.read(inspectOutbox, null)
    const turned = await real.store.transact(turnOutbox, args)
    checkFairness(args, turned, before, await real.store.read(inspectOutbox, null))

    if (doubted) model.giveBackClaims(instanceId, new Set(own.map(({ id }) => id)))
    for (const { id } of own) {
      const verdict = real.answers.get(id)
      if (verdict) model.answer(model.find(id), verdict)
    }
    if (claim > 0) model.claim(instanceId, claim, turned)
    if (heard) {
      for (const { id } of own) if (real.answers.delete(id)) real.underway.delete(id)
      for (const each of turned.claimed) real.underway.set(each.id, { ...each, instance: instanceId })
      real.doubted.delete(instanceId)
    } else {
      real.doubted.add(instanceId)
    }
  })
}

/** Whoever has had the turn for longer goes first: no lane is passed over for ever, however busy the others are. */
function checkFairness(
  { instanceId, now }: { instanceId: string; now: number },
  { claimed }: Turned,
  before: OutboxRows,
  { messages }: OutboxRows,
): void {
  const turns = new Map(before.messages.map(({ seq, turn_at }) => [seq, turn_at]))
  const latest = Math.max(0, ...claimed.map(({ seq }) => turns.get(seq) ?? now))
  const passedOver = messages.filter(
    (row) =>
      row.instance_id === instanceId && row.turn_at !== null && row.expires_at > now && row.turn_at < latest,
  )
  assert.deepEqual(
    passedOver.map(({ id }) => id),
    [],
    'a lane that has had the turn for longer was passed over',
  )
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
      networkMessageId: `network-${message.id}`,
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
      networkMessageId: `network-${message.id}`,
      from: message.recipient,
      error: { code: 'recipient_gone', detail: 'Gone.', permanent: true },
      at: model.now,
    })
    model.giveBack(message)
  })
}

function cancel(pick: number): Command {
  return command(`cancel(${pick})`, async (model, real) => {
    const message = picked(model, pick, ({ status }) => !isSettled(status) || pick % 7 === 0)
    if (!message) return
    const args = { organizationId: 'org_test', id: message.id, now: model.now }
    const canceled = await real.store.transact(cancelMessage, args)
    assert.equal(canceled.kind, model.cancel(message))
  })
}

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
    await real.store.transact(recoverMessages, { now: model.now, dedupingNetworks: ['deduping'] })
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
    { arbitrary: fc.constant(10_000), weight: 3 },
    { arbitrary: fc.integer({ min: 1, max: 60 }), weight: 1 },
  ),
})
const fate = fc.constantFrom<Fate>(
  ...(['sent', 'sent', 'failed', 'unknown', 'uncertain', 'later', 'at-once', 'unbegun', 'silence'] as const),
)
const turning = fc.record({
  instance,
  claim: fc.nat(4),
  fates: fc.array(fate, { maxLength: 6 }),
  heard: fc.oneof({ arbitrary: fc.constant(true), weight: 9 }, { arbitrary: fc.constant(false), weight: 1 }),
})
const pick = fc.nat(50)
/** Forward as a rule; a clock may also be set back. */
const passing = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 20 }), weight: 3 },
  { arbitrary: fc.integer({ min: -8, max: -1 }), weight: 1 },
)

/** Everything that can happen to an outbox, the ordinary more often. */
export const outboxCommands: fc.Arbitrary<Command>[] = [
  ...Array.from({ length: 5 }, () => acceptance.map(accept)),
  ...Array.from({ length: 6 }, () => turning.map(turn)),
  ...Array.from({ length: 3 }, () => passing.map(passTime)),
  fc
    .tuple(pick, fc.constantFrom('delivered' as const, 'read' as const), fc.boolean())
    .map((args) => receipt(...args)),
  fc
    .tuple(pick, fc.constantFrom('delivered' as const, 'read' as const))
    .map((args) => receipt(...args, false)),
  pick.map(giveBack),
  pick.map(cancel),
  fc.constant(null).map(expire),
  instance.map(discard),
  fc.constant(null).map(crash),
]
