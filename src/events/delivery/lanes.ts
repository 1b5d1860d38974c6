import type { Alarm } from '../../runtime/alarms.ts'
import { type ClaimedDelivery, kindOf, type LaneState } from './claim-deliveries.ts'
import type { Attempted } from './settle-attempts.ts'

/** How many attempts may be under way for one webhook, where one after the other has arrived. */
const widest = 8
/** How many may be under way for one organization, beside one for each of its webhooks. */
const sharedAtMost = 64

/** An attempt that is over and not kept yet. */
export type Answered = Attempted & { readonly id: string }

interface Lane {
  readonly underway: Map<number, ClaimedDelivery>
  width: number
}

/**
 * What is known of an organization while something is under way for it: a lane for each webhook. A lane begins with one
 * attempt at a time, gets wider with each that arrives, and is as narrow as at the beginning after one that does not: so
 * receivers that hang hold few connections, whoever they are.
 */
export class Lanes {
  readonly organization: string
  /** Attempts that are over and not kept yet. They are under way until they are. */
  answered: Answered[] = []
  /** How many turns it has had, so that another of its webhooks is looked at first in each. */
  turns = 0
  /** Set to when the next attempt is due. */
  alarm: Alarm | undefined
  readonly #lanes = new Map<string, Lane>()

  constructor(organization: string) {
    this.organization = organization
  }

  /**
   * What is under way beside these attempts, which are over and being settled; and how many more may begin beside the one that
   * each webhook may always make.
   */
  statesBeside(settling: readonly Answered[]): { lanes: LaneState[]; shared: number } {
    const over = new Set(settling.map(({ seq }) => seq))
    const lanes = [...this.#lanes].map(([webhook, { underway, width }]) => ({
      webhook,
      width,
      underway: [...underway.values()]
        .filter(({ seq }) => !over.has(seq))
        .map(({ seq, instance }) => ({ seq, instance })),
    }))
    const used = lanes.reduce((sum, { underway }) => sum + Math.max(0, underway.length - 1), 0)
    return { lanes, shared: Math.max(0, sharedAtMost - used) }
  }

  get isIdle(): boolean {
    if (this.answered.length > 0 || this.alarm) return false
    return this.#lanes.values().every(({ underway }) => underway.size === 0)
  }

  begin(delivery: ClaimedDelivery): void {
    const lane = this.#lanes.get(delivery.webhook.id) ?? { underway: new Map(), width: 1 }
    this.#lanes.set(delivery.webhook.id, lane)
    lane.underway.set(delivery.seq, delivery)
  }

  /** An attempt is over, and is to be settled. */
  answer(attempt: Answered): void {
    this.answered.push(attempt)
    const lane = this.#lanes.get(attempt.webhook)
    if (lane) lane.width = attempt.verdict.kind === 'delivered' ? Math.min(widest, lane.width + 1) : 1
  }

  /** An attempt was settled; tells whose room it took. */
  end({ webhook, seq }: Attempted): 'healthy' | 'failing' {
    const underway = this.#lanes.get(webhook)?.underway
    const delivery = underway?.get(seq)
    if (!underway || !delivery) throw new Error('an attempt was settled that was not under way')
    underway.delete(seq)
    return kindOf(delivery.webhook)
  }
}
