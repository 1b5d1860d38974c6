/** Names of a counter for the operator, and of its label. */
export interface CountsOptions {
  /** Snake case, for example `whatsapp_dropped_total`; the metric begins with `posthorn_`. */
  readonly name: string
  /** A sentence. */
  readonly help: string
  /** The name of what it is counted by. */
  readonly label: string
}

/** Counts events by what they were, since the process started. */
export class Tally<Value extends string = string> {
  readonly options: CountsOptions
  readonly #counted = new Map<Value, number>()

  constructor(options: CountsOptions) {
    this.options = options
  }

  add(value: Value): void {
    this.#counted.set(value, this.of(value) + 1)
  }

  of(value: Value): number {
    return this.#counted.get(value) ?? 0
  }

  entries(): Iterable<readonly [value: Value, count: number]> {
    return this.#counted.entries()
  }
}
