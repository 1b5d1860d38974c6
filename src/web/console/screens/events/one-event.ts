import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { usePages } from '../../core/hooks/use-pages.ts'
import type { LiveEvent } from '../../core/live.ts'
import { messageIn } from '../../core/live.ts'
import { isUnlimitedAdmin } from '../../core/me.ts'
import { fromHere, linkTo } from '../../core/router.ts'
import { Submit } from '../../parts/button.ts'
import { Card } from '../../parts/card.ts'
import { CodeBlock, Copyable } from '../../parts/copy.ts'
import { Facts } from '../../parts/facts.ts'
import { Failure, FormFailure } from '../../parts/failure.ts'
import { ChoiceField } from '../../parts/forms/fields.ts'
import { useSending } from '../../parts/forms/form-dialog.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { Skeleton } from '../../parts/skeleton.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { instanceOf } from './event-table.ts'

/** One event as webhooks get it, and the way to send it to one of them again. */
export function screen({ me, params }: ScreenProps) {
  const request = { params: { event: params.event ?? '' } }
  const { data, error, reload } = useCall('getEvent', request)
  const event = data as LiveEvent | undefined
  return h(
    Screen,
    {
      title: event?.type ?? say('events.event'),
      parent: { title: say('events.title'), link: linkTo(['events']) },
      calls: [shownCall('getEvent', request)],
    },
    h(Failure, { error, onRetry: reload }),
    !event && error === undefined && h(Skeleton, { rows: 6, look: 'lines' }),
    event && h(About, { event }),
    event && isUnlimitedAdmin(me) && h(SendAgain, { event: event.id }),
    event &&
      h(
        Card,
        { id: 'json', title: say('everywhere.raw') },
        h(CodeBlock, { text: JSON.stringify(event, null, 2), label: say('events.event') }),
      ),
  )
}

function About({ event }: { readonly event: LiveEvent }) {
  const instance = instanceOf(event)
  const message = messageIn(event)
  return h(
    'section',
    { class: 'panel' },
    h(Facts, {
      facts: {
        ID: h(Copyable, { text: event.id }),
        [say('everywhere.time')]: h(Time, { at: event.timestamp }),
        [say('events.number')]: String(event.sequence),
        [say('everywhere.instance')]: instance && h('a', { href: linkTo(['instances', instance]) }, instance),
        [say('events.message')]: message && h('a', { href: linkTo(['messages', message.id]) }, message.id),
      },
    }),
  )
}

/** The choice of a webhook, and the button that sends the event to it. */
function SendAgain({ event }: { readonly event: string }) {
  const webhooks = usePages('listWebhooks', { query: { limit: 100 } })
  const enabled = webhooks.items.filter((webhook) => webhook.enabled)
  const [chosen, setChosen] = useState('')
  const webhook = chosen || enabled[0]?.id || ''
  const sending = useSending(async () => {
    const goOn = fromHere()
    await call('deliverEvent', { params: { webhook }, body: { event } })
    goOn(['webhooks', webhook])
  })
  const isComing = !webhooks.isRead && webhooks.error === undefined
  const nameOf = (id: string) => {
    if (id === '') return say('everywhere.loading')
    const one = enabled.find((each) => each.id === id)
    return one ? (one.name ?? one.url) : id
  }
  return h(
    Card,
    { id: 'send-again', title: say('events.send_again') },
    h(Failure, { error: webhooks.error, onRetry: webhooks.reload }),
    webhooks.isRead && enabled.length === 0 && h('p', null, say('events.no_webhook')),
    // Before the webhooks are known, too, so that what stands below does not move.
    (isComing || enabled.length > 0) &&
      h(
        'form',
        { ...sending.form, class: 'send-again' },
        h(ChoiceField, {
          label: say('webhooks.webhook'),
          hint: say('webhooks.redeliver_what'),
          value: webhook,
          onChange: setChosen,
          values: isComing ? [''] : enabled.map(({ id }) => id),
          nameOf,
        }),
        h(Submit, { isBusy: isComing || sending.isBusy }, say('events.send')),
        h(FormFailure, { error: sending.error }),
      ),
  )
}
