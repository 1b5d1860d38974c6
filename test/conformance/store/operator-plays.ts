import { now } from './backlog.ts'

const audit = {
  ...{ organization: null, actor: null, action: null, instance: null },
  ...{ since: null, until: null, limit: 50, before: null },
}

/** By the name of a function of the store, the question of an operator, and how many rows it may look at in vain. */
export const operatorPlays = [
  ['organizations.page', { after: 'a', limit: 50 }],
  ['organizations.read', { name: 'org_a' }],
  ['organizations.activity', { organizations: ['org_a', 'org_b'], now }],
  ['audit.list-of-all', audit],
  ['audit.list-of-all', { ...audit, before: 6_000 }],
  ['audit.list-of-all', { ...audit, action: 'revokeKey', actor: 'operator' }, 5_000],
] as const

/** The questions of what counts events. */
export const statisticsPlays = [
  ['statistics.organizations', { after: '', limit: 500 }],
  ['statistics.counted-time', { organization: 'org_a' }],
  ['statistics.count', { organization: 'org_a', limit: 100 }],
  ['statistics.read', { organization: 'org_a', span: 'hour', instances: ['name1'], from: 500, to: 900 }],
  ['statistics.forget', { before: 1_000, limit: 500 }],
  ['statistics.forget-minutes', { before: 1_000, limit: 500 }],
] as const

const of = { organization: 'org_a', webhook: 'wh_none' }
const noEvent = `evt_${'0'.repeat(26)}`

/** By the name of a function of the store, the question of an owner of webhooks, and of one who reads events. */
export const webhookPlays = [
  ['deliveries.organizations', { after: '', limit: 500 }],
  ['deliveries.list', { ...of, status: null, limit: 50, before: null }],
  ['deliveries.list', { ...of, status: 'pending', limit: 50, before: null }],
  ['deliveries.find', { ...of, id: 'dlv_wh_none_500' }],
  ['deliveries.redeliver', { ...of, id: 'dlv_wh_none_500', now }],
  ['deliveries.create', { ...of, event: noEvent, now }],
  ['webhooks.find', { organization: 'org_a', id: 'wh_none' }],
  ['webhooks.secrets', { organization: 'org_a', id: 'wh_none' }],
  ['webhooks.hours', { organization: 'org_a', id: 'wh_none', hours: 168, now }],
  ['webhooks.list', { organization: 'org_a', limit: 50, after: null }],
  ['webhooks.skip', { organization: 'org_a', id: 'wh_order', until: 2, place: null, now }],
  ['webhooks.redeliver', { ...of, since: 0, until: now, missing: true, after: 5_000, limit: 100, now }],
  ['events.look', { organization: 'org_a', types: null, instances: null, after: 100, limit: 50, seen: null }],
  ['events.find', { organization: 'org_a', id: noEvent, seen: null }],
  [
    'events.place-of-newest',
    { organization: 'org_a', types: ['message.failed'], instances: null, seen: null, count: 50 },
    10_000,
  ],
] as const
