interface Setting<T> {
  /** As shown in the table of docs/configuration.md; empty if there is none. */
  readonly default: string
  readonly description: string
  /** Reads the text; throws a sentence that completes "NAME …" when it does not fit. */
  parse(text: string): T
}

/** A setting by its default, as text, what the documentation says of it, and how it is read. */
export function setting<T>(fallback: string, description: string, parse: (text: string) => T): Setting<T> {
  return { default: fallback, description, parse }
}
