import assert from 'node:assert/strict'
import type { MessageStatus } from '../../src/contract/message.ts'
import type { Claimed, Turned } from '../../src/messages/outbox.ts'
import { isSettled, mayBecome } from '../../src/messages/status.ts'
import type { Verdict } from '../../src/messages/verdict.ts'
import type { OutboxRows } from './outbox-store.ts'

/** What must be true of one message. */
export interface ModelMessage {
  readonly id: string
  readonly instance: string
  readonly recipient: string
  readonly createdAt: number
  readonly sendAt: number | null
  readonly expiresAt: number
  status: MessageStatus
  attempts: number
  /** An attempt ended without an answer. */
  uncertain: boolean
  /** An attempt has begun and nobody told how it ended. */
  underway: boolean
  /** When it may be tried again, after an attempt. */
  retryAt: number
  delivered: boolean
  read: boolean
}

/** The networks of the instances in the model: one tells repetitions by their id, the other does not. */
export const instances = [
  { id: 'inst_deduping', network: 'deduping' },
  { id: 'inst_forgetful', network: 'forgetful' },
] as const

/** A plain description of an outbox: what callers were promised, without turns, indexes or transactions. */
export class OutboxModel {
  readonly messages: ModelMessage[] = []
  /** When the last message of a lane that had been attempted was settled, and how many had been accepted by then. */
  readonly #freed = new Map<string, { readonly at: number; readonly accepted: number }>()
  now = 1_000
  /** The latest time there ever was; clocks are set back now and then. */
  latest = 1_000

  passTime(ms: number): void {
    this.now += ms
    this.latest = Math.max(this.latest, this.now)
  }

  find(id: string): ModelMessage {
    const message = this.messages.find((candidate) => candidate.id === id)
    assert.ok(message, `${id} was never accepted`)
    return message
  }

  unsettled(instance: string): ModelMessage[] {
    return this.messages.filter((message) => message.instance === instance && !isSettled(message.status))
  }

  accept(
    given: Pick<ModelMessage, 'id' | 'instance' | 'recipient' | 'createdAt' | 'sendAt' | 'expiresAt'>,
  ): void {
    const fresh = {
      attempts: 0,
      uncertain: false,
      underway: false,
      retryAt: 0,
      delivered: false,
      read: false,
    }
    this.messages.push({ ...given, ...fresh, status: 'queued' })
  }

  /** Settles a message for what is known of it: a noted receipt says more than anything else. */
  settle(message: ModelMessage, status: MessageStatus): void {
    if (message.status === 'sending')
      this.#freed.set(laneOf(message), { at: this.now, accepted: this.messages.length })
    message.status = message.read ? 'read' : message.delivered ? 'delivered' : status
    message.underway = false
  }

  /** What an attempt came to. Late words about a message that is settled change nothing. */
  answer(message: ModelMessage, verdict: Verdict): void {
    if (isSettled(message.status) || !message.underway) return
    if (verdict.kind === 'again' && !message.delivered) {
      if (verdict.unbegun) message.attempts--
      message.underway = false
      message.retryAt = verdict.at
      message.uncertain ||= verdict.uncertain
    } else if (verdict.kind === 'sent') {
      this.settle(message, 'sent')
    } else {
      this.settle(message, verdict.kind === 'failed' && !message.uncertain ? 'failed' : 'unknown')
    }
  }

  receipt(message: ModelMessage, state: 'delivered' | 'read'): void {
    if (message.status === 'sending' ? false : !mayBecome(message.status, state)) return
    message.delivered = true
    message.read ||= state === 'read'
    if (message.status !== 'sending') message.status = state
    else if (!message.underway) this.settle(message, state)
  }

  giveBack(message: ModelMessage): void {
    if (message.delivered || !mayBecome(message.status, 'failed')) return
    this.settle(message, message.status === 'sending' && message.uncertain ? 'unknown' : 'failed')
  }

  /** Tells whether it may be canceled. */
  cancel(message: ModelMessage): 'canceled' | 'not_cancelable' {
    if (message.status === 'canceled') return 'canceled'
    const waits = message.status === 'queued' || (message.status === 'sending' && !message.underway)
    if (!waits || message.uncertain) return 'not_cancelable'
    this.settle(message, 'canceled')
    return 'canceled'
  }

  expire(): void {
    for (const message of this.messages) {
      if (isSettled(message.status) || message.underway || message.expiresAt > this.now) continue
      this.settle(message, message.uncertain ? 'unknown' : 'expired')
    }
  }

  discard(instance: string): void {
    for (const message of this.unsettled(instance))
      this.settle(message, message.underway || message.uncertain ? 'unknown' : 'canceled')
  }

  /** The server ended, and another begins: it knows only what was kept. */
  recover(): void {
    for (const message of this.messages) {
      if (!message.underway || isSettled(message.status)) continue
      if (message.delivered || message.instance !== 'inst_deduping') this.settle(message, 'unknown')
      else Object.assign(message, { underway: false, uncertain: true, retryAt: this.now })
    }
  }

  /** A turn was kept, but nobody heard what it claimed: nothing of it was sent. */
  giveBackClaims(instance: string, holding: ReadonlySet<string>): void {
    for (const message of this.unsettled(instance)) {
      if (!message.underway || holding.has(message.id)) continue
      Object.assign(message, { underway: false, attempts: message.attempts - 1, retryAt: this.now })
    }
  }

  /** Takes the claims of a turn, each of which must have been allowed, and asks for those that were forgotten. */
  claim(instance: string, wanted: number, { claimed, nextTurnAt }: Turned): void {
    assert.ok(claimed.length <= wanted, 'no more is claimed than was asked for')
    for (const each of claimed) this.#begin(instance, each)
    if (claimed.length === wanted) return
    const waiting = this.unsettled(instance).filter((message) => !message.underway)
    const next = waiting.filter((message) => message.status === 'sending' || this.#isFree(message))
    const times = next.map((message) => dueAt(message)).filter((at) => at > this.now)
    const ready = waiting.find((message) => this.#isReady(message))
    if (ready) {
      assert.ok(
        this.now < this.latest && nextTurnAt !== null && nextTurnAt <= this.latest,
        `${ready.id} starves`,
      )
    }
    // Where the clock was set back, a turn that was given before may have to wait until that moment comes again.
    const setBack = this.now < this.latest ? this.latest : 0
    if (times.length > 0) {
      assert.ok(
        nextTurnAt !== null && nextTurnAt <= Math.max(Math.min(...times), setBack),
        'the next turn is slept through',
      )
    }
  }

  #begin(instance: string, { id, attempt, recipient }: Claimed): void {
    const message = this.find(id)
    assert.equal(message.instance, instance, 'a message leaves through its own instance')
    assert.equal(message.recipient, recipient)
    assert.ok(
      !isSettled(message.status) && !message.underway,
      `${id} (${message.status}) was not to be claimed`,
    )
    assert.ok(dueAt(message) <= this.latest, `${id} was claimed before its time`)
    assert.ok(message.expiresAt > this.now, `${id} was claimed after its time`)
    assert.equal(attempt, message.attempts + 1, 'attempts are counted from 1')
    const lane = this.unsettled(instance).filter(
      (other) => other.recipient === recipient && other !== message,
    )
    assert.deepEqual(
      lane.filter((other) => other.underway).map((other) => other.id),
      [],
      `${id} is not alone`,
    )
    if (message.status === 'queued') this.#checkOrder(message, lane)
    Object.assign(message, { status: 'sending', underway: true, attempts: attempt })
  }

  /** Earlier messages go first, but for those that were scheduled and joined the lane after this one had the turn. */
  #checkOrder(message: ModelMessage, lane: readonly ModelMessage[]): void {
    const place = this.messages.indexOf(message)
    const freed = this.#freed.get(laneOf(message))
    const waited = freed && freed.accepted > place ? freed.at : 0
    const since = Math.max(message.createdAt, message.sendAt ?? 0, waited)
    const overtaken = lane.filter(
      (other) =>
        other.status === 'sending' ||
        (this.messages.indexOf(other) < place &&
          (other.sendAt === null || (other.sendAt <= since && other.sendAt <= this.now))),
    )
    assert.deepEqual(
      overtaken.map((other) => other.id),
      [],
      `${message.id} overtook an earlier message`,
    )
  }

  /** True when nothing keeps a message from being claimed now. */
  #isReady(message: ModelMessage): boolean {
    const lane = this.unsettled(message.instance).filter((other) => other.recipient === message.recipient)
    if (dueAt(message) > this.now || message.expiresAt <= this.now) return false
    if (message.status === 'sending') return true
    return (
      this.#isFree(message) && lane.every((other) => dueAt(other) > this.now || other.expiresAt > this.now)
    )
  }

  /** True when no message of the lane has been attempted and waits, or is under way. */
  #isFree({ instance, recipient }: ModelMessage): boolean {
    return this.unsettled(instance).every(
      (other) => other.recipient !== recipient || other.status === 'queued',
    )
  }

  /** Compares what is in the store with what must be there. */
  check({ messages, depths }: OutboxRows): void {
    const rows = messages.map((row) => ({
      id: row.id,
      status: row.status,
      attempts: row.attempts,
      underway: row.status === 'sending' && row.turn_at === null,
      delivered: row.delivered_at !== null,
      read: row.read_at !== null,
    }))
    const wanted = this.messages.map(({ id, status, attempts, underway, delivered, read }) => {
      return { id, status, attempts, underway, delivered, read }
    })
    assert.deepEqual(rows, wanted)
    for (const { id, queue_depth } of depths)
      assert.equal(Number(queue_depth), this.unsettled(id).length, `the queue depth of ${id}`)
    for (const row of messages) {
      if (isSettled(row.status)) assert.equal(row.turn_at, null, `${row.id} is settled and has a turn`)
      if (['delivered', 'read', 'sent'].includes(row.status))
        assert.ok(row.sent_at !== null, `${row.id} was sent`)
    }
    this.#checkTurns(messages.filter((row) => !isSettled(row.status)))
  }

  #checkTurns(rows: OutboxRows['messages']): void {
    const lanes = Map.groupBy(rows, (row) => `${row.instance_id} ${row.recipient}`)
    for (const [lane, members] of lanes) {
      const holders = members.filter((row) => row.turn_at !== null || row.status === 'sending')
      assert.ok(holders.length > 0, `nobody has the turn in ${lane}`)
      const present = holders.filter((row) => row.send_at === null || row.status === 'sending')
      assert.ok(present.length <= 1, `${present.map((row) => row.id)} have the turn in ${lane}`)
    }
  }
}

/** When a message may be claimed at the earliest. */
function dueAt(message: ModelMessage): number {
  return message.status === 'sending' ? message.retryAt : (message.sendAt ?? 0)
}

function laneOf(message: ModelMessage): string {
  return `${message.instance} ${message.recipient}`
}
