import type { Clock } from '../../../runtime/clock.ts'
import type { Observation } from '../../driver/observation.ts'
import type { Json } from '../../kit/json.ts'
import type { BotApi } from '../bot-api.ts'
import type { KnownPolls, SentPolls } from '../polls.ts'
import { pollOf, tapIn } from './choices.ts'
import { messageIn, movedChatIn } from './incoming-message.ts'
import { TapAnswers } from './tap-answers.ts'

export interface UpdatesOptions {
  readonly api: BotApi
  readonly polls: SentPolls
  readonly clock: Clock
  /** As in `ConnectContext`. */
  readonly report: (observation: Observation) => Promise<boolean>
  readonly signal: AbortSignal
}

/** Reports what updates say, whether they were polled or posted. */
export class Updates {
  readonly #options: UpdatesOptions
  readonly #answers: TapAnswers

  constructor(options: UpdatesOptions) {
    this.#options = options
    this.#answers = new TapAnswers(options.api, options.signal)
  }

  /** Finds the polls that these updates have votes in, which their reports need. Rejects if the store cannot be read now. */
  async pollsIn(updates: readonly Json[]): Promise<KnownPolls> {
    const ids = updates.map(pollOf).filter((id) => id !== null)
    return ids.length === 0 ? new Map() : this.#options.polls.find(ids, this.#options.signal)
  }

  /** Reports what an update says. With a `mark`, it is reached once the message is stored. */
  report(update: Json, polls: KnownPolls, mark?: string): Reported {
    const { report, clock } = this.#options
    const moved = movedChatIn(update)
    const message = messageIn(update, clock.now(), polls)
    const tap = tapIn(update)
    const known = moved ? report(moved) : true
    if (!message) return { moved: known, message: true }
    const stored = report({ ...message, ...(mark !== undefined && { mark }) })
    if (tap !== null) void stored.then((isStored) => isStored && this.#answers.answer(tap))
    return { moved: known, message: stored }
  }
}

/** The results of `report`, which say if each fact is stored; true for a fact that the update does not tell. */
interface Reported {
  readonly moved: Promise<boolean> | true
  readonly message: Promise<boolean> | true
}
