import { h } from 'preact'
import { useEffect } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { isIll, needsPerson, noteWaiting } from '../../core/attention.ts'
import { shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { usePages } from '../../core/hooks/use-pages.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { isLimited, isUnlimitedAdmin, type Me, maySend } from '../../core/me.ts'
import type { Answer } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { InstanceBadge } from '../../parts/badge.ts'
import { Card } from '../../parts/card.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { Facts } from '../../parts/facts.ts'
import { Failure } from '../../parts/failure.ts'
import { Icon } from '../../parts/icon.ts'
import { QuotaTable, quotaNames, shareOf } from '../../parts/quotas.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { Skeleton } from '../../parts/skeleton.ts'
import { Age } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { instanceStatuses } from '../../words/statuses.ts'
import { failuresRequest, LatestFailures } from './failures.ts'
import { useFirstRead } from './first-read.ts'
import { FirstSteps } from './first-steps.ts'
import { Needs } from './needs.ts'
import { SinceLastVisit } from './since.ts'
import { Traffic, trafficRequest } from './traffic.ts'
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
    shownCall('getStatistics', trafficRequest()),
    shownCall('listMessages', failuresRequest),
  ]
  const isEmpty = instances.isRead && instances.all.length === 0
  const isKnown = instances.all.length > 0 || instances.isRead || instances.error !== undefined
  const withInstances = ['traffic', 'failures', ...(seesWebhooks ? ['webhooks'] : [])]
  const { isReady, note } = useFirstRead(['instances', 'steps', ...(isEmpty ? [] : withInstances)])
  useEffect(() => {
    if (isKnown) note('instances')
  }, [isKnown])
  return h(
    Screen,
    {
      title: say('overview.title'),
      calls,
      actions:
        maySend(me) &&
        h(
          'a',
          { class: 'button primary', href: linkTo(['send']) },
          h(Icon, { name: 'send' }),
          say('overview.go_message'),
        ),
    },
    h(SinceLastVisit, { me }),
    h(Failure, { error: instances.error, onRetry: instances.reload }),
    !isReady && h(Skeleton, { rows: 12 }),
    h(
      'div',
      { class: isReady ? undefined : 'held' },
      h(FirstSteps, { me, instances, onRead: () => note('steps') }),
      !isEmpty && h(Everything, { me, instances, quotas: quotas.data, onRead: note }),
      h(Failure, { error: quotas.error, onRetry: quotas.reload }),
      quotas.data && h(Quotas, { quotas: quotas.data }),
    ),
  )
}

interface EverythingProps {
  readonly me: Me
  readonly instances: Instances
  readonly quotas: Answer<'getQuotas'> | undefined
  /** Called with the name of each part once it was read. */
  readonly onRead: (part: string) => void
}

const idOf = ({ id }: { readonly id: string }) => id

/** All parts of an organization that has instances. */
function Everything({ me, instances: { all, isRead, ...instances }, quotas, onRead }: EverythingProps) {
  const known = { instances: all, quotas, isComplete: isRead }
  const oldest = oldestQueue(all)?.queue.oldest_at
  useEffect(() => {
    if (isRead) noteWaiting('instances', all.filter(needsPerson).map(idOf), false)
  })
  return [
    isUnlimitedAdmin(me)
      ? h(NeedsWithWebhooks, { key: 'needs', ...known, onRead: () => onRead('webhooks') })
      : h(Needs, { key: 'needs', ...known, webhooks: [] }),
    h(Traffic, { key: 'traffic', waiting: depthOf(all), oldest, onRead: () => onRead('traffic') }),
    h(
      'div',
      { key: 'rest', class: 'beside' },
      h('div', null, h(LatestFailures, { onRead: () => onRead('failures') }), h(Queue, { instances: all })),
      h(Counts, { instances: { all, isRead, ...instances } }),
    ),
  ]
}

/** With the webhooks, which not every key may see. */
function NeedsWithWebhooks({
  onRead,
  ...known
}: Omit<Parameters<typeof Needs>[0], 'webhooks'> & { readonly onRead: () => void }) {
  const webhooks = usePages('listWebhooks', { query: { limit: 200 } })
  useLive((event) => {
    if (event.type.startsWith('webhook.') && event.type !== 'webhook.test') webhooks.reload()
  }, webhooks.reload)
  useEffect(() => {
    if (webhooks.isRead) noteWaiting('webhooks', webhooks.items.filter(isIll).map(idOf), webhooks.hasMore)
  }, [webhooks.items, webhooks.isRead])
  const isKnown = webhooks.isRead || webhooks.error !== undefined
  useEffect(() => {
    if (isKnown) onRead()
  }, [isKnown])
  if (webhooks.error !== undefined) return h(Failure, { error: webhooks.error, onRetry: webhooks.reload })
  return h(Needs, { ...known, webhooks: webhooks.items, isComplete: known.isComplete && webhooks.isRead })
}

function Counts({ instances }: { readonly instances: Instances }) {
  const { all, isRead } = instances
  const counts = instanceStatuses
    .map((status) => ({ status, some: all.filter((each) => each.status === status) }))
    .filter(({ some }) => some.length > 0)
  return h(
    Card,
    {
      id: 'counts',
      title: say('overview.instances'),
      aside: h(
        'span',
        { class: 'small', role: 'status' },
        say(isRead ? 'overview.total' : 'overview.counting', { count: all.length }),
      ),
    },
    h(
      'ul',
      { class: 'rows' },
      counts.map(({ status, some }) =>
        h(
          'li',
          { key: status },
          h(
            'a',
            { class: 'whole state', href: linkTo(['instances'], { status }) },
            h('strong', null, number(some.length)),
            h(InstanceBadge, { status }),
          ),
          h(
            'span',
            { class: 'small cut', 'aria-hidden': true },
            some
              .slice(0, named)
              .map(({ name }) => name)
              .join(', '),
          ),
        ),
      ),
    ),
  )
}

/** Instances that are named for each status. */
const named = 5

const depthOf = (instances: readonly Kept[]) => instances.reduce((sum, { queue }) => sum + queue.depth, 0)

function Queue({ instances }: { readonly instances: readonly Kept[] }) {
  const oldest = oldestQueue(instances)
  return h(
    Card,
    { id: 'queue', title: say('overview.queue') },
    depthOf(instances) === 0
      ? h('p', { class: 'small' }, say('overview.nothing_waits'))
      : h(Facts, {
          facts: {
            [say('overview.queue')]: number(depthOf(instances)),
            [say('overview.oldest')]:
              oldest && h('a', { href: linkTo(['instances', oldest.name]) }, oldest.name),
            [say('overview.accepted')]: oldest && h(Age, { at: oldest.queue.oldest_at }),
          },
        }),
  )
}

/** The quotas, open once one of them matters. */
function Quotas({ quotas }: { readonly quotas: Answer<'getQuotas'> }) {
  const fullest = Math.max(0, ...quotaNames.map((name) => shareOf(quotas[name])))
  const title = say('overview.quotas', { share: `${number(100 * fullest, 0)} %` })
  return h(Disclosure, { title, isOpen: fullest >= 0.8, look: 'group' }, h(QuotaTable, { quotas }))
}
