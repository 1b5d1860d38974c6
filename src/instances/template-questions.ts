import type { TemplateQuestion, TemplatesAnswer } from '../networks/driver/abilities/templates.ts'
import type { DriverConnection } from '../networks/driver/connection.ts'
import { abortOf } from '../runtime/abort.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'

/** Milliseconds that a network may take to list the templates of an account. */
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
    connection: DriverConnection | undefined,
    question: TemplateQuestion,
  ): Promise<TemplatesAnswer | { readonly kind: 'busy' }> {
    if (!connection?.listTemplates) return unanswered
    if (this.#asked.has(instanceId)) return { kind: 'busy' }
    this.#asked.add(instanceId)
    const end = new AbortController()
    const alarm = this.#alarms.in(longest, () => end.abort())
    const signal = AbortSignal.any([question.signal, end.signal])
    try {
      // A driver that never answers holds up nothing.
      return await Promise.race([
        connection.listTemplates({ ...question, signal }),
        abortOf(signal).then(() => tooLate),
      ])
    } finally {
      alarm.cancel()
      this.#asked.delete(instanceId)
    }
  }
}

const tooLate = { kind: 'unanswered', detail: 'The network did not respond in time.' } as const

/** The answer of an instance that is not connected. */
export const unanswered = { kind: 'unanswered', detail: 'The connection is not open.' } as const
