/** One setting: what it is called in the environment stands beside it. */
export interface Setting<T> {
  /** As shown in the table of docs/configuration.md; empty if there is none. */
  readonly default: string
  readonly description: string
  /** Reads the text; throws a sentence that completes "NAME …" when it does not fit. */
  parse(text: string): T
}

/** A setting with what it is if nobody sets it. */
export function setting<T>(fallback: string, description: string, parse: (text: string) => T): Setting<T> {
  return { default: fallback, description, parse }
}
