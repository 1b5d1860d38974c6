import type { BudgetScope } from '../../runtime/limits/byte-budget.ts'
import type { DescribedReason } from '../driver/driver.ts'

/** The reason why a connection ends that holds too much: the same on every network. */
export const memoryReasons = {
  memory_of_connection: lost(
    'The connection reached its memory limit.',
    'Posthorn reconnects. If this continues, ask the operator of Posthorn; the other side sends much at once, or reads little.',
  ),
  memory_of_organization: lost(
    'The connections of the organization reached their memory limit, and this one used the most.',
    'Posthorn reconnects. If this continues, run fewer instances at a time, or ask the operator of Posthorn.',
  ),
  memory_of_server: lost(
    'The connections of the server reached their memory limit, and this one used the most in its organization.',
    'Posthorn reconnects. If this continues, tell the operator of Posthorn.',
  ),
} satisfies Record<string, DescribedReason>

/** The reason for which a connection ends at each limit. */
export const memoryReasonAt = {
  connection: 'memory_of_connection',
  organization: 'memory_of_organization',
  server: 'memory_of_server',
} satisfies Record<BudgetScope, keyof typeof memoryReasons>

function lost(happened: string, next: string): DescribedReason {
  return { ends: 'connection-lost', happened, next }
}
