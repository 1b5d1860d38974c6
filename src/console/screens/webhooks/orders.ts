import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { goTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { Confirm } from '../../parts/confirm.ts'
import { notify } from '../../parts/notices.ts'
import { Redelivery } from './redelivery.ts'
import { Secret } from './secret.ts'
import type { Webhook } from './webhook-badge.ts'
import { WebhookForm } from './webhook-form.ts'
import { say } from './words.ts'

interface OrdersProps {
  readonly webhook: Webhook
  readonly reload: () => void
}

type Open = 'edit' | 'rotate' | 'redeliver' | 'skip' | 'remove'

/** What can be done with a webhook. */
export function Orders({ webhook, reload }: OrdersProps) {
  const [open, setOpen] = useState<Open>()
  const [secret, setSecret] = useState<string>()
  const request = { params: { webhook: webhook.id } }
  const close = () => {
    setOpen(undefined)
    reload()
  }
  const change = (body: { readonly enabled?: boolean; readonly paused?: boolean }) => async () => {
    await call('updateWebhook', { ...request, body }).catch((error) => notify(error.message))
    reload()
  }
  const test = async () => {
    await call('testWebhook', request).then(
      () => notify(say('test_sent')),
      (error) => notify(error.message),
    )
    reload()
  }
  const rotate = async () => setSecret((await call('rotateWebhookSecret', request)).secret)
  return [
    h(Button, { key: 'test', look: 'primary', onClick: test }, say('send_test')),
    h(Button, { key: 'edit', onClick: () => setOpen('edit') }, say('edit')),
    webhook.enabled &&
      h(
        Button,
        { key: 'pause', onClick: change({ paused: !webhook.paused }) },
        say(webhook.paused ? 'resume' : 'pause'),
      ),
    h(
      Button,
      { key: 'enable', onClick: change({ enabled: !webhook.enabled }) },
      say(webhook.enabled ? 'disable' : 'enable'),
    ),
    h(Button, { key: 'redeliver', onClick: () => setOpen('redeliver') }, say('redeliver_period')),
    webhook.pending > 0 && h(Button, { key: 'skip', onClick: () => setOpen('skip') }, say('skip')),
    h(Button, { key: 'rotate', onClick: () => setOpen('rotate') }, say('rotate')),
    h(Button, { key: 'remove', onClick: () => setOpen('remove') }, say('remove')),
    open === 'edit' && h(WebhookForm, { webhook, onClose: close, onDone: close }),
    open === 'redeliver' && h(Redelivery, { webhook: webhook.id, onClose: close }),
    open === 'skip' &&
      h(
        Confirm,
        { title: say('skip'), action: say('skip'), onConfirm: () => skip(webhook.id), onClose: close },
        h('p', null, say('skip_what')),
      ),
    open === 'rotate' &&
      h(
        Confirm,
        { title: say('rotate'), action: say('rotate'), onConfirm: rotate, onClose: close },
        h('p', null, say('rotate_what')),
      ),
    open === 'remove' &&
      h(
        Confirm,
        {
          title: say('remove'),
          action: say('remove'),
          typed: new URL(webhook.url).host,
          onConfirm: async () => {
            await call('deleteWebhook', request)
            goTo(['webhooks'])
          },
          onClose: () => setOpen(undefined),
        },
        h('p', null, say('remove_what')),
      ),
    secret !== undefined && h(Secret, { secret, onClose: () => setSecret(undefined) }),
  ]
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
  notify(say('skipped', { count }))
}
