import type { GraphAnswer, GraphApi } from './graph-api.ts'

export interface QuestionsOptions {
  readonly api: GraphApi
  readonly phoneNumberId: string
  /** How long the API may take to answer, in milliseconds. */
  readonly answerTime: number
  readonly signal: AbortSignal
}

/** What a connection asks before it opens, and from time to time. */
export class Questions {
  readonly #options: QuestionsOptions

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  /** What the number is, and how Meta rates it. */
  ofNumber(): Promise<GraphAnswer> {
    return this.#ask(
      `${this.#options.phoneNumberId}?fields=display_phone_number,verified_name,quality_rating`,
    )
  }

  /** Whether the token reaches an account. */
  ofAccount(id: string): Promise<GraphAnswer> {
    return this.#ask(`${id}?fields=id`)
  }

  #ask(path: string): Promise<GraphAnswer> {
    const { api, answerTime: time, signal } = this.#options
    return api.ask({ path, limits: { headers: time, total: time }, signal })
  }
}
