import { h } from 'preact'
import { number } from '../../../browser/numbers.ts'
import { shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { usePages } from '../../core/hooks/use-pages.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { isLimited, isUnlimitedAdmin } from '../../core/me.ts'
import { contract } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { InstanceBadge } from '../../parts/badge.ts'
import { Facts } from '../../parts/facts.ts'
import { Failure } from '../../parts/failure.ts'
import { QuotaTable } from '../../parts/quotas.ts'
import { Screen, type ScreenProps, Section } from '../../parts/screen.ts'
import { Age } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { instanceStatuses } from '../../words/statuses.ts'
import { FirstSteps } from './first-steps.ts'
import { Needs } from './needs.ts'
import { type Instances, type Kept, oldestQueue, useInstances } from './use-instances.ts'

/** Milliseconds by which quotas may be behind the messages. */
const quotaDelay = 3_000

/** Parts that need a person, and the state of everything. */
export function screen({ me }: ScreenProps) {
  const instances = useInstances()
  const quotas = useCall('getQuotas', isLimited(me) ? null : {})
  const readQuotas = useSoon(quotas.reload, quotaDelay)
  useLive((event) => {
    if (messageIn(event) || event.type === 'quota.exceeded') readQuotas()
  }, quotas.reload)
  const seesWebhooks = isUnlimitedAdmin(me)
  const calls = [
    shownCall('listInstances', { query: { limit: 200 } }),
    ...(seesWebhooks ? [shownCall('listWebhooks')] : []),
    ...(isLimited(me) ? [] : [shownCall('getQuotas')]),
  ]
  const isEmpty = instances.isRead && instances.all.length === 0
  const known = { instances: instances.all, quotas: quotas.data, isComplete: instances.isRead }
  return h(
    Screen,
    { title: say('overview.title'), calls },
    h(Failure, { error: instances.error, onRetry: instances.reload }),
    isEmpty && h(FirstSteps, { me }),
    !isEmpty && (seesWebhooks ? h(NeedsWithWebhooks, known) : h(Needs, { ...known, webhooks: [] })),
    !isEmpty && h(Counts, { instances }),
    !isEmpty && h(Queue, { instances: instances.all }),
    !isLimited(me) && h('h2', null, say('quotas.title')),
    h(Failure, { error: quotas.error, onRetry: quotas.reload }),
    quotas.data && h(QuotaTable, { quotas: quotas.data }),
    h(
      'p',
      { class: 'small' },
      say('overview.version'),
      ' ',
      contract.version,
      ' · ',
      h('a', { href: 'docs' }, say('overview.open_reference')),
    ),
  )
}

/** With the webhooks, which not every key may see. */
function NeedsWithWebhooks(known: Omit<Parameters<typeof Needs>[0], 'webhooks'>) {
  const webhooks = usePages('listWebhooks', { query: { limit: 200 } })
  useLive((event) => {
    if (event.type.startsWith('webhook.') && event.type !== 'webhook.test') webhooks.reload()
  }, webhooks.reload)
  if (webhooks.error !== undefined) return h(Failure, { error: webhooks.error, onRetry: webhooks.reload })
  return h(Needs, { ...known, webhooks: webhooks.items, isComplete: known.isComplete && webhooks.isRead })
}

function Counts({ instances }: { readonly instances: Instances }) {
  const { all, isRead } = instances
  const counts = instanceStatuses
    .map((status) => ({ status, count: all.filter((each) => each.status === status).length }))
    .filter(({ count }) => count > 0)
  return h(
    Section,
    { id: 'counts', title: say('overview.instances') },
    h(
      'p',
      { class: 'small', role: 'status' },
      say(isRead ? 'overview.total' : 'overview.counting', { count: all.length }),
    ),
    h(
      'ul',
      { class: 'tiles' },
      counts.map(({ status, count }) =>
        h(
          'li',
          { key: status },
          h(
            'a',
            { class: 'tile', href: linkTo(['instances'], { status }) },
            h('strong', null, number(count)),
            h(InstanceBadge, { status }),
          ),
        ),
      ),
    ),
  )
}

function Queue({ instances }: { readonly instances: readonly Kept[] }) {
  const depth = instances.reduce((sum, { queue }) => sum + queue.depth, 0)
  const oldest = oldestQueue(instances)
  return h(
    Section,
    { id: 'queue', title: say('overview.queue') },
    depth === 0
      ? h('p', { class: 'small' }, say('overview.nothing_waits'))
      : h(Facts, {
          facts: {
            [say('overview.queue')]: number(depth),
            [say('overview.oldest')]:
              oldest && h('a', { href: linkTo(['instances', oldest.name]) }, oldest.name),
            [say('overview.accepted')]: oldest && h(Age, { at: oldest.queue.oldest_at }),
          },
        }),
  )
}
