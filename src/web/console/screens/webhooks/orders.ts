import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { fromHere } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { Icon } from '../../parts/icon.ts'
import { OrderMenu } from '../../parts/lists/order-menu.ts'
import { notify, tell } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'
import { Redelivery } from './redelivery.ts'
import { Secret } from './secret.ts'
import { titleOf, type Webhook } from './webhook-badge.ts'
import { WebhookForm } from './webhook-form.ts'

/** An order that is given in a dialog. */
export type Order = 'edit' | 'rotate' | 'redeliver_period' | 'skip' | 'remove'

interface OrdersProps {
  readonly webhook: Webhook
  readonly onOpen: (order: Order) => void
  readonly reload: () => void
}

/** The order that is given most, and a menu of those that are given seldom. */
export function Orders({ webhook, onOpen, reload }: OrdersProps) {
  const params = { webhook: webhook.id }
  const test = () => tell(() => call('testWebhook', { params }), say('webhooks.test_sent')).then(reload)
  const pause = () =>
    tell(() => call('updateWebhook', { params, body: { paused: !webhook.paused } })).then(reload)
  const opening = (order: Order) => ({ text: `${say(`webhooks.${order}`)}…`, onChoose: () => onOpen(order) })
  return [
    h(
      Button,
      { key: 'test', look: 'primary', onClick: test },
      h(Icon, { name: 'send' }),
      say('webhooks.send_test'),
    ),
    h(OrderMenu, {
      key: 'more',
      label: say('webhooks.more_orders'),
      orders: [
        opening('edit'),
        ...(webhook.enabled
          ? [{ text: say(webhook.paused ? 'webhooks.resume' : 'webhooks.pause'), onChoose: pause }]
          : []),
        opening('redeliver_period'),
        opening('rotate'),
      ],
    }),
  ]
}

/** Enables a webhook that is disabled, or disables it. */
export function enableOrDisable({ id, enabled }: Webhook): Promise<void> {
  return tell(() => call('updateWebhook', { params: { webhook: id }, body: { enabled: !enabled } }))
}

interface OpenOrderProps {
  readonly webhook: Webhook
  /** The time from which on something may have been missed, if anything was. */
  readonly since: string | undefined
  /** The order whose dialog is open. */
  readonly open: Order | undefined
  readonly onOpen: (order: Order | undefined) => void
  readonly reload: () => void
}

/** The dialog of the order that was chosen. */
export function OpenOrder({ webhook, since, open, onOpen, reload }: OpenOrderProps) {
  const [secret, setSecret] = useState<string>()
  const request = { params: { webhook: webhook.id } }
  const onClose = () => onOpen(undefined)
  const close = () => {
    onClose()
    reload()
  }
  if (secret !== undefined) return h(Secret, { secret, onClose: () => setSecret(undefined) })
  if (open === 'edit') return h(WebhookForm, { webhook, onClose, onDone: close })
  if (open === 'redeliver_period') return h(Redelivery, { webhook: webhook.id, since, onClose: close })
  if (open === undefined) return null
  const orders = {
    skip: () => skip(webhook.id),
    rotate: async () => setSecret((await call('rotateWebhookSecret', request)).secret),
    remove: async () => {
      const goOn = fromHere()
      await call('deleteWebhook', request)
      goOn(['webhooks'])
    },
  }
  return h(
    Confirm,
    {
      title: say(`webhooks.${open}`),
      about: titleOf(webhook),
      typed: open === 'remove' ? titleOf(webhook) : undefined,
      onConfirm: orders[open],
      onClose: open === 'remove' ? onClose : close,
    },
    h('p', null, say(`webhooks.${open}_what`)),
  )
}

/** Skips what waits now. One call does a part of a large backlog. */
async function skip(webhook: string): Promise<void> {
  const until = new Date().toISOString()
  let count = 0
  for (let isDone = false; !isDone; ) {
    const { skipped, done } = await call('skipBacklog', { params: { webhook }, body: { until } })
    count += skipped
    isDone = done
  }
  notify(say('webhooks.skipped', { count }))
}
