/**
 * The scenarios that `npm test` plays a second time with everything kept in PostgreSQL, by what a store could do to them. The
 * others say nothing about a store: they are about requests and their form, drivers and their networks, documents, or how
 * processes begin and end, or they bring a PostgreSQL of their own.
 */
export const playedOnPostgres: Readonly<Record<string, readonly string[]>> = {
  'What is announced after a commit could come early, twice or never.': [
    'accounts/audit',
    'accounts/audit-commit',
    'receiving/callbacks',
    'receiving/incoming',
    'receiving/shared-callback',
    'sending/idempotency',
    'sending/messages',
    'sending/send-and-be-told',
    'webhooks/event-feed',
    'webhooks/event-stream',
    'webhooks/same-events',
    'webhooks/statistics',
    'webhooks/webhook-backlog',
    'webhooks/webhook-delivery',
  ],
  'Two transactions could take the same message, name or account, or wait for each other.': [
    'accounts/accounts',
    'accounts/claimed-numbers',
    'accounts/instances',
    'accounts/update-instance',
    'crash/restart',
    'hostile/neighbours-reads',
    'hostile/neighbours-writes',
    'hostile/organization-rates',
    'sending/attempts',
    'sending/cancel-many',
    'sending/no-answer',
    'sending/order',
    'sending/schedule',
    'webhooks/webhooks',
  ],
  'A query could order, filter, compare or count differently.': [
    'accounts/keys',
    'accounts/organizations',
    'accounts/quotas',
    'console/sessions',
    'receiving/incoming-files-quota',
    'receiving/incoming-quota',
    'sending/conversations',
    'sending/limits',
    'sending/list',
    'sending/page-bytes',
    'sending/reply-window',
    'sending/templates',
  ],
  'A database could be older than what refers to it, damaged, or gone in part.': [
    'crash/clock-set',
    'crash/damaged-store',
    'operating/restored',
    'sending/odd-times',
    'webhooks/retention',
  ],
  'Bytes could be kept or given back differently.': [
    'networks/whatsapp/history',
    'networks/whatsapp/kept-keys',
    'receiving/network-keys',
    'receiving/referenced-files',
    'sending/lost-files',
    'sending/media',
    'sending/message-media',
  ],
}

/**
 * Those that `npm test` plays a third time with a second node on the database, which answers every second request: what one node does must
 * be seen, waited for and carried out on the other.
 */
export const playedWithSecondNode: readonly string[] = [
  'accounts/link',
  'accounts/link-question',
  'accounts/status-stream',
  'accounts/update-instance',
  'receiving/callbacks',
  'receiving/incoming',
  'sending/cancel-many',
  'sending/idempotency',
  'sending/messages',
  'sending/order',
  'sending/send-and-be-told',
  'sending/templates',
  'webhooks/event-feed',
  'webhooks/event-stream',
  'webhooks/webhook-delivery',
]
