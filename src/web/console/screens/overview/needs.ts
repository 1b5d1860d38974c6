import { h } from 'preact'
import { useContext } from 'preact/hooks'
import type { ItemOf } from '../../core/hooks/use-pages.ts'
import type { Answer } from '../../core/operations.ts'
import { Known } from '../../core/reach/use-reach.ts'
import { linkTo } from '../../core/router.ts'
import { InstanceBadge } from '../../parts/badge.ts'
import { Prose } from '../../parts/prose.ts'
import { quotaNames, quotaText } from '../../parts/quotas.ts'
import { Section } from '../../parts/screen.ts'
import { localTime } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { reasonText, restrictionText } from '../../words/server-texts.ts'
import { type Kept, oldestQueue } from './use-instances.ts'

type Webhook = ItemOf<'listWebhooks'>

interface NeedsProps {
  readonly instances: readonly Kept[]
  readonly webhooks: readonly Webhook[]
  readonly quotas: Answer<'getQuotas'> | undefined
  /** True if everything is known: only then can the overview say that nothing needs a person. */
  readonly isComplete: boolean
}

/** Instances that are named at most. */
const maxNamed = 20
/** Milliseconds that a message may wait before a person should look. */
const longWait = 10 * 60_000
/** The share of a quota from which on it is nearly used up. */
const nearlyAll = 0.9

/** Parts that need a person: instances, webhooks, queues and quotas, the most urgent first. */
export function Needs({ instances, webhooks, quotas, isComplete }: NeedsProps) {
  const waiting = instances.filter(needsPerson)
  const oldest = oldestQueue(instances.filter((each) => !needsPerson(each)))
  const old = Date.now() - Date.parse(oldest?.queue.oldest_at ?? '') > longWait ? oldest : undefined
  const ill = webhooks.filter((each) => each.disabled_reason || each.failing_since || each.lagging_since)
  const full = quotaNames.filter((name) => isNearlyFull(quotas?.[name]))
  const needs = [
    ...waiting.slice(0, maxNamed).map((each) => h(InstanceNeed, { key: each.id, instance: each })),
    ...(waiting.length > maxNamed
      ? [h('li', { key: 'more' }, say('overview.and_more', { count: waiting.length - maxNamed }))]
      : []),
    ...ill.map((each) => h(WebhookNeed, { key: each.id, webhook: each })),
    ...(old ? [h(QueueNeed, { key: 'old', instance: old })] : []),
    ...full.map((name) =>
      h(
        'li',
        { key: name },
        h('strong', null, say(`quotas.names.${name}`)),
        h('span', null, say('overview.quota_full', quotaText(name, quotas?.[name]))),
      ),
    ),
  ]
  if (needs.length === 0) return isComplete ? h(NothingNeeded, { instances }) : null
  return h(
    Section,
    { id: 'needs', title: say('overview.needs_you'), look: 'panel attention' },
    h('ul', { class: 'needs' }, needs),
  )
}

/** An instance may be connecting for days, for example because its server does not exist. */
function NothingNeeded({ instances }: Pick<NeedsProps, 'instances'>) {
  const { length: count } = instances.filter(
    ({ status }) => status === 'connecting' || status === 'reconnecting',
  )
  const isKnown = useContext(Known)
  const words = !isKnown
    ? say('overview.all_was_well')
    : count === 0
      ? say('overview.all_well')
      : say('overview.still_connecting', { count })
  return h(
    'section',
    { class: count === 0 && isKnown ? 'panel good' : 'panel' },
    h('p', { role: 'status' }, words),
  )
}

function needsPerson({ action, restriction }: Kept): boolean {
  return (
    action === 'link' ||
    action === 'relink' ||
    action === 'contact_operator' ||
    (restriction !== null && restriction.scope !== 'none')
  )
}

function isNearlyFull(quota: { readonly used: number; readonly limit: number | null } | undefined): boolean {
  return quota !== undefined && quota.limit !== null && quota.used >= nearlyAll * quota.limit
}

function InstanceNeed({ instance }: { readonly instance: Kept }) {
  const { name, status, reason, restriction } = instance
  const told =
    restriction && status === 'connected' ? restrictionText(restriction) : reason && reasonText(reason)
  return h(
    'li',
    null,
    h('a', { href: linkTo(['instances', name]) }, name),
    h(InstanceBadge, { status }),
    status !== 'connected' && h('span', null, say(`statuses.next_step.${status}`)),
    told && h('span', { class: 'small' }, h(Prose, { text: told })),
  )
}

function WebhookNeed({ webhook }: { readonly webhook: Webhook }) {
  const { id, url, disabled_reason, failing_since, pending } = webhook
  const words = disabled_reason
    ? say('overview.webhook_disabled')
    : failing_since
      ? say('overview.webhook_failing', { time: localTime(failing_since) })
      : say('overview.webhook_lagging', { count: pending })
  return h(
    'li',
    null,
    h('a', { href: linkTo(['webhooks', id]) }, `${say('overview.webhook')} ${hostOf(url)}`),
    h('span', null, words),
  )
}

/** The rest of a URL may hold a secret, and an overview is looked at by many. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : ''
}

function QueueNeed({ instance: { name, queue } }: { readonly instance: Kept }) {
  return h(
    'li',
    null,
    h('a', { href: linkTo(['instances', name]) }, name),
    h('span', null, say('overview.old_queue', { time: localTime(queue.oldest_at ?? '') })),
  )
}
