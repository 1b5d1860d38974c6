/*
 * Questions between the server and a worker process about one client. Either side asks and answers; messages are passed by
 * structured clone.
 */

/** Questions to one side: for each kind, its argument and its answer. */
export type Questions<Kinds> = { readonly [Kind in keyof Kinds]: (asked: never) => unknown }

export type LineMessage =
  | { readonly kind: 'ask'; readonly number: number; readonly question: string; readonly asked: unknown }
  | { readonly kind: 'answer'; readonly number: number; readonly answer: unknown }
  | { readonly kind: 'failure'; readonly number: number; readonly name: string; readonly detail: string }

/** The other side could not answer; `why` is the name of its error. */
export class LineFailure extends Error {
  override readonly name = 'LineFailure'
  readonly why: string

  constructor(why: string, detail: string) {
    super(detail)
    this.why = why
  }
}

type Asked<Question> = Question extends (asked: infer Given) => unknown ? Given : never
type Answer<Question> = Question extends (asked: never) => infer Given ? Awaited<Given> : never

/** Answers each question of this side. */
export type Answers<Mine> = {
  readonly [Kind in keyof Mine]: (
    asked: Asked<Mine[Kind]>,
  ) => Promise<Answer<Mine[Kind]>> | Answer<Mine[Kind]>
}

/** One end of a line: asks `Theirs`, and answers `Mine`. */
export class RpcChannel<Mine extends Questions<Mine>, Theirs extends Questions<Theirs>> {
  readonly #send: (message: LineMessage) => void
  readonly #answers: Answers<Mine>
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #last = 0
  #ended: Error | null = null

  constructor(send: (message: LineMessage) => void, answers: Answers<Mine>) {
    this.#send = send
    this.#answers = answers
  }

  /** Rejects with a `LineFailure` if the other side could not answer, and with the error of `end` if the line ends before. */
  ask<Kind extends keyof Theirs & string>(
    question: Kind,
    asked: Asked<Theirs[Kind]>,
  ): Promise<Answer<Theirs[Kind]>> {
    if (this.#ended) return Promise.reject(this.#ended)
    const number = ++this.#last
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(number, waiting)
    this.#send({ kind: 'ask', number, question, asked })
    return waiting.promise as Promise<Answer<Theirs[Kind]>>
  }

  take(message: LineMessage): void {
    if (message.kind === 'ask') {
      void this.#answer(message.number, message.question as keyof Mine, message.asked)
      return
    }
    const waiting = this.#waiting.get(message.number)
    this.#waiting.delete(message.number)
    if (message.kind === 'answer') waiting?.resolve(message.answer)
    else waiting?.reject(new LineFailure(message.name, message.detail))
  }

  /** Ends the channel; questions that wait for an answer get this error. */
  end(error: Error): void {
    if (this.#ended) return
    this.#ended = error
    for (const { promise, reject } of this.#waiting.values()) {
      promise.catch(() => undefined)
      reject(error)
    }
    this.#waiting.clear()
  }

  async #answer(number: number, question: keyof Mine, asked: unknown): Promise<void> {
    let reply: LineMessage
    try {
      const answer = await this.#answers[question](asked as Asked<Mine[keyof Mine]>)
      reply = { kind: 'answer', number, answer }
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error))
      reply = { kind: 'failure', number, name, detail: message }
    }
    if (!this.#ended) this.#send(reply)
  }
}
