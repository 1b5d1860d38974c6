export interface ProblemKind {
  readonly status: number
  readonly title: string
  /** The cause and the next step, for the reference; `{code}` pages show it. */
  readonly explanation: string
  /** True if the same request may succeed later. */
  readonly retryable: boolean
}

/** A problem; not retryable unless it says so. */
export function kind(status: number, title: string, explanation: string, retryable = false): ProblemKind {
  return { status, title, explanation, retryable }
}
