import { h } from 'preact'
import { useState } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { useLive } from '../../core/live.ts'
import { linkTo } from '../../core/router.ts'
import { Copyable } from '../../parts/copy.ts'
import { Facts } from '../../parts/facts.ts'
import { Failure } from '../../parts/failure.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { Age, Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { disabledText } from '../../words/server-texts.ts'
import { Deliveries, deliveriesRequest } from './deliveries.ts'
import { type Order, Orders } from './orders.ts'
import { Verification } from './secret.ts'
import { orderingText, type Webhook, WebhookBadge } from './webhook-badge.ts'

/** Operations behind the buttons, shown with the other calls. */
const orders = ['testWebhook', 'rotateWebhookSecret', 'deleteWebhook'] as const

/** One webhook: its state, the deliveries that wait for it, and each delivery with its responses. */
export function screen({ params, query }: ScreenProps) {
  const webhook = params.webhook ?? ''
  const request = { params: { webhook } }
  const { data, error, reload, change } = useCall('getWebhook', request)
  const [round, setRound] = useState(0)
  const reloadAll = () => {
    reload()
    setRound((before) => before + 1)
  }
  const [order, setOrder] = useState<Order>()
  useLive(() => {}, reloadAll)
  return h(
    Screen,
    {
      title: data ? new URL(data.url).host : say('webhooks.title'),
      parent: { title: say('webhooks.title'), link: linkTo(['webhooks']) },
      calls: [
        shownCall('getWebhook', request),
        shownCall('listDeliveries', deliveriesRequest(webhook, query)),
        ...orders.map((id) => shownCall(id, request)),
      ],
      actions: data && h(Orders, { webhook: data, open: order, onOpen: setOrder, reload: reloadAll }),
    },
    h(Failure, { error, onRetry: reload }),
    data && h(About, { webhook: data }),
    data &&
      h(Deliveries, {
        webhook: data,
        query,
        round,
        // A webhook that is being removed would be asked for in vain.
        isPaused: order === 'remove' || error !== undefined,
        onRead: (told) => change(() => told),
        onGone: reload,
        onChange: reloadAll,
      }),
    data && h('section', { class: 'panel' }, h(Verification, null)),
  )
}

function About({ webhook }: { readonly webhook: Webhook }) {
  const { disabled_reason, failing_since, oldest_at } = webhook
  return h(
    'section',
    { class: 'panel' },
    h('p', null, h(WebhookBadge, { webhook })),
    disabled_reason &&
      h('p', { class: 'warning' }, disabledText(disabled_reason), ' ', h('code', null, disabled_reason.code)),
    h(Facts, {
      facts: {
        [say('webhooks.url')]: h(Copyable, { text: webhook.url }),
        ID: h(Copyable, { text: webhook.id }),
        [say('webhooks.events')]: webhook.events?.join(', ') ?? say('webhooks.all_events'),
        [say('webhooks.instances')]: webhook.instances?.join(', ') ?? say('everywhere.all_instances'),
        [say('webhooks.ordering')]: orderingText(webhook.ordering),
        [say('webhooks.batch')]: number(webhook.batch),
        [say('webhooks.pending')]: h(
          'span',
          null,
          number(webhook.pending),
          oldest_at && [' · ', h(Age, { at: oldest_at })],
        ),
        [say('webhooks.rate')]: number(webhook.rate),
        // There at any time, so that nothing below moves when it begins or ends.
        [say('webhooks.failing_since')]: h(Time, { at: failing_since }),
        [say('everywhere.created')]: h(Time, { at: webhook.created_at }),
      },
    }),
  )
}
