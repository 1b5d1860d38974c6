import type { Clock } from '../../../runtime/clock.ts'
import type { Observation } from '../../driver/observation.ts'
import type { Json } from '../../kit/json.ts'
import { allStored } from '../../kit/reports.ts'
import type { BotApi } from '../bot-api.ts'
import type { KeptJoinRequests } from '../join-requests.ts'
import type { KnownPolls, SentPolls } from '../polls.ts'
import { pollOf, tapIn } from './choices.ts'
import { groupNewsIn, joinRequestIn } from './group-news.ts'
import { messageIn, movedChatIn } from './incoming-message.ts'
import { TapAnswers } from './tap-answers.ts'

export interface UpdatesOptions {
  readonly api: BotApi
  readonly polls: SentPolls
  readonly requests: KeptJoinRequests
  /** The id of the bot. */
  readonly bot: number
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

  /**
   * Keeps the requests to join that are among these updates, so that those who are told of one find it listed, and finds the polls that they
   * have votes in, which their reports need. Rejects if the store cannot be asked now.
   */
  async prepare(updates: readonly Json[]): Promise<KnownPolls> {
    const { clock, requests } = this.#options
    const now = clock.now()
    await requests.add(updates.map((update) => joinRequestIn(update, now)).filter((asked) => asked !== null))
    const ids = updates.map(pollOf).filter((id) => id !== null)
    return ids.length === 0 ? new Map() : this.#options.polls.find(ids, this.#options.signal)
  }

  /** Reports what an update says. With a `mark`, it is reached once the message is stored. */
  report(update: Json, polls: KnownPolls, mark?: string): Reported {
    const { report, clock, bot } = this.#options
    const moved = movedChatIn(update)
    const news = [...(moved ? [moved] : []), ...groupNewsIn(update, bot, clock.now())]
    const message = messageIn(update, clock.now(), polls)
    const tap = tapIn(update)
    const known = news.length === 0 || allStored(news.map(report))
    if (!message) return { news: known, message: true }
    const stored = report({ ...message, ...(mark !== undefined && { mark }) })
    if (tap !== null) void stored.then((isStored) => isStored && this.#answers.answer(tap))
    return { news: known, message: stored }
  }
}

/** The results of `report`, which say if the facts are stored; true for what the update does not tell. */
interface Reported {
  readonly news: Promise<boolean> | true
  readonly message: Promise<boolean> | true
}
