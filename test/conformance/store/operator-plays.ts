import { now } from './backlog.ts'

/** By the name of a function of the store, the question of an operator. */
export const operatorPlays = [
  ['organizations.page', { after: 'a', limit: 50 }],
  ['organizations.read', { name: 'org_a' }],
  ['organizations.activity', { organizations: ['org_a', 'org_b'], now }],
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
