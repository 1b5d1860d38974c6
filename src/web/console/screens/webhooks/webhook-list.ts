import { h } from 'preact'
import { useState } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { shownCall } from '../../core/curl.ts'
import { usePages } from '../../core/hooks/use-pages.ts'
import { useLive } from '../../core/live.ts'
import { goTo, linkTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { Screen } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Age } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { Secret } from './secret.ts'
import { type Webhook, WebhookBadge } from './webhook-badge.ts'
import { WebhookForm } from './webhook-form.ts'

/** Every webhook of the organization. */
export function screen() {
  const pages = usePages('listWebhooks', { query: { limit: 100 } })
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<{ readonly webhook: Webhook; readonly secret: string }>()
  useLive(({ type }) => {
    if (type.startsWith('webhook.')) pages.reload()
  }, pages.reload)
  const create = () => setCreating(true)
  return h(
    Screen,
    {
      title: say('webhooks.title'),
      calls: [shownCall('listWebhooks')],
      actions: h(Button, { look: 'primary', onClick: create }, say('webhooks.create')),
    },
    h(Table<Webhook>, {
      caption: say('webhooks.title'),
      items: pages.items,
      keyOf: ({ id }) => id,
      linkOf: ({ id }) => linkTo(['webhooks', id]),
      columns: [
        { title: say('webhooks.url'), cell: ({ url }) => url },
        { title: say('everywhere.status'), cell: (webhook) => h(WebhookBadge, { webhook }) },
        {
          title: say('webhooks.events'),
          cell: ({ events }) => events?.join(', ') ?? say('webhooks.all_events'),
        },
        { title: say('webhooks.pending'), cell: ({ pending }) => number(pending) },
        { title: say('webhooks.failing_since'), cell: ({ failing_since }) => h(Age, { at: failing_since }) },
      ],
    }),
    h(ListEnd, { ...pages, empty: h('p', null, say('webhooks.empty')) }),
    isCreating &&
      h(WebhookForm, {
        onClose: () => setCreating(false),
        onDone: (webhook, secret = '') => {
          setCreating(false)
          setCreated({ webhook, secret })
          pages.reload()
        },
      }),
    created && h(Secret, { secret: created.secret, onClose: () => goTo(['webhooks', created.webhook.id]) }),
  )
}
