/** By the name of a function of the store, what counting events asks of it. */
export const statisticsPlays = [
  ['statistics.organizations', { after: '', limit: 500 }],
  ['statistics.counted-time', { organization: 'org_a' }],
  ['statistics.count', { organization: 'org_a', limit: 100 }],
  ['statistics.read', { organization: 'org_a', span: 'hour', instances: ['name1'], from: 500, to: 900 }],
  ['statistics.forget', { before: 1_000, limit: 500 }],
  ['statistics.forget-minutes', { before: 1_000, limit: 500 }],
] as const
