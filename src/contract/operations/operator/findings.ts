import type { CodeMeaning } from '../../codes.ts'

export const findingSeverities = ['critical', 'warning', 'notice'] as const
export type FindingSeverity = (typeof findingSeverities)[number]

/** A meaning of a finding, and how much it matters. */
interface FindingMeaning extends CodeMeaning {
  readonly severity: FindingSeverity
}

/** Findings of a running server about itself, in whole sentences for the operator. */
export const serverFindings = {
  store_unavailable: {
    severity: 'critical',
    happened: 'The store does not respond, or accepts no writes.',
    next: 'See the log, or run `posthorn doctor` on the machine of the server.',
  },
  storage_full: {
    severity: 'critical',
    happened: 'The disk of the store is full, so no message is accepted.',
    next: 'Free some space; the server then resumes by itself.',
  },
  store_corrupt: {
    severity: 'critical',
    happened: 'Parts of the store cannot be read, because its data is damaged.',
    next: 'Stop the server, check the disk, and restore a backup.',
  },
  store_replaced: {
    severity: 'critical',
    happened: 'The file of the store was removed or replaced while the server is running.',
    next: 'Put the file back, or restart the server to use the present file.',
  },
  node_not_trusted: {
    severity: 'critical',
    happened: 'This node cannot show the others that it runs, so it neither writes nor sends.',
    next: 'Check the connection to the database, and its load. The node goes on by itself once it can.',
  },
  disk_full: {
    severity: 'critical',
    happened: 'The disk of the data folder is almost full. When it is, no message is accepted.',
    next: 'Free some space, or give the server a larger disk.',
  },
  disk_low: {
    severity: 'warning',
    happened: 'The disk of the data folder is filling up.',
    next: 'Free some space, shorten the retention, or give the server a larger disk.',
  },
  messages_held: {
    severity: 'warning',
    happened:
      'Messages are held, because the store was restored from a backup: they may have been sent since.',
    next: 'See them with `posthorn queue list`; then send them with `queue send`, or give them up with `queue fail`.',
  },
  queue_overdue: {
    severity: 'warning',
    happened: 'A message of a connected instance has been due for more than ten minutes.',
    next: 'See the instance: its pace may be too slow for its queue, or its network does not answer.',
  },
  instances_need_person: {
    severity: 'warning',
    happened: 'Instances are logged out or failed, and wait for a person.',
    next: 'Their organizations link them again, or correct their credentials; the list of organizations shows whose they are.',
  },
  webhooks_behind: {
    severity: 'warning',
    happened: 'The oldest event that waits for a webhook has waited for more than 15 minutes.',
    next: 'See which organization has a receiver that is slow or down, and tell it.',
  },
  webhooks_failing: {
    severity: 'warning',
    happened: 'Webhooks have not taken an event for an hour.',
    next: 'Tell their organizations: their receivers are down, or refuse what they get.',
  },
  webhooks_disabled: {
    severity: 'notice',
    happened: 'Posthorn disabled webhooks, because their receivers failed for days or are gone.',
    next: 'Their organizations enable them again, and redeliver what they missed, or remove them.',
  },
  quotas_exhausted: {
    severity: 'warning',
    happened: 'Organizations have nothing left of a quota, so some of their requests are refused.',
    next: 'See the list of organizations: raise the quota, or tell them to make room.',
  },
  backup_old: {
    severity: 'warning',
    happened: 'The last backup was made more than two days ago.',
    next: 'Run `posthorn backup`, and see why the timer that should have done so failed.',
  },
  backup_missing: {
    severity: 'notice',
    happened: 'No backup was made with `posthorn backup`.',
    next: 'Let a timer make one each day, unless you back the store up in another way.',
  },
  listening_in_the_open: {
    severity: 'warning',
    happened: 'Other machines may reach the server, and nothing says that TLS is in front of it.',
    next: 'Put a TLS proxy in front and set POSTHORN_BASE_URL to its https URL, or listen on 127.0.0.1.',
  },
  folder_open: {
    severity: 'warning',
    happened: 'Other users of the machine can enter the data folder, or read a file with secrets.',
    next: 'Run `posthorn doctor`, which names them, and take the rights away with chmod.',
  },
  network_file_system: {
    severity: 'warning',
    happened: 'The store is on a network file system, on which SQLite may lose accepted messages.',
    next: 'Move the data folder to a local disk, or keep the store in PostgreSQL (POSTHORN_DATABASE_URL).',
  },
  files_on_one_node: {
    severity: 'warning',
    happened: 'Several nodes run, but each keeps files in its own folder, where the others do not find them.',
    next: 'Set POSTHORN_MEDIA_STORE to postgres or s3.',
  },
  nodes_silent: {
    severity: 'warning',
    happened: 'Nodes have not shown that they run for too long.',
    next: 'See if their machines run and reach the database. Other nodes take over what they had.',
  },
  versions_differ: {
    severity: 'notice',
    happened: 'The nodes run different versions.',
    next: 'Bring all of them to the newest version.',
  },
  standbys_unconfirmed: {
    severity: 'warning',
    happened:
      'No standby server confirms commits, so a fail-over of the database may lose what was accepted.',
    next: 'Name the standby servers in synchronous_standby_names, if the database fails over to any.',
  },
  clocks_differ: {
    severity: 'warning',
    happened: 'The clocks of the database and of this machine differ by more than five seconds.',
    next: 'Keep both set with NTP.',
  },
  voice_notes_off: {
    severity: 'notice',
    happened: 'Voice notes are not converted: ffmpeg is installed, but ffprobe or prlimit is not.',
    next: 'Install the packages ffmpeg and util-linux, and restart the server.',
  },
} as const satisfies Record<string, FindingMeaning>

export type FindingCode = keyof typeof serverFindings
