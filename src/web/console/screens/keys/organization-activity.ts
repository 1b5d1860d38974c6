import { h } from 'preact'
import { number } from '../../../browser/numbers.ts'
import { language } from '../../../browser/words.ts'
import type { Answer } from '../../core/operations.ts'
import { Badge } from '../../parts/badge.ts'
import { Card } from '../../parts/card.ts'
import { amountOf } from '../../parts/quotas.ts'
import { Age } from '../../parts/time.ts'
import { say } from '../../words/say.ts'

export type Organization = Answer<'getOrganization'>
type Traffic = Organization['last_24_hours']

/** The share of failures from which on a person should look. */
const manyFailures = 0.05

/** The instances of an organization, and those that wait for a person. */
export function InstanceCounts({ instances }: Pick<Organization, 'instances'>) {
  const { total, need_person: waiting } = instances
  if (waiting === 0) return number(total)
  const text = say('keys.need_person', { count: waiting })
  return h('span', null, number(total), ' ', h(Badge, { tone: 'attention', text }))
}

/** The share of messages that failed, marked if it is large. */
export function FailedShare({ traffic: { failed_share: share } }: { readonly traffic: Traffic }) {
  if (share === null) return '–'
  const text = new Intl.NumberFormat(language(), { style: 'percent', maximumFractionDigits: 1 }).format(share)
  return h('span', { class: share >= manyFailures ? 'share-bad' : undefined }, text)
}

/** The activity of an organization in the last 24 hours, and what waits. */
export function ActivityCard({ organization }: { readonly organization: Organization }) {
  const { last_24_hours: traffic, instances, usage } = organization
  const figures = [
    [say('charts.accepted'), number(traffic.accepted)],
    [say('overview.failed'), h(FailedShare, { traffic })],
    [say('overview.received'), number(traffic.received)],
    [say('overview.queue'), amountOf('unsettled_messages', usage.unsettled_messages.used)],
    [say('server.instances'), h(InstanceCounts, { instances })],
  ] as const
  const created = h(
    'span',
    { class: 'small' },
    say('everywhere.created'),
    ' ',
    h(Age, { at: organization.created_at }),
  )
  return h(
    Card,
    { id: 'activity', title: say('overview.last_day'), aside: created },
    h(
      'dl',
      { class: 'figures' },
      figures.map(([name, value]) => h('div', { key: name }, h('dt', null, name), h('dd', null, value))),
    ),
  )
}
