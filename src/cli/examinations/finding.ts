/** The result of one examination. */
export interface Finding {
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly subject: string
  /** The finding itself. */
  readonly detail: string
  /** Advice to the operator; absent if there is nothing to do. */
  readonly advice?: string
}

/** Makes the findings about one subject. */
export function findingsOn(subject: string) {
  return {
    ok: (detail: string): Finding => ({ verdict: 'ok', subject, detail }),
    warn: (detail: string, advice: string): Finding => ({ verdict: 'warn', subject, detail, advice }),
    fail: (detail: string, advice: string): Finding => ({ verdict: 'fail', subject, detail, advice }),
  }
}
