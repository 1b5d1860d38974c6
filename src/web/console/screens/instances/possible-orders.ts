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

/** Reasons for which an instance is stopped because its account was not linked, and what to say about them. */
const unlinked: Readonly<Record<string, 'linking.expired' | 'linking.declined'>> = {
  link_expired: 'linking.expired',
  link_declined: 'linking.declined',
}

/** The key of what is to be said about an account that was not linked, if that is why its instance is stopped. */
export function whyNotLinked({ status, reason }: Pick<Instance, 'status' | 'reason'>) {
  return status === 'stopped' ? unlinked[reason?.code ?? ''] : undefined
}

/** Returns true if the account of an instance must be linked again, as its owner can. */
export function mayLinkAgain(instance: Instance): boolean {
  return instance.action === 'relink' || whyNotLinked(instance) !== undefined
}
