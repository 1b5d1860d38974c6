import type { TemplateQuestion, TemplatesAnswer } from '../networks/driver/abilities/templates.ts'
import type { DriverConnection } from '../networks/driver/connection.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'
import { answerInTime } from './answer-in-time.ts'

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
    const list = connection.listTemplates.bind(connection)
    const ask = (signal: AbortSignal) => list({ ...question, signal })
    try {
      return await answerInTime(this.#alarms, question.signal, { ask, tooLate })
    } finally {
      this.#asked.delete(instanceId)
    }
  }
}

const tooLate = { kind: 'unanswered', detail: 'The network did not respond in time.' } as const

/** The answer of an instance that is not connected. */
export const unanswered = { kind: 'unanswered', detail: 'The connection is not open.' } as const
