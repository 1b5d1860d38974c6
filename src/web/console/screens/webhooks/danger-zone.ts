import { type ComponentChildren, h } from 'preact'
import { Button } from '../../parts/button.ts'
import { Card } from '../../parts/card.ts'
import { say } from '../../words/say.ts'
import { enableOrDisable, type Order } from './orders.ts'
import type { Webhook } from './webhook-badge.ts'

interface DangerProps {
  readonly webhook: Webhook
  readonly onOpen: (order: Order) => void
  readonly reload: () => void
}

/** Orders by which something may be missed, apart from all others. */
export function DangerZone({ webhook, onOpen, reload }: DangerProps) {
  const { enabled, pending } = webhook
  const row = (title: string, words: string, button: ComponentChildren) =>
    h(
      'li',
      null,
      h('div', { class: 'what' }, h('strong', null, title), h('span', { class: 'small' }, words)),
      button,
    )
  return h(
    'div',
    { class: 'danger-zone' },
    h(
      Card,
      { id: 'danger', title: say('webhooks.danger') },
      h(
        'ul',
        { class: 'rows' },
        row(
          say(enabled ? 'webhooks.disable' : 'webhooks.enable'),
          say(enabled ? 'webhooks.disable_what' : 'webhooks.enable_what'),
          h(
            Button,
            { onClick: () => enableOrDisable(webhook).then(reload) },
            say(enabled ? 'webhooks.disable' : 'webhooks.enable'),
          ),
        ),
        row(
          say('webhooks.skip'),
          say('webhooks.skip_now', { count: pending }),
          h(Button, { onClick: () => onOpen('skip') }, `${say('webhooks.skip')}…`),
        ),
        row(
          say('webhooks.remove'),
          say('webhooks.remove_what'),
          h(Button, { look: 'danger', onClick: () => onOpen('remove') }, `${say('webhooks.remove')}…`),
        ),
      ),
    ),
  )
}
