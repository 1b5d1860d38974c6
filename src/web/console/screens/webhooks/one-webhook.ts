import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { useLive } from '../../core/live.ts'
import { changeQuery, linkTo } from '../../core/router.ts'
import { Copyable } from '../../parts/copy.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { Failure } from '../../parts/failure.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { Skeleton } from '../../parts/skeleton.ts'
import { say } from '../../words/say.ts'
import { Curve } from './curve.ts'
import { DangerZone } from './danger-zone.ts'
import { Deliveries, deliveriesRequest } from './deliveries.ts'
import { Figures, Health, type Hours, missedSince } from './health.ts'
import { OpenOrder, type Order, Orders } from './orders.ts'
import { Verification } from './secret.ts'
import { type Delivery, titleOf, WebhookBadge } from './webhook-badge.ts'

/** Operations behind the buttons, shown with the other calls. */
const orders = ['testWebhook', 'rotateWebhookSecret', 'deleteWebhook'] as const
/** Hours that the figures and the curve are about. */
const shownHours = 168
/** Milliseconds after a change of the backlog until the hours are read again. */
const hoursDelay = 2_000

/** One webhook: its health, its last hours, and each delivery with its attempts. */
export function screen({ params, query }: ScreenProps) {
  const webhook = params.webhook ?? ''
  const request = { params: { webhook } }
  const { data, error, reload, change } = useCall('getWebhook', request)
  const hoursRequest = { ...request, query: { hours: shownHours } }
  const statistics = useCall('getWebhookStatistics', hoursRequest)
  const [round, setRound] = useState(0)
  const [order, setOrder] = useState<Order>()
  const reloadAll = () => {
    reload()
    statistics.reload()
    setRound((before) => before + 1)
  }
  const readHours = useSoon(statistics.reload, hoursDelay)
  useEffect(() => {
    if (data) readHours()
  }, [data?.pending, data?.failing_since])
  useLive(() => {}, reloadAll)
  // The overview leads here to deliver what was missed; the form knows from when on once the hours are read.
  const opensForm = query.open === 'redelivery' && data !== undefined && statistics.data !== undefined
  useEffect(() => {
    if (!opensForm) return
    setOrder('redeliver_period')
    changeQuery(['webhooks', webhook], { open: '' }, true)
  }, [opensForm])
  return h(
    Screen,
    {
      title: data ? titleOf(data) : say('webhooks.title'),
      parent: { title: say('webhooks.title'), link: linkTo(['webhooks']) },
      calls: [
        shownCall('getWebhook', request),
        shownCall('getWebhookStatistics', hoursRequest),
        shownCall('listDeliveries', deliveriesRequest(webhook, query)),
        ...orders.map((id) => shownCall(id, request)),
      ],
      actions: data && h(Orders, { webhook: data, onOpen: setOrder, reload: reloadAll }),
    },
    h(Failure, { error, onRetry: reload }),
    !data && error === undefined && h(Skeleton, { rows: 8 }),
    data &&
      h(Page, {
        webhook: data,
        query,
        hours: statistics.data?.data ?? [],
        round,
        // A webhook that is being removed would be asked for in vain.
        isPaused: order === 'remove' || error !== undefined,
        onRead: (told) => change(() => told),
        onGone: reload,
        order,
        onOpen: setOrder,
        onChange: reloadAll,
      }),
    h(Failure, { error: statistics.error, onRetry: statistics.reload }),
  )
}

interface PageProps extends Omit<Parameters<typeof Deliveries>[0], 'onShown'> {
  readonly hours: Hours
  /** The order whose dialog is open. */
  readonly order: Order | undefined
  readonly onOpen: (order: Order | undefined) => void
}

/** All that is known of a webhook. */
function Page({ hours, order, onOpen, ...reading }: PageProps) {
  const { webhook, onChange } = reading
  const [deliveries, setDeliveries] = useState<readonly Delivery[]>([])
  return [
    h('p', { class: 'webhook-head' }, h(WebhookBadge, { webhook }), h(Copyable, { text: webhook.url })),
    h(Health, {
      webhook,
      hours,
      deliveries,
      onChange,
      onRedeliver: () => onOpen('redeliver_period'),
    }),
    h(Figures, { webhook, hours, deliveries }),
    h(Curve, { hours }),
    h(Deliveries, { ...reading, onShown: setDeliveries }),
    h(Disclosure, { title: say('webhooks.verify'), look: 'group' }, h(Verification, null)),
    h(DangerZone, { webhook, onOpen, reload: onChange }),
    h(OpenOrder, { webhook, since: missedSince(webhook, hours), open: order, onOpen, reload: onChange }),
  ]
}
