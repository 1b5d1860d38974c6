import type { InstanceStatus } from '../../contract/resources/instance.ts'
import type { Reason } from '../../networks/driver/observation.ts'
import type { RunnerContext } from './runner-context.ts'

interface StatusChange {
  readonly instance_id: string
  readonly network: string
  readonly was: InstanceStatus
  readonly status: InstanceStatus
}

/** Logs a change, as a warning if a person may have to act, and counts the ends of connections. That an instance is connecting is not logged. */
export function noteStatus(
  { log, metrics }: Pick<RunnerContext, 'log' | 'metrics'>,
  change: StatusChange,
  reason: Reason | undefined,
): void {
  if (change.was === 'connected') metrics.disconnected(change.network, reason?.code)
  if (change.status === 'connecting') return
  const level = ['reconnecting', 'logged_out', 'failed'].includes(change.status) ? 'warn' : 'info'
  log[level]({ ...change, ...(reason ? { reason } : {}) }, 'the status of an instance changed')
}
