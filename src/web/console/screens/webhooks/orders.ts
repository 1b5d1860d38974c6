import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { goTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { notify, tell } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'
import { Redelivery } from './redelivery.ts'
import { Secret } from './secret.ts'
import type { Webhook } from './webhook-badge.ts'
import { WebhookForm } from './webhook-form.ts'

/** An order that is given in a dialog. */
export type Order = 'edit' | 'rotate' | 'redeliver_period' | 'skip' | 'remove'

interface OrdersProps {
  readonly webhook: Webhook
  /** The order whose dialog is open. */
  readonly open: Order | undefined
  readonly onOpen: (order: Order | undefined) => void
  readonly reload: () => void
}

/** Buttons for the orders that a webhook takes. */
export function Orders({ webhook, open, onOpen, reload }: OrdersProps) {
  const request = { params: { webhook: webhook.id } }
  const change = (body: { readonly enabled?: boolean; readonly paused?: boolean }) => () =>
    tell(() => call('updateWebhook', { ...request, body })).then(reload)
  const test = () => tell(() => call('testWebhook', request), say('webhooks.test_sent')).then(reload)
  const opening = (what: Order) =>
    h(Button, { key: what, onClick: () => onOpen(what) }, say(`webhooks.${what}`))
  return [
    h(Button, { key: 'test', look: 'primary', onClick: test }, say('webhooks.send_test')),
    opening('edit'),
    webhook.enabled &&
      h(
        Button,
        { key: 'pause', onClick: change({ paused: !webhook.paused }) },
        say(webhook.paused ? 'webhooks.resume' : 'webhooks.pause'),
      ),
    h(
      Button,
      { key: 'enable', onClick: change({ enabled: !webhook.enabled }) },
      say(webhook.enabled ? 'webhooks.disable' : 'webhooks.enable'),
    ),
    opening('redeliver_period'),
    // Always there: the others must not move while deliveries come and go.
    opening('skip'),
    opening('rotate'),
    opening('remove'),
    h(OpenOrder, { key: 'open', webhook, open, onOpen, reload }),
  ]
}

/** The dialog of the order that was chosen. */
function OpenOrder({ webhook, open, onOpen, reload }: OrdersProps) {
  const [secret, setSecret] = useState<string>()
  const request = { params: { webhook: webhook.id } }
  const onClose = () => onOpen(undefined)
  const close = () => {
    onClose()
    reload()
  }
  if (secret !== undefined) return h(Secret, { secret, onClose: () => setSecret(undefined) })
  if (open === 'edit') return h(WebhookForm, { webhook, onClose, onDone: close })
  if (open === 'redeliver_period') return h(Redelivery, { webhook: webhook.id, onClose: close })
  if (open === undefined) return null
  const orders = {
    skip: () => skip(webhook.id),
    rotate: async () => setSecret((await call('rotateWebhookSecret', request)).secret),
    remove: async () => {
      await call('deleteWebhook', request)
      goTo(['webhooks'])
    },
  }
  return h(
    Confirm,
    {
      title: say(`webhooks.${open}`),
      typed: open === 'remove' ? new URL(webhook.url).host : undefined,
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
