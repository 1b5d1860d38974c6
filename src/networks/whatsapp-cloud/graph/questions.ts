import type { GraphAnswer, GraphApi } from './graph-api.ts'

export interface QuestionsOptions {
  readonly api: GraphApi
  readonly phoneNumberId: string
  /** Milliseconds that the API may take to answer. */
  readonly answerTime: number
  readonly signal: AbortSignal
}

/** Questions of a connection before it opens, and from time to time. */
export class Questions {
  readonly #options: QuestionsOptions

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  /** Asks for the number, and for Meta's rating of it. */
  ofNumber(): Promise<GraphAnswer> {
    return this.#ask(
      `${this.#options.phoneNumberId}?fields=display_phone_number,verified_name,quality_rating`,
    )
  }

  /** Asks for an account, to see if the token reaches it. */
  ofAccount(id: string): Promise<GraphAnswer> {
    return this.#ask(`${id}?fields=id`)
  }

  #ask(path: string): Promise<GraphAnswer> {
    const { api, answerTime: time, signal } = this.#options
    return api.ask({ path, limits: { headers: time, total: time }, signal })
  }
}
