import { type ComponentChildren, h } from 'preact'
import { useContext } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { call } from '../../core/api.ts'
import { isIll, needsPerson } from '../../core/attention.ts'
import type { ItemOf } from '../../core/hooks/use-pages.ts'
import { SignedIn } from '../../core/me.ts'
import type { Answer } from '../../core/operations.ts'
import { Known } from '../../core/reach/use-reach.ts'
import { goTo, linkTo } from '../../core/router.ts'
import { InstanceBadge } from '../../parts/badge.ts'
import { Button } from '../../parts/button.ts'
import { Card } from '../../parts/card.ts'
import { Icon, type IconName } from '../../parts/icon.ts'
import { tell } from '../../parts/notices.ts'
import { Prose } from '../../parts/prose.ts'
import { quotaNames, quotaText } from '../../parts/quotas.ts'
import { agePlace, withAge } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { reasonText, restrictionText } from '../../words/server-texts.ts'
import { instanceTones, type Tone } from '../../words/statuses.ts'
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
  const ill = webhooks.filter(isIll)
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
        Need,
        {
          key: name,
          icon: 'alert',
          tone: 'attention',
          title: h('strong', null, say(`quotas.names.${name}`)),
        },
        say('overview.quota_full', quotaText(name, quotas?.[name])),
      ),
    ),
  ]
  if (needs.length === 0) return isComplete ? h(NothingNeeded, { instances }) : null
  const count = h('span', { class: 'count' }, number(needs.length))
  return h(
    Card,
    { id: 'needs', title: say('overview.needs_you'), aside: count },
    h('ul', { class: 'rows needs' }, needs),
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

function isNearlyFull(quota: { readonly used: number; readonly limit: number | null } | undefined): boolean {
  return quota !== undefined && quota.limit !== null && quota.used >= nearlyAll * quota.limit
}

interface NeedProps {
  /** The button that does, or leads to, the very thing that helps. */
  readonly action?: ComponentChildren
  readonly icon: IconName
  readonly tone: Tone
  readonly title: ComponentChildren
  /** Stands beside the title, such as a status. */
  readonly badge?: ComponentChildren
  readonly children?: ComponentChildren
}

function Need({ icon, tone, title, badge, action, children }: NeedProps) {
  return h(
    'li',
    { class: `need ${tone}` },
    h(Icon, { name: icon }),
    h(
      'div',
      { class: 'what' },
      h('div', { class: 'need-title' }, title, badge),
      h('span', { class: 'small' }, children),
    ),
    action && h('div', { class: 'need-action' }, action),
  )
}

const buttonTo = (path: readonly string[], query: Readonly<Record<string, string>>, text: string) =>
  h('a', { class: 'button', href: linkTo(path, query) }, text)

const wholeLink = (path: readonly string[], text: string) =>
  h('a', { class: 'whole', href: linkTo([...path]) }, text)

/** The words of the buttons that lead to the page of an instance, by the next step: another one is no button. */
const mending = { link: 'overview.do_link', relink: 'overview.do_relink' } as const

function InstanceNeed({ instance }: { readonly instance: Kept }) {
  const { name, status, action, reason, restriction } = instance
  const isAdmin = useContext(SignedIn)?.key?.role === 'admin'
  const told =
    restriction && status === 'connected' ? restrictionText(restriction) : reason && reasonText(reason)
  const title = wholeLink(['instances', name], name)
  const mend =
    isAdmin &&
    (action === 'link' || action === 'relink') &&
    buttonTo(['instances', name], { open: action }, say(mending[action]))
  return h(
    Need,
    {
      icon: 'plug',
      tone: instanceTones[status] ?? 'attention',
      title,
      badge: h(InstanceBadge, { status }),
      action: mend,
    },
    status !== 'connected' && h('span', { class: 'next-step' }, say(`statuses.next_step.${status}`)),
    told && [' ', h(Prose, { text: told })],
  )
}

function WebhookNeed({ webhook }: { readonly webhook: Webhook }) {
  const { id, name, url, disabled_reason, failing_since, next_attempt_at, pending } = webhook
  const words = disabled_reason
    ? say('overview.webhook_disabled')
    : failing_since
      ? withAge(say('overview.webhook_failing', { time: agePlace }), failing_since)
      : next_attempt_at === null
        ? say('overview.webhook_lagging', { count: pending })
        : say('webhooks.note_retrying')
  const title = wholeLink(['webhooks', id], `${say('overview.webhook')} ${name ?? hostOf(url)}`)
  // The page of the webhook then asks from when on.
  const enable = async () => {
    await tell(async () => {
      await call('updateWebhook', { params: { webhook: id }, body: { enabled: true } })
      goTo(['webhooks', id], { open: 'redelivery' })
    })
  }
  const action = disabled_reason && h(Button, { onClick: enable }, say('webhooks.enable_and_deliver'))
  return h(Need, { icon: 'webhook', tone: disabled_reason ? 'bad' : 'attention', title, action }, words)
}

/** The rest of a URL may hold a secret, and an overview is looked at by many. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : ''
}

function QueueNeed({ instance: { name, queue } }: { readonly instance: Kept }) {
  const title = wholeLink(['instances', name], name)
  const words = withAge(say('overview.old_queue', { time: agePlace }), queue.oldest_at ?? '')
  const action = buttonTo(['messages'], { instance: name, status: 'queued' }, say('overview.do_see'))
  return h(Need, { icon: 'clock', tone: 'attention', title, action }, words)
}
