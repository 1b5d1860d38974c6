import type { Answer } from '../../core/operations.ts'

type Instance = Pick<Answer<'getInstance'>, 'status' | 'reason' | 'action'>

/** The orders to a connection. None of them needs to be confirmed: each can be taken back. */
export type ConnectionOrder = 'start' | 'stop' | 'restart'

/** Returns the orders that an instance takes now. */
export function ordersFor({ status }: Pick<Instance, 'status'>): ConnectionOrder[] {
  if (status === 'deleting') return []
  const rests = ['stopped', 'failed', 'logged_out'].includes(status)
  if (!rests) return ['stop', 'restart']
  return status === 'stopped' ? ['start'] : ['start', 'stop']
}

/** Returns true if the account of an instance must be linked again, as its owner can. */
export function mayLinkAgain({ status, reason, action }: Instance): boolean {
  return action === 'relink' || (status === 'stopped' && reason?.code === 'link_expired')
}
