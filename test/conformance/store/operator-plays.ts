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
