import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import { contract, type Request } from '../../core/operations.ts'
import { Dialog } from '../../parts/dialog.ts'
import { CheckField, ChoiceField, TextField } from '../../parts/forms/fields.ts'
import { FormEnd } from '../../parts/forms/form-end.ts'
import { say } from '../../words/say.ts'
import type { Webhook } from './webhook-badge.ts'

type Body = NonNullable<Exclude<Request<'createWebhook'>['body'], FormData>>

type EventTypes = Webhook['events']

interface FormProps {
  /** The webhook to change; without it, a new one. */
  readonly webhook?: Webhook
  readonly onClose: () => void
  /** Called with the secret of a new webhook. */
  readonly onDone: (webhook: Webhook, secret?: string) => void
}

/** Creates a webhook, or changes one. */
export function WebhookForm({ webhook, onClose, onDone }: FormProps) {
  const [body, setBody] = useState<Body>({
    url: webhook?.url ?? '',
    events: webhook?.events ?? null,
    instances: webhook?.instances ?? null,
    ordering: webhook?.ordering ?? 'none',
    batch: webhook?.batch ?? 1,
  })
  const [error, setError] = useState<unknown>()
  const shown = webhook
    ? shownCall('updateWebhook', { params: { webhook: webhook.id }, body })
    : shownCall('createWebhook', { body })
  const save = async (event: Event) => {
    event.preventDefault()
    setError(undefined)
    try {
      if (webhook) onDone(await call('updateWebhook', { params: { webhook: webhook.id }, body }))
      else {
        const { secret, ...created } = await call('createWebhook', { body })
        onDone(created, secret)
      }
    } catch (refusal) {
      setError(refusal)
    }
  }
  return h(
    Dialog,
    { title: say(webhook ? 'webhooks.edit' : 'webhooks.create'), onClose },
    h(
      'form',
      { onSubmit: save },
      h(Fields, { body, onChange: (changed) => setBody({ ...body, ...changed }) }),
      h(FormEnd, { action: say(webhook ? 'webhooks.save' : 'webhooks.create'), shown, error, onClose }),
    ),
  )
}

interface FieldsProps {
  readonly body: Body
  readonly onChange: (changed: Partial<Body>) => void
}

function Fields({ body, onChange }: FieldsProps) {
  const [instances, setInstances] = useState((body.instances ?? []).join(', '))
  const nameInstances = (text: string) => {
    const names = text.split(',').flatMap((name) => name.trim() || [])
    setInstances(text)
    onChange({ instances: names.length > 0 ? names : null })
  }
  return [
    h(TextField, {
      label: say('webhooks.url'),
      hint: say('webhooks.url_hint'),
      type: 'url',
      value: body.url,
      onChange: (url) => onChange({ url }),
      required: true,
    }),
    h(EventChoice, { events: body.events ?? null, onChange: (events) => onChange({ events }) }),
    h(TextField, {
      label: say('webhooks.instances'),
      hint: say('webhooks.instances_hint'),
      value: instances,
      onChange: nameInstances,
    }),
    h(ChoiceField<Webhook['ordering']>, {
      label: say('webhooks.ordering'),
      value: body.ordering ?? 'none',
      onChange: (ordering) => onChange({ ordering }),
      options: [
        { value: 'none', label: say('webhooks.no_order') },
        { value: 'per_instance', label: say('webhooks.in_order') },
      ],
    }),
    h(TextField, {
      label: say('webhooks.batch'),
      hint: say('webhooks.batch_hint'),
      type: 'number',
      value: String(body.batch),
      onChange: (batch) => onChange({ batch: Number(batch) }),
    }),
  ]
}

interface EventChoiceProps {
  readonly events: EventTypes
  readonly onChange: (events: EventTypes) => void
}

/** All events, or some by their names. */
function EventChoice({ events, onChange }: EventChoiceProps) {
  const types = contract.eventTypes as NonNullable<EventTypes>
  const toggle = (type: NonNullable<EventTypes>[number]) => (isOn: boolean) => {
    const others = (events ?? []).filter((each) => each !== type)
    onChange(isOn ? [...others, type] : others)
  }
  return h(
    'fieldset',
    null,
    h('legend', null, say('webhooks.events')),
    h(ChoiceField<'all' | 'some'>, {
      label: say('webhooks.events'),
      value: events === null ? 'all' : 'some',
      onChange: (chosen) => onChange(chosen === 'all' ? null : ['message.received']),
      options: [
        { value: 'all', label: say('webhooks.all_events') },
        { value: 'some', label: say('webhooks.selected_events') },
      ],
    }),
    events !== null &&
      h(
        'div',
        { class: 'choices' },
        types.map((type) =>
          h(CheckField, { key: type, label: type, checked: events.includes(type), onChange: toggle(type) }),
        ),
      ),
  )
}
