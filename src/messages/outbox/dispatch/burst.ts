import type { ClaimedMessage } from '../queue/claim.ts'
import { judgeTogether, type Verdict } from '../queue/verdict.ts'

/** A message of a burst, with its attempt. */
export interface BurstMember {
  readonly message: ClaimedMessage
  readonly burst: Burst
  /** True while its attempt has a place in flight. */
  isUnderway: boolean
  /** Undefined until its attempt has ended; null if the attempt was no longer needed. */
  verdict: Verdict | null | undefined
}

/**
 * Messages to one recipient that are under way together. Their outcomes are settled together, once all are known: only then
 * is it clear which messages may be tried again without arriving after a later one (docs/decisions/0038).
 */
export class Burst {
  readonly recipient: string
  readonly #members: BurstMember[] = []
  #open = 0

  constructor(recipient: string) {
    this.recipient = recipient
  }

  /** The messages in the order in which they are sent. */
  get members(): readonly BurstMember[] {
    return this.#members
  }

  /** Adds a message, before any of them has ended. */
  add(message: ClaimedMessage): BurstMember {
    const member: BurstMember = { message, burst: this, isUnderway: false, verdict: undefined }
    this.#members.push(member)
    this.#open++
    return member
  }

  /** The last verdict counts: an answer that comes late may say more. */
  end(member: BurstMember, verdict: Verdict | null): void {
    if (member.verdict === undefined) this.#open--
    member.verdict = verdict
  }

  get isOver(): boolean {
    return this.#open === 0
  }

  /** The verdict on each message. */
  get verdicts(): readonly (readonly [ClaimedMessage, Verdict])[] {
    const judged = this.#members.flatMap(({ message, verdict }) =>
      verdict ? [[message, verdict] as const] : [],
    )
    if (judged.length < 2) return judged
    const together = judgeTogether(judged.map(([, verdict]) => verdict))
    return judged.map(([message, verdict], index) => [message, together[index] ?? verdict])
  }
}
