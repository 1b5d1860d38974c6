import type { ClaimedMessage } from '../queue/claim.ts'
import { judgeTogether, type Verdict } from '../queue/verdict.ts'

/**
 * Messages to one recipient that are under way together. Their outcomes are settled together, once all are known: only then
 * is it clear which messages may be tried again without arriving after a later one (docs/decisions/0038).
 */
export class Burst {
  readonly members: readonly ClaimedMessage[]
  /** Null for an attempt that was no longer needed. */
  readonly #ended = new Map<ClaimedMessage, Verdict | null>()

  /** The messages in the order in which they are sent. */
  constructor(members: readonly ClaimedMessage[]) {
    this.members = members
  }

  /** The last verdict counts: an answer that comes late may say more. */
  end(message: ClaimedMessage, verdict: Verdict | null): void {
    this.#ended.set(message, verdict)
  }

  get isOver(): boolean {
    return this.#ended.size === this.members.length
  }

  /** The verdict on each message. */
  get verdicts(): readonly (readonly [ClaimedMessage, Verdict])[] {
    const judged = this.members.flatMap((message) => {
      const verdict = this.#ended.get(message)
      return verdict ? [[message, verdict] as const] : []
    })
    const together = judgeTogether(judged.map(([, verdict]) => verdict))
    return judged.map(([message, verdict], index) => [message, together[index] ?? verdict])
  }
}
