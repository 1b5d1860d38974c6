import type { Connection } from '../networks/driver.ts'
import type { TemplateQuestion, TemplatesAnswer } from '../networks/templates.ts'
import type { Alarms } from '../runtime/alarms.ts'

/** How long a network may take to say which templates an account has, in milliseconds. */
const longest = 30_000

/** Asks networks for templates, for callers who wait: once at a time for each instance, and not for ever. */
export class TemplateQuestions {
  readonly #alarms: Pick<Alarms, 'in'>
  readonly #asked = new Set<string>()

  constructor(alarms: Pick<Alarms, 'in'>) {
    this.#alarms = alarms
  }

  /** The answer, or that the instance is being asked already. */
  async ask(
    instanceId: string,
    connection: Connection | undefined,
    question: TemplateQuestion,
  ): Promise<TemplatesAnswer | { readonly kind: 'busy' }> {
    if (!connection?.listTemplates) return unanswered
    if (this.#asked.has(instanceId)) return { kind: 'busy' }
    this.#asked.add(instanceId)
    const end = new AbortController()
    const alarm = this.#alarms.in(longest, () => end.abort())
    const signal = AbortSignal.any([question.signal, end.signal])
    try {
      return await Promise.race([connection.listTemplates({ ...question, signal }), abortOf(signal)])
    } finally {
      alarm.cancel()
      this.#asked.delete(instanceId)
    }
  }
}

const unanswered = { kind: 'unanswered', detail: 'The connection is not open.' } as const

/** The answer if nobody waits any longer, so that a driver that never answers holds up nothing. */
function abortOf(signal: AbortSignal): Promise<TemplatesAnswer> {
  return new Promise((resolve) => {
    const end = () => resolve({ kind: 'unanswered', detail: 'The network did not answer in time.' })
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
