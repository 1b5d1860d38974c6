import type { WakeUp } from '../../store/wake-up.ts'
import { type ClaimedDelivery, kindOf } from './claim-deliveries.ts'
import type { LaneState } from './due.ts'
import type { Attempted } from './settle-attempts.ts'

/** How many attempts may be under way for one organization, beside one for each of its webhooks. */
const sharedAtMost = 192

/** An attempt that is over and not kept yet. */
export type Answered = Attempted & { readonly ids: readonly string[] }

/**
 * How many attempts may be under way for one webhook. It begins with one, grows by one with each that arrives, and is halved by
 * each that does not. Above half of where it failed last, it grows by one only when as many arrived as are under way, as the
 * congestion window of TCP does (RFC 5681). So a receiver that hangs from the beginning holds one connection, and one that is
 * pushed too hard is found its pace.
 */
class Width {
  #width = 1
  #threshold = Number.POSITIVE_INFINITY

  get value(): number {
    return Math.floor(this.#width)
  }

  note(arrived: boolean, widest: number): void {
    if (arrived) {
      const step = this.#width < this.#threshold ? 1 : 1 / this.#width
      this.#width = Math.min(widest, this.#width + step)
    } else {
      this.#threshold = this.#width / 2
      this.#width = Math.max(1, this.#threshold)
    }
  }
}

/** Batches need fewer attempts at a time, and hold more memory each: one of them for so many of others. */
const forOneBatch = 8

interface Lane {
  readonly underway: Map<number, ClaimedDelivery>
  readonly width: Width
}

/** What is known of an organization while something is under way for it: a lane for each webhook. */
export class Lanes {
  readonly organization: string
  /** Attempts that are over and not kept yet. They are under way until they are. */
  answered: Answered[] = []
  /** How many turns it has had, so that another of its webhooks is looked at first in each. */
  turns = 0
  /** Set to when the next attempt is due. */
  readonly wakeUp: WakeUp
  /** How much of each capacity it holds. */
  readonly holds = { healthy: 0, failing: 0 }
  readonly #lanes = new Map<string, Lane>()
  readonly #widest: number

  /** `widest` is how many attempts may be under way for one webhook at most. */
  constructor(organization: string, widest: number, wakeUp: WakeUp) {
    this.organization = organization
    this.wakeUp = wakeUp
    this.#widest = widest
  }

  /**
   * What is under way beside these attempts, which are over and being settled; and how many more may begin beside the one that
   * each webhook may always make.
   */
  statesBeside(settling: readonly Answered[]): { lanes: LaneState[]; shared: number } {
    const over = new Set(settling.map(({ seq }) => seq))
    const lanes = [...this.#lanes].map(([webhook, { underway, width }]) => ({
      webhook,
      width: width.value,
      underway: [...underway.values()]
        .filter(({ seq }) => !over.has(seq))
        .map(({ seq, instance }) => ({ seq, instance })),
    }))
    const used = lanes.reduce((sum, { underway }) => sum + Math.max(0, underway.length - 1), 0)
    return { lanes, shared: Math.max(0, sharedAtMost - used) }
  }

  get isIdle(): boolean {
    if (this.answered.length > 0 || this.wakeUp.isSet) return false
    return this.#lanes.values().every(({ underway }) => underway.size === 0)
  }

  begin(delivery: ClaimedDelivery): void {
    const lane = this.#lanes.get(delivery.webhook.id) ?? { underway: new Map(), width: new Width() }
    this.#lanes.set(delivery.webhook.id, lane)
    lane.underway.set(delivery.seq, delivery)
    this.holds[kindOf(delivery.webhook)]++
  }

  /** An attempt is over, and is to be settled. */
  answer(attempt: Answered): void {
    this.answered.push(attempt)
    const { webhook, batch, result, verdict } = attempt
    // That a batch is too large says nothing about how many may come at a time.
    if (result.kind === 'answered' && result.status === 413) return
    const widest = batch === null ? this.#widest : Math.ceil(this.#widest / forOneBatch)
    this.#lanes.get(webhook)?.width.note(verdict.kind === 'delivered', widest)
  }

  /** An attempt was settled; tells whose capacity it took. */
  end({ webhook, seq }: Attempted): 'healthy' | 'failing' {
    const underway = this.#lanes.get(webhook)?.underway
    const delivery = underway?.get(seq)
    if (!underway || !delivery) throw new Error('an attempt was settled that was not under way')
    underway.delete(seq)
    const kind = kindOf(delivery.webhook)
    this.holds[kind]--
    return kind
  }
}
