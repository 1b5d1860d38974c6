import type { MessageStatus } from '../../contract/resources/message.ts'
import type { MessageStep } from '../../contract/resources/message-history.ts'
import { timestamp } from '../../runtime/clock.ts'
import { type Reader, read } from '../../store/store.ts'
import type { CurrentMessage } from '../current-message.ts'
import { isSettled } from '../life.ts'
import { findRow, type MessagePlace } from '../list/find-message.ts'

/** The steps of a message, oldest first; null if the caller has no such message. */
export const listSteps = read(
  'messages.steps',
  async (reader, place: MessagePlace): Promise<MessageStep[] | null> => {
    const row = await findRow(reader, place)
    if (!row) return null
    const steps = stepsOf(row, await firstAttemptAt(reader, row))
    const error = row.error === null ? null : JSON.parse(row.error)
    return steps.map(([status, at], index) => ({
      status,
      at: timestamp(at),
      error: index === steps.length - 1 ? error : null,
    }))
  },
)

type Step = readonly [MessageStatus, number | null]

/** The statuses that a message has had, as its row shows them, and when it reached each. */
function stepsOf(row: CurrentMessage, firstAttempt: number | null): Step[] {
  const { status, created_at, sent_at, delivered_at, read_at } = row
  if (row.incoming === 1) return [['received', created_at]]
  const steps: Step[] = []
  if (row.sent_elsewhere === 0) {
    steps.push(['queued', created_at])
    if (row.attempts > 0 || status === 'sending') steps.push(['sending', firstAttempt])
  }
  if (!isSettled(status)) return steps
  const arrived: Step[] = [
    ['sent', sent_at],
    ['delivered', delivered_at],
    ['read', read_at],
  ]
  const last = arrived.findIndex(([step]) => step === status)
  if (last >= 0) return [...steps, ...arrived.slice(0, last + 1)]
  // The network may give a message back that it had acknowledged.
  if (sent_at !== null) steps.push(['sent', sent_at])
  return [...steps, [status, row.last_event_at]]
}

/** When the first attempt of a message began; null if that is not known. */
async function firstAttemptAt(
  reader: Reader,
  { seq, attempts, last_attempt_at }: CurrentMessage,
): Promise<number | null> {
  if (attempts === 0) return null
  const first = await reader.first(
    reader.sql
      .selectFrom('message_attempts')
      .select('started_at')
      .where('message_seq', '=', seq)
      .where('number', '=', 1),
  )
  if (first) return first.started_at
  return attempts === 1 ? last_attempt_at : null
}
