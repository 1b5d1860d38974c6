import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { isIll, noteWaiting } from '../../core/attention.ts'
import { shownCall } from '../../core/curl.ts'
import { usePages } from '../../core/hooks/use-pages.ts'
import { useLive } from '../../core/live.ts'
import { goTo, linkTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import { Secret } from './secret.ts'
import { nextAttemptText, type Webhook, WebhookBadge } from './webhook-badge.ts'
import { WebhookForm } from './webhook-form.ts'

/** Every webhook of the organization. */
export function screen({ query }: ScreenProps) {
  const pages = usePages('listWebhooks', { query: { limit: 100 } })
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<{ readonly webhook: Webhook; readonly secret: string }>()
  useLive(({ type }) => {
    if (type.startsWith('webhook.')) pages.reload()
  }, pages.reload)
  const { items, isRead, hasMore } = pages
  useEffect(() => {
    if (isRead)
      noteWaiting(
        'webhooks',
        items.filter(isIll).map(({ id }) => id),
        hasMore,
      )
  }, [items, isRead])
  const create = () => setCreating(true)
  const closeNew = () => {
    setCreating(false)
    goTo(['webhooks'], {}, true)
  }
  return h(
    Screen,
    {
      title: say('webhooks.title'),
      calls: [shownCall('listWebhooks')],
      actions: h(Button, { look: 'primary', onClick: create }, say('webhooks.create')),
    },
    items.length > 0 && h(Rows, { items }),
    h(ListEnd, { ...pages, empty: h('p', null, say('webhooks.empty')) }),
    (isCreating || query.new !== undefined) &&
      h(WebhookForm, {
        onClose: closeNew,
        onDone: (webhook, secret = '') => {
          closeNew()
          setCreated({ webhook, secret })
          pages.reload()
        },
      }),
    created && h(Secret, { secret: created.secret, onClose: () => goTo(['webhooks', created.webhook.id]) }),
  )
}

function Rows({ items }: { readonly items: readonly Webhook[] }) {
  return h(Table<Webhook>, {
    caption: say('webhooks.title'),
    items,
    keyOf: ({ id }) => id,
    linkOf: ({ id }) => linkTo(['webhooks', id]),
    columns: [
      {
        title: say('webhooks.webhook'),
        cell: ({ name, url }) =>
          name === null
            ? h(Url, { url })
            : [h('span', null, name), ' ', h('span', { class: 'small below' }, url)],
      },
      { title: say('everywhere.status'), onPhone: 'beside', cell: (webhook) => h(WebhookBadge, { webhook }) },
      {
        title: say('webhooks.pending'),
        // One part, which a narrow screen sets beside the title.
        cell: (webhook) =>
          h(
            'span',
            null,
            number(webhook.pending),
            webhook.pending > 0 && h('span', { class: 'small' }, ' ', nextAttemptText(webhook)),
          ),
      },
      {
        title: say('webhooks.events'),
        onPhone: 'below',
        cell: ({ events }) => h('span', { class: 'small' }, events?.join(', ') ?? say('webhooks.all_events')),
      },
    ],
  })
}

/** A URL, whose scheme is left out where there is little room. */
function Url({ url }: { readonly url: string }) {
  const [scheme = ''] = /^https?:\/\//.exec(url) ?? []
  return [h('span', { class: 'scheme' }, scheme), url.slice(scheme.length)]
}
