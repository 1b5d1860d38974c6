import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import { contract, type Request } from '../../core/operations.ts'
import { bindTo, CheckField, ChoiceField, namesIn, TextField } from '../../parts/forms/fields.ts'
import { FormDialog, useSending } from '../../parts/forms/form-dialog.ts'
import { say } from '../../words/say.ts'
import { Trial } from './trial.ts'
import { orderingText, type Webhook } from './webhook-badge.ts'

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
    name: webhook?.name ?? null,
    url: webhook?.url ?? '',
    events: webhook?.events ?? null,
    instances: webhook?.instances ?? null,
    ordering: webhook?.ordering ?? 'none',
    batch: webhook?.batch ?? 1,
  })
  const shown = webhook
    ? shownCall('updateWebhook', { params: { webhook: webhook.id }, body })
    : shownCall('createWebhook', { body })
  const sending = useSending(async () => {
    if (webhook) return onDone(await call('updateWebhook', { params: { webhook: webhook.id }, body }))
    const { secret, ...created } = await call('createWebhook', { body })
    onDone(created, secret)
  })
  return h(
    FormDialog,
    {
      title: say(webhook ? 'webhooks.edit' : 'webhooks.create'),
      action: say(webhook ? 'webhooks.save' : 'webhooks.create'),
      sending,
      shown,
      onClose,
    },
    h(Fields, { body, onChange: setBody, webhook: webhook?.id }),
  )
}

interface FieldsProps {
  readonly body: Body
  /** The webhook that is changed. */
  readonly webhook: string | undefined
  readonly onChange: (body: Body) => void
}

function Fields({ body, webhook, onChange }: FieldsProps) {
  const field = bindTo(body, onChange)
  const [instances, setInstances] = useState((body.instances ?? []).join(', '))
  const nameInstances = (text: string) => {
    const names = namesIn(text)
    setInstances(text)
    onChange({ ...body, instances: names.length > 0 ? names : null })
  }
  return [
    h(TextField, {
      label: say('everywhere.name'),
      hint: say('webhooks.name_hint'),
      value: body.name ?? '',
      onChange: (name) => onChange({ ...body, name: name.trim() === '' ? null : name }),
      maxLength: 100,
    }),
    h(TextField, {
      ...field('url'),
      label: say('webhooks.url'),
      hint: say('webhooks.url_hint'),
      type: 'url',
      required: true,
    }),
    h(Trial, { url: body.url, webhook }),
    h(EventChoice, { events: body.events ?? null, onChange: field('events').onChange }),
    h(TextField, {
      label: say('webhooks.instances'),
      hint: say('webhooks.instances_hint'),
      value: instances,
      onChange: nameInstances,
    }),
    h(ChoiceField<Webhook['ordering']>, {
      label: say('webhooks.ordering'),
      value: body.ordering ?? 'none',
      onChange: field('ordering').onChange,
      values: ['none', 'per_instance'],
      nameOf: orderingText,
    }),
    h(TextField, {
      label: say('webhooks.batch'),
      hint: say('webhooks.batch_hint'),
      type: 'number',
      value: String(body.batch),
      onChange: (batch) => onChange({ ...body, batch: Number(batch) }),
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
      values: ['all', 'some'],
      nameOf: (value) => say(value === 'all' ? 'webhooks.all_events' : 'webhooks.selected_events'),
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
