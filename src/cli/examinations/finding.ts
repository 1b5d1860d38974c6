/** The result of one examination. */
export interface Finding {
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly subject: string
  /** The finding itself. */
  readonly detail: string
  /** Advice to the operator; absent if there is nothing to do. */
  readonly advice?: string
}

export function ok(subject: string, detail: string): Finding {
  return { verdict: 'ok', subject, detail }
}

export function warn(subject: string, detail: string, advice: string): Finding {
  return { verdict: 'warn', subject, detail, advice }
}

export function fail(subject: string, detail: string, advice: string): Finding {
  return { verdict: 'fail', subject, detail, advice }
}
