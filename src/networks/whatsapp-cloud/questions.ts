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

  /**
   * Meta refuses a proof with the secret of another app than that of the token, even if that app wants none. So where the app that posts is
   * not the one of the token, the proof is left out from then on.
   */
  async #ask(path: string): Promise<GraphAnswer> {
    const { api } = this.#options
    const answer = await this.#call(path)
    if (answer.kind !== 'refused' || !answer.isAboutProof || !api.proves) return answer
    const unproven = await this.#call(path, false)
    if (unproven.kind === 'ok') api.proves = false
    return unproven
  }

  #call(path: string, proven = true): Promise<GraphAnswer> {
    const { api, answerTime: time, signal } = this.#options
    return api.call({ method: 'GET', path, limits: { headers: time, total: time }, signal, proven })
  }
}
