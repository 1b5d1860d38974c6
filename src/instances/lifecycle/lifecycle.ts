import type { InstanceStatus } from '../../contract/resources/instance.ts'

/** An event that moves an instance on: an order of a caller, an observation of the network, or a moment that is due. */
export type Input =
  | 'start'
  | 'stop'
  | 'restart'
  | 'remove'
  | 'attempt-due'
  | 'connection-opened'
  | 'connection-verified'
  | 'connection-lost'
  | 'credentials-refused'
  | 'connection-refused'
  | 'link-step'
  | 'link-expired'
  | 'logout-confirmed'
  | 'removal-confirmed'
  | 'removal-failed'

export const inputs: readonly Input[] = [
  'start',
  'stop',
  'restart',
  'remove',
  'attempt-due',
  'connection-opened',
  'connection-verified',
  'connection-lost',
  'credentials-refused',
  'connection-refused',
  'link-step',
  'link-expired',
  'logout-confirmed',
  'removal-confirmed',
  'removal-failed',
]

/** An action of the runner in response; they are performed in this order. */
export type LifecycleEffect =
  /** Close the connection, if there is one, and forget what was scheduled. Never logs out. */
  | 'disconnect'
  /** Open a connection. */
  | 'connect'
  /** Schedule the next attempt, with back-off. */
  | 'schedule-attempt'
  /** Cancel what is queued and undo at the network what creating the instance did there. */
  | 'undo'
  /** Forget the instance. */
  | 'erase'

export type Move = readonly [next: InstanceStatus, ...effects: LifecycleEffect[]]

const stop: Move = ['stopped', 'disconnect']
const restart: Move = ['connecting', 'disconnect', 'connect']
const remove: Move = ['deleting', 'undo']
const lost: Move = ['reconnecting', 'disconnect', 'schedule-attempt']
const loggedOut: Move = ['logged_out', 'disconnect']
const failed: Move = ['failed', 'disconnect']

/** An instance at rest takes orders and nothing else: what the network still shows is of a connection that is closed. */
function resting(status: 'logged_out' | 'stopped' | 'failed'): Readonly<Record<Input, Move>> {
  return {
    start: ['connecting', 'connect'],
    stop: ['stopped'],
    restart: ['connecting', 'connect'],
    remove,
    'attempt-due': [status],
    'connection-opened': [status],
    'connection-verified': [status],
    'connection-lost': [status],
    'credentials-refused': [status],
    'connection-refused': [status],
    'link-step': [status],
    'link-expired': [status],
    'logout-confirmed': [status],
    'removal-confirmed': [status],
    'removal-failed': [status],
  }
}

/** The whole lifecycle: for every status and every input, the next status and what to do. There is no other rule. */
export const lifecycle: Readonly<Record<InstanceStatus, Readonly<Record<Input, Move>>>> = {
  connecting: {
    start: ['connecting'],
    stop,
    restart,
    remove,
    'attempt-due': ['connecting'],
    'connection-opened': ['connected'],
    'connection-verified': ['connecting'],
    'connection-lost': lost,
    'credentials-refused': loggedOut,
    'connection-refused': failed,
    'link-step': ['awaiting_link'],
    'link-expired': stop,
    'logout-confirmed': loggedOut,
    'removal-confirmed': ['connecting'],
    'removal-failed': ['connecting'],
  },
  awaiting_link: {
    start: ['awaiting_link'],
    stop,
    restart,
    remove,
    'attempt-due': ['awaiting_link'],
    'connection-opened': ['connected'],
    'connection-verified': ['awaiting_link'],
    'connection-lost': lost,
    'credentials-refused': loggedOut,
    'connection-refused': failed,
    'link-step': ['awaiting_link'],
    'link-expired': stop,
    'logout-confirmed': loggedOut,
    'removal-confirmed': ['awaiting_link'],
    'removal-failed': ['awaiting_link'],
  },
  connected: {
    start: ['connected'],
    stop,
    restart,
    remove,
    'attempt-due': ['connected'],
    'connection-opened': ['connected'],
    'connection-verified': ['connected'],
    'connection-lost': lost,
    'credentials-refused': loggedOut,
    'connection-refused': failed,
    'link-step': ['awaiting_link'],
    'link-expired': ['connected'],
    'logout-confirmed': loggedOut,
    'removal-confirmed': ['connected'],
    'removal-failed': ['connected'],
  },
  reconnecting: {
    start: ['reconnecting'],
    stop,
    restart,
    remove,
    'attempt-due': ['connecting', 'connect'],
    'connection-opened': ['reconnecting'],
    'connection-verified': ['reconnecting'],
    'connection-lost': ['reconnecting'],
    'credentials-refused': loggedOut,
    'connection-refused': failed,
    'link-step': ['reconnecting'],
    'link-expired': ['reconnecting'],
    'logout-confirmed': loggedOut,
    'removal-confirmed': ['reconnecting'],
    'removal-failed': ['reconnecting'],
  },
  logged_out: resting('logged_out'),
  stopped: resting('stopped'),
  failed: resting('failed'),
  deleting: {
    start: ['deleting'],
    stop: ['deleting'],
    restart: ['deleting'],
    remove: ['deleting'],
    'attempt-due': ['deleting', 'undo'],
    'connection-opened': ['deleting'],
    'connection-verified': ['deleting'],
    'connection-lost': ['deleting'],
    // A client that is refused permanently cannot undo anything at the network, however often it tries.
    'credentials-refused': ['deleting', 'disconnect', 'erase'],
    'connection-refused': ['deleting', 'disconnect', 'erase'],
    'link-step': ['deleting'],
    'link-expired': ['deleting'],
    'logout-confirmed': ['deleting'],
    'removal-confirmed': ['deleting', 'disconnect', 'erase'],
    'removal-failed': ['deleting', 'disconnect', 'schedule-attempt'],
  },
}

/** True while the outcome of an order is still open, so that those who wait for it go on waiting. */
export function isUnderway(status: InstanceStatus): boolean {
  return status === 'connecting' || status === 'reconnecting'
}
