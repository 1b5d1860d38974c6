import { now } from './backlog.ts'

/** By the name of a function of the store, the question of an operator. */
export const operatorPlays = [
  ['organizations.page', { after: 'a', limit: 50 }],
  ['organizations.read', { name: 'org_a' }],
  ['organizations.activity', { organizations: ['org_a', 'org_b'], now }],
] as const
