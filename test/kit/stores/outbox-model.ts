import assert from 'node:assert/strict'
import type { MessageEventData } from '../../../src/contract/resources/event.ts'
import type { MessageStatus } from '../../../src/contract/resources/message.ts'
import type { ClaimedMessage } from '../../../src/messages/outbox/queue/claim.ts'
import type { Verdict } from '../../../src/messages/outbox/queue/verdict.ts'
import type { OutboxRows } from './outbox-store.ts'

/** Truths about one message. */
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
  /** An attempt has begun, and its outcome is not known yet. */
  underway: boolean
  /** When it may be tried again, after an attempt; 0 for at once. */
  retryAt: number
  /** Its last attempt was made together with that of an earlier message: it may go with that one, before its own time. */
  followed: boolean
  delivered: boolean
  read: boolean
}

/**
 * The networks of the instances in the model: one deduplicates by id, and takes several texts to one recipient at once; the
 * other does neither.
 */
export const instances = [
  { id: 'inst_deduping', network: 'deduping', perRecipient: 3 },
  { id: 'inst_forgetful', network: 'forgetful', perRecipient: 1 },
] as const

/** A plain description of an outbox: what callers were promised, without indexes or transactions. */
export class OutboxModel {
  readonly messages: ModelMessage[] = []
  now = 1_700_000_000_000
  /** The latest time there ever was; clocks are set back now and then. */
  latest = this.now

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
      followed: false,
      delivered: false,
      read: false,
    }
    this.messages.push({ ...given, ...fresh, status: 'queued' })
  }

  /** Settles a message for what is known of it: a noted receipt says more than anything else. */
  settle(message: ModelMessage, status: MessageStatus): void {
    message.status = message.read ? 'read' : message.delivered ? 'delivered' : status
    message.underway = false
  }

  /** The outcome of an attempt. A late outcome of one that is over changes nothing. */
  answer(message: ModelMessage, attempt: number, verdict: Verdict): void {
    if (message.status !== 'sending') return
    if (verdict.kind === 'sent') this.settle(message, 'sent')
    else if (!message.underway || message.attempts !== attempt) return
    else if (verdict.kind !== 'again')
      this.settle(message, verdict.kind === 'failed' && !message.uncertain ? 'failed' : 'unknown')
    else if (message.delivered) this.settle(message, 'delivered')
    else {
      if (verdict.unbegun) message.attempts--
      message.underway = false
      message.retryAt = verdict.at <= this.now ? 0 : verdict.at
      message.uncertain ||= verdict.uncertain
    }
  }

  /** The network acknowledged or counted an attempt that had been given up: the message gets no other. */
  answerLate(message: ModelMessage, status: 'sent' | 'unknown'): void {
    if (message.status === 'sending') this.settle(message, status)
  }

  /** The network shows that it has the message: what was not known of its attempts is known. */
  showSent(message: ModelMessage): void {
    const waits = message.status === 'sending' && !message.underway && message.uncertain
    if (waits || message.status === 'unknown') this.settle(message, 'sent')
  }

  receipt(message: ModelMessage, state: 'delivered' | 'read'): void {
    const before: MessageStatus[] = [
      'sending',
      'sent',
      'unknown',
      ...(state === 'read' ? (['delivered'] as const) : []),
    ]
    if (!before.includes(message.status)) return
    message.delivered = true
    message.read ||= state === 'read'
    if (message.status !== 'sending') message.status = state
    else if (!message.underway) this.settle(message, state)
  }

  giveBack(message: ModelMessage): void {
    if (message.delivered || !['sending', 'sent', 'unknown'].includes(message.status)) return
    this.settle(message, message.status === 'sending' && message.uncertain ? 'unknown' : 'failed')
  }

  /** Returns whether it may be canceled. */
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

  /** The server ended, and another begins: it knows only what was stored. */
  recover(): void {
    for (const message of this.messages) {
      if (!message.underway || isSettled(message.status)) continue
      if (message.delivered || message.instance !== 'inst_deduping') this.settle(message, 'unknown')
      else Object.assign(message, { underway: false, uncertain: true, retryAt: 0 })
    }
  }

  /** A call was committed, but its claims were lost: nothing of it was sent. `holding` has attempts by message. */
  giveBackClaims(instance: string, holding: ReadonlyMap<string, number>): void {
    for (const message of this.unsettled(instance)) {
      if (!message.underway || holding.get(message.id) === message.attempts) continue
      this.answer(message, message.attempts, unbegun)
    }
  }

  /** Takes the claims of a call, each of which must have been allowed, and asks for those that were forgotten. */
  claim(instance: string, wanted: number, claimed: readonly ClaimedMessage[]): void {
    assert.ok(claimed.length <= wanted, 'no more is claimed than was asked for')
    const together = new Set(claimed.map(({ id }) => id))
    for (const each of claimed) this.#begin(instance, each, together)
    for (const lane of Map.groupBy(claimed, ({ recipient }) => recipient).values())
      assert.ok(lane.length <= perRecipientOf(instance), 'no more is claimed for one recipient than may be')
    if (claimed.length === wanted) return
    const starving = this.unsettled(instance).find((message) => this.#isReady(message))
    assert.equal(starving?.id, undefined, 'a message starves')
  }

  /** Begins an attempt; `together` are the messages of its claim. */
  #begin(instance: string, { id, attempt, recipient }: ClaimedMessage, together: ReadonlySet<string>): void {
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
    const place = (one: ModelMessage) => this.messages.indexOf(one)
    const ahead = lane.filter((other) => together.has(other.id) && other.underway)
    assert.ok(
      ahead.every((other) => place(other) < place(message)),
      `${id} follows an earlier message`,
    )
    // If several may be under way, one may end by a receipt while those after it are still there.
    const inTheWay = lane.filter(
      (other) =>
        other.underway &&
        !ahead.includes(other) &&
        (perRecipientOf(instance) === 1 || place(other) < place(message)),
    )
    assert.deepEqual(
      inTheWay.map((other) => other.id),
      [],
      `${id} is not alone`,
    )
    if (message.status === 'queued')
      this.#checkOrder(
        message,
        lane.filter((other) => !other.underway),
      )
    message.followed = ahead.length > 0
    Object.assign(message, { status: 'sending', underway: true, attempts: attempt })
  }

  /** Earlier messages go first, but for those that were scheduled for a time after this one was due. */
  #checkOrder(message: ModelMessage, lane: readonly ModelMessage[]): void {
    const place = this.messages.indexOf(message)
    const since = Math.max(message.createdAt, message.sendAt ?? 0)
    const overtaken = lane.filter(
      (other) =>
        (other.status === 'sending' && perRecipientOf(message.instance) === 1) ||
        (this.messages.indexOf(other) < place && (other.sendAt === null || other.sendAt <= since)),
    )
    assert.deepEqual(
      overtaken.map((other) => other.id),
      [],
      `${message.id} overtook an earlier message`,
    )
  }

  /** True when nothing keeps a message from being claimed now, or one before it in its lane. */
  #isReady(message: ModelMessage): boolean {
    if (message.underway || ownTime(message) > this.now || message.expiresAt <= this.now) return false
    const lane = this.unsettled(message.instance).filter((other) => other.recipient === message.recipient)
    const tried = lane.filter((other) => other.status === 'sending')
    if (message.status === 'sending') return tried[0] === message && !tried.some((other) => other.underway)
    return lane.every((other) => other.status === 'queued' && other.expiresAt > this.now)
  }

  /** Compares what is in the store with what must be there. */
  check({ messages, waiting: inOutbox, depths, organizations, events }: OutboxRows): void {
    const rows = messages.map((row) => ({
      id: row.id,
      status: row.status,
      attempts: row.attempts,
      underway: row.underway === 1,
      delivered: row.delivered_at !== null,
      read: row.read_at !== null,
    }))
    const wanted = this.messages.map(({ id, status, attempts, underway, delivered, read }) => {
      return { id, status, attempts, underway, delivered, read }
    })
    assert.deepEqual(rows, wanted)
    for (const { id, queue_depth } of depths)
      assert.equal(Number(queue_depth), this.unsettled(id).length, `the queue depth of ${id}`)
    const waiting = this.messages.filter(({ status }) => !isSettled(status))
    for (const { unsettled_messages: counted } of organizations)
      assert.equal(Number(counted), waiting.length, 'the unsettled messages of the organization')
    const stored = messages.reduce((sum, { stored_bytes }) => sum + stored_bytes, 0)
    for (const { stored_bytes: counted } of organizations)
      assert.equal(counted, stored, 'the bytes of the messages of the organization')
    for (const row of messages) {
      if (isSettled(row.status))
        assert.deepEqual(
          [row.underway, row.queue_position, row.due_at],
          [0, null, null],
          `${row.id} is settled, and waits for nothing`,
        )
      if (['delivered', 'read', 'sent'].includes(row.status))
        assert.ok(row.sent_at !== null, `${row.id} was sent`)
    }
    const unsettled = messages.filter((row) => !isSettled(row.status))
    assert.deepEqual(
      inOutbox,
      unsettled.map(({ seq }) => seq),
      'the outbox has what is unsettled, and nothing else',
    )
    for (const row of unsettled) this.#checkTimes(row)
    checkLeaders(unsettled)
    checkJournal(messages, events)
  }

  /** A message waits for the time that it was scheduled for, or is to be tried again at, and for no other. */
  #checkTimes({ id, status, joins_lane_at: joins, due_at, send_at }: Row): void {
    if (joins > 0) assert.deepEqual([status, due_at, send_at], ['queued', joins, joins], id)
    else if (due_at !== null) assert.deepEqual([status, due_at], ['sending', this.find(id).retryAt], id)
  }
}

/** Of those in a lane, exactly one leads. It is under way, queued, or waits for a time; the others wait for nothing else. */
function checkLeaders(rows: readonly Row[]): void {
  const present = rows.filter(({ joins_lane_at }) => joins_lane_at === 0)
  for (const [lane, members] of Map.groupBy(present, (row) => `${row.instance_id} ${row.recipient}`)) {
    const leaders = members.filter(({ leads_lane }) => leads_lane === 1).map(({ id }) => id)
    assert.equal(leaders.length, 1, `${leaders} lead ${lane}`)
  }
  for (const { id, instance_id, underway, leads_lane, queue_position, due_at, joins_lane_at } of rows) {
    const waits = [underway === 1, queue_position !== null, due_at !== null].filter(Boolean).length
    const follows = underway === 1 && perRecipientOf(instance_id) > 1
    assert.equal(waits, leads_lane === 1 || joins_lane_at > 0 || follows ? 1 : 0, `what ${id} waits for`)
  }
}

const isSettled = (status: MessageStatus) => status !== 'queued' && status !== 'sending'

/** Events of a message that may follow each event. */
const mayFollow: Partial<Record<MessageStatus, readonly MessageStatus[]>> = {
  queued: ['sent', 'failed', 'expired', 'canceled', 'unknown'],
  sent: ['delivered', 'failed'],
  delivered: ['read'],
  unknown: ['sent', 'failed'],
}

/** The steps of a message that arrives. */
const way: readonly MessageStatus[] = ['sent', 'delivered', 'read']

/** Each step of each message has one event, in order, and the events are numbered without gaps. */
function checkJournal(messages: OutboxRows['messages'], events: OutboxRows['events']): void {
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  )
  const stories = Map.groupBy(
    events.map(({ data, type }) => ({ type, message: (data as MessageEventData).message })),
    ({ message }) => message.id,
  )
  for (const { id, status } of messages) {
    const steps = stories.get(id) ?? []
    for (const { type, message } of steps) assert.equal(type, `message.${message.status}`, id)
    const statuses = steps.map(({ message }) => message.status)
    assert.equal(statuses[0], 'queued', id)
    for (const step of way.slice(0, way.indexOf(status) + 1)) assert.ok(statuses.includes(step), id)
    assert.equal(statuses.at(-1), status === 'sending' ? 'queued' : status, `the last event of ${id}`)
    for (const [index, next] of statuses.slice(1).entries()) {
      const last = statuses[index] ?? 'queued'
      assert.ok(mayFollow[last]?.includes(next), `${last} to ${next}`)
    }
  }
}

type Row = OutboxRows['messages'][number]

function perRecipientOf(instance: string): number {
  return instances.find(({ id }) => id === instance)?.perRecipient ?? 1
}

/** Returns the earliest time at which a message may be claimed. */
function dueAt(message: ModelMessage): number {
  return message.status === 'sending' && message.followed ? 0 : ownTime(message)
}

/** Returns the time at which a message that waits for no other is to be claimed. */
function ownTime(message: ModelMessage): number {
  return message.status === 'sending' ? message.retryAt : (message.sendAt ?? 0)
}

const unbegun: Verdict = { kind: 'again', at: 0, error: null, uncertain: false, unbegun: true }
