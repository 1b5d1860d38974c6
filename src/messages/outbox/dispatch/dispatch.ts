import { isDeepStrictEqual } from 'node:util'
import type { DriverConnection } from '../../../networks/driver/connection.ts'
import type { Driver } from '../../../networks/driver/driver.ts'
import { type Pacing, type Pausing, slowestTransfer } from '../../../networks/driver/limits.ts'
import type { OutgoingMessage } from '../../../networks/driver/message.ts'
import type { Restriction } from '../../../networks/driver/observation.ts'
import { type Outcome, uncertain } from '../../../networks/driver/outcome.ts'
import type { Changes } from '../../../runtime/changes.ts'
import { type Clock, isMoment } from '../../../runtime/clock.ts'
import type { Rate } from '../../../runtime/config/setting-values.ts'
import { SlidingWindowLimit } from '../../../runtime/limits/sliding-window-limit.ts'
import type { Log } from '../../../runtime/log.ts'
import type { Alarms } from '../../../runtime/timers/alarms.ts'
import type { Store } from '../../../store/store.ts'
import { WakeUp } from '../../../store/wake-up.ts'
import type { ClaimedMessage } from '../queue/claim.ts'
import { type Attempt, type MessageVerdict, settleAndClaim } from '../queue/settle-and-claim.ts'
import { judge, sentBy, type Verdict } from '../queue/verdict.ts'
import { Burst, type BurstMember } from './burst.ts'
import { type OpenFile, outgoingMessage } from './outgoing.ts'
import { RandomDelay } from './random-delay.ts'
import { RecipientLimits } from './recipient-limits.ts'

/** The parts that all dispatches of a node share. */
export interface DispatchContext {
  /** The node that this process runs: it sends while surely no other has taken its instances over. */
  readonly node: { readonly trusted: boolean }
  /** In the turns of the organization of the instance. */
  readonly store: Store
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in' | 'at'>
  readonly random: () => number
  readonly log: Log
  readonly openFile: OpenFile
  /** Notified after the commit with each message that changed. */
  readonly messageChanges: Changes
  readonly metrics: {
    /** Counts the verdict on each attempt after its commit. */
    attempted(verdict: Verdict): void
  }
}

/** The instance whose messages are handed over. */
export interface DispatchedInstance {
  readonly id: string
  readonly epoch: number
  readonly pacing: Pacing | Pausing | null
  /** When its account was linked, in milliseconds since the epoch; null, or missing, if it is not, or needs no link. */
  readonly linkedAt?: (() => number | null) | undefined
  /** Milliseconds in which a person who wrote may be answered; any time if missing. */
  readonly replyWindow?: number | null
  readonly endConnection: () => void
}

/**
 * Hands the messages of one instance to its network: the only place where a message leaves. It claims what is due, sends it,
 * and settles the outcome; each transaction of the outbox settles and claims. It holds nothing that the store does not have,
 * except the answers that wait for the next transaction.
 */
export class Dispatch {
  readonly #context: DispatchContext
  readonly #driver: Driver
  readonly #instanceId: string
  readonly #epoch: number
  readonly #replyWindow: number | null
  readonly #linkedAt: DispatchedInstance['linkedAt']
  #pacing: DispatchedInstance['pacing']
  #pace: SlidingWindowLimit | RandomDelay
  readonly #recipientLimits: RecipientLimits
  /** The network refuses every message of the account until then, on the monotonic clock. */
  #deferredUntil = Number.NEGATIVE_INFINITY
  /** Ends a connection that owes too many answers. */
  readonly #endConnection: () => void
  #connection: DriverConnection | undefined
  #restriction: Restriction | null = null
  /**
   * The bursts with attempts that have not ended. A list, and no set: sets that live long make what was in them live long
   * (docs/decisions/0078).
   */
  readonly #bursts: Burst[] = []
  /** Number of attempts that are under way. Each has a place in flight. */
  #underway = 0
  /** Attempts that the driver has not answered: those that are under way, and those that were given up. */
  #unanswered = 0
  /** True if the answer to the last transaction was lost: the store may hold claims that dispatch does not know of. */
  #doubtful = false
  #answered: Answered[] = []
  #working = false
  #wanted = false
  readonly #wakeUp: WakeUp
  #idle: (() => void)[] = []

  constructor(context: DispatchContext, driver: Driver, instance: DispatchedInstance) {
    this.#context = context
    this.#driver = driver
    this.#instanceId = instance.id
    this.#epoch = instance.epoch
    this.#replyWindow = instance.replyWindow ?? null
    this.#linkedAt = instance.linkedAt
    this.#pacing = instance.pacing
    this.#pace = paceOf(context, instance)
    this.#recipientLimits = new RecipientLimits(rateOf(driver.limits.pacing_per_recipient))
    this.#endConnection = instance.endConnection
    this.#wakeUp = new WakeUp(context, () => this.wake())
  }

  /** From now on messages leave through this connection. */
  open(connection: DriverConnection): void {
    this.#connection = connection
    this.wake()
  }

  /** No further message leaves; attempts that are under way are still settled as they end. */
  pause(): void {
    this.#connection = undefined
    this.#wakeUp.cancel()
    // It may have been set because the store had failed.
    if (this.#answered.length > 0 || this.#doubtful) this.wake()
  }

  /** From now on messages leave at this pace. Those that left within the time of a rate still count. */
  repace(pacing: Pacing | Pausing | null): void {
    if (isDeepStrictEqual(pacing, this.#pacing)) return
    const next = paceOf(this.#context, { pacing, linkedAt: this.#linkedAt })
    const last = this.#pace
    const areRates = next instanceof SlidingWindowLimit && last instanceof SlidingWindowLimit
    this.#pace = areRates ? last.changed(next.rate) : next
    this.#pacing = pacing
    this.wake()
  }

  restrict(restriction: Restriction | null): void {
    this.#restriction = restriction
    this.wake()
  }

  /** Looks for due messages. Cheap, and may be called at any time. */
  wake(): void {
    this.#wanted = true
    if (!this.#working) void this.#work()
  }

  /** Resolves when no attempt is under way and every answer is stored. */
  async settle(): Promise<void> {
    if (this.isIdle && !this.#working) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  async #work(): Promise<void> {
    this.#working = true
    while (this.#wanted) {
      this.#wanted = false
      if (!(await this.#settleAndClaim())) break
    }
    this.#working = false
    if (this.isIdle) for (const resolve of this.#idle.splice(0)) resolve()
  }

  get isIdle(): boolean {
    return this.#bursts.length === 0 && this.#answered.length === 0 && !this.#doubtful
  }

  /** Settles what ended and claims what is due; false if the store failed and an alarm will try again. */
  async #settleAndClaim(): Promise<boolean> {
    const { store, clock } = this.#context
    const attempted = this.#answered
    const claim = this.#claimable()
    if (attempted.length === 0 && claim === 0 && !this.#doubtful) return true
    this.#answered = []
    const now = clock.now()
    try {
      const { claimed, refused, nextDueAt } = await store.transact(settleAndClaim, {
        instanceId: this.#instanceId,
        attempted: attempted.map(({ attempt }) => attempt),
        claim,
        claimPerRecipient: this.#driver.limits.in_flight_per_recipient,
        replyWindow: this.#replyWindow,
        now,
        holding: this.#doubtful ? { attempts: this.#heldBeside(attempted), epoch: this.#epoch } : null,
      })
      this.#doubtful = false
      for (const { id, attempt } of attempted) this.#notify(id, attempt.verdict)
      for (const { id, error } of refused) {
        if (error) this.#notify(id, { kind: 'failed', error })
        else this.#context.messageChanges.notify(id)
      }
      let begun = 0
      for (const member of this.#inBursts(claimed)) if (this.#send(member)) begun++
      this.#pace.take(begun, clock.monotonic())
      if (claim > 0 && (claimed.length === claim || refused.length > 0)) this.#wanted = true
      if (nextDueAt !== null) this.#wakeUp.at(nextDueAt)
      return true
    } catch (error) {
      this.#context.log.error(
        { err: error, instance_id: this.#instanceId },
        'the outbox transaction failed; retrying',
      )
      // The transaction may have succeeded, so the next one is another, which resolves the doubt (docs/decisions/0015).
      this.#answered = [...attempted, ...this.#answered]
      this.#doubtful = true
      this.#wakeUp.afterFailure()
      return false
    }
  }

  /** All attempts that dispatch knows of: those that have not ended, and those that are being settled. */
  #heldBeside(attempted: readonly Answered[]): Attempt[] {
    const held = this.#bursts.flatMap(({ members }) => members.map(({ message }) => message))
    return [...held, ...attempted.map(({ attempt }) => attempt)].map(attemptOf)
  }

  #notify(id: string, verdict: Verdict): void {
    this.#context.messageChanges.notify(id)
    this.#context.metrics.attempted(verdict)
  }

  /**
   * Returns the number of messages that may be claimed now: what is free in flight, as the pace and the network's
   * restriction allow.
   */
  #claimable(): number {
    if (!this.#connection) return 0
    const { clock } = this.#context
    const restriction = this.#restriction
    if (
      restriction?.scope === 'all_messages' &&
      (restriction.ends_at === null || restriction.ends_at > clock.now())
    ) {
      if (restriction.ends_at !== null) this.#wakeUp.at(restriction.ends_at)
      return 0
    }
    const deferred = this.#deferredUntil - clock.monotonic()
    if (deferred > 0) {
      this.#wakeUp.in(deferred)
      return 0
    }
    const free = this.#driver.limits.in_flight - this.#underway
    const paced = this.#pace.available(clock.monotonic())
    if (paced === 0 && free > 0) this.#wakeUp.in(this.#pace.untilNext(clock.monotonic()))
    return Math.max(0, Math.min(free, paced))
  }

  /** Puts messages that were just claimed into bursts: those to one recipient follow one another. */
  #inBursts(claimed: readonly ClaimedMessage[]): BurstMember[] {
    let burst: Burst | undefined
    return claimed.map((message) => {
      if (burst?.recipient !== message.recipient) {
        burst = new Burst(message.recipient)
        this.#bursts.push(burst)
      }
      return burst.add(message)
    })
  }

  /** False if the attempt is not begun. */
  #send(member: BurstMember): boolean {
    const { message } = member
    // While this attempt was being claimed, the network answered one that had been given up.
    if (this.#answered.some(({ attempt }) => attempt.seq === message.seq)) {
      this.#end(member, null)
      return false
    }
    const { clock, node } = this.#context
    const maySend = this.#connection && node.trusted
    const wait = maySend ? this.#recipientLimits.take(message.recipient, clock.monotonic()) : 0
    if (!this.#connection || !maySend || wait > 0) {
      this.#keep(member, { kind: 'again', at: wait > 0 ? clock.now() + wait : 0, ...unbegun })
      return false
    }
    member.isUnderway = true
    this.#underway++
    this.#unanswered++
    void this.#attempt(this.#connection, member, outgoingMessage(message, this.#context.openFile))
    return true
  }

  /** Sends a message. A driver that throws has a bug, so it is uncertain how far the message got. */
  async #attempt(connection: DriverConnection, member: BurstMember, order: OutgoingMessage): Promise<void> {
    const { message } = member
    const deadline = this.#context.alarms.in(this.#answerTimeout(message), () => this.#giveUp(member))
    let outcome: Outcome
    try {
      outcome = await connection.send(order, message.attempt)
    } catch (error) {
      this.#context.log.error(
        { err: error, network: this.#driver.network },
        'the driver failed while sending',
      )
      outcome = uncertain('the driver failed')
    }
    deadline.cancel()
    this.#unanswered--
    this.#hear(member, outcome)
  }

  /** Returns the milliseconds that an attempt may take: for a file, those that it takes on a slow line are added. */
  #answerTimeout({ file }: ClaimedMessage): number {
    return this.#driver.limits.answer_timeout_seconds * 1000 + (file?.size ?? 0) / slowestTransfer
  }

  /**
   * An attempt that was given up is judged already. Its late outcome counts only if the network accepted it: all attempts
   * carry one id, so the message is sent and needs no other attempt. It also counts if the network counted it without a
   * proof: then no other attempt may follow, unless one is under way, whose own outcome decides.
   */
  #hear(member: BurstMember, outcome: Outcome): void {
    if (member.isUnderway) this.#judge(member, outcome, 0)
    else if (outcome.kind === 'accepted') this.#keep(member, { ...sentBy(outcome), late: true })
    else if (outcome.kind === 'uncertain' && outcome.counted && !this.#isUnderway(member.message))
      this.#keep(member, { kind: 'unknown', late: true })
  }

  #isUnderway({ seq }: ClaimedMessage): boolean {
    return this.#bursts.some(({ members }) =>
      members.some(({ message, isUnderway }) => isUnderway && message.seq === seq),
    )
  }

  /** Gives up an attempt that got no answer in time: it is uncertain how far the message got. */
  #giveUp(member: BurstMember): void {
    this.#judge(member, uncertain('the network did not answer in time'), this.#answerTimeout(member.message))
    const owed = this.#unanswered - this.#underway
    if (this.#connection && owed >= this.#driver.limits.in_flight) this.#endConnection()
  }

  #judge(member: BurstMember, answer: Outcome, waited: number): void {
    const { clock, random } = this.#context
    // Deferred until no moment at all is refused for now.
    const isSound = answer.kind !== 'deferred' || isMoment(answer.until)
    const outcome: Outcome = isSound ? answer : { kind: 'rejected', error: answer.error }
    member.isUnderway = false
    this.#underway--
    if (outcome.kind === 'deferred' && outcome.scope === 'instance')
      this.#deferredUntil = Math.max(this.#deferredUntil, clock.monotonic() + outcome.until - clock.now())
    const { attempt } = member.message
    const dedupesById = this.#driver.limits.dedupes_by_id
    const facts = { attempt, dedupesById, waited, now: clock.now(), random: random() }
    this.#keep(member, judge(outcome, facts))
  }

  #keep(member: BurstMember, verdict: Verdict): void {
    if (member.burst.isOver) this.#addAnswers([[member.message, verdict]])
    else this.#end(member, verdict)
  }

  /** Ends an attempt: with a verdict, or with none because it was no longer needed. */
  #end(member: BurstMember, verdict: Verdict | null): void {
    const { burst } = member
    burst.end(member, verdict)
    if (!burst.isOver) return
    this.#bursts.splice(this.#bursts.indexOf(burst), 1)
    this.#addAnswers(burst.verdicts)
  }

  #addAnswers(verdicts: readonly (readonly [ClaimedMessage, Verdict])[]): void {
    for (const [{ seq, id, recipient, attempt }, verdict] of verdicts)
      this.#answered.push({ id, attempt: { seq, recipient, attempt, verdict } })
    this.wake()
  }
}

function paceOf(
  { clock, random }: DispatchContext,
  { pacing, linkedAt }: Pick<DispatchedInstance, 'pacing' | 'linkedAt'>,
): SlidingWindowLimit | RandomDelay {
  if (!pacing || !('min_seconds' in pacing)) return new SlidingWindowLimit(rateOf(pacing))
  const linkAge = () => {
    const linked = linkedAt?.() ?? null
    return linked === null ? null : clock.now() - linked
  }
  return new RandomDelay(pacing, { random, linkAge }, clock.monotonic())
}

function rateOf(pacing: Pacing | null): Rate | null {
  return pacing && { count: pacing.messages, seconds: pacing.seconds }
}

function attemptOf({ seq, attempt }: Attempt): Attempt {
  return { seq, attempt }
}

/** An attempt that has ended, and whose verdict is not stored yet. */
interface Answered {
  /** The id of its message. */
  readonly id: string
  readonly attempt: MessageVerdict
}

/** The facts about an attempt whose connection was lost while it was being claimed: surely nothing was sent. */
const unbegun = { error: null, uncertain: false, unbegun: true } as const
