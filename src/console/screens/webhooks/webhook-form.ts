import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { curlOf, shownCall } from '../../core/curl.ts'
import { contract, type Request } from '../../core/operations.ts'
import { CodeBlock } from '../../parts/copy.ts'
import { Dialog } from '../../parts/dialog.ts'
import { Failure } from '../../parts/failure.ts'
import { CheckField, ChoiceField, TextField } from '../../parts/fields.ts'
import { say as sayEverywhere } from '../../words/everywhere.ts'
import type { Webhook } from './webhook-badge.ts'
import { say } from './words.ts'

type Body = NonNullable<Exclude<Request<'createWebhook'>['body'], FormData>>

interface FormProps {
  /** The webhook to change; without it, a new one. */
  readonly webhook?: Webhook
  readonly onClose: () => void
  /** Called with the secret of a new webhook. */
  readonly onDone: (webhook: Webhook, secret?: string) => void
}

/** Creates a webhook, or changes one. */
export function WebhookForm({ webhook, onClose, onDone }: FormProps) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [events, setEvents] = useState<readonly string[] | null>(webhook?.events ?? null)
  const [instances, setInstances] = useState((webhook?.instances ?? []).join(', '))
  const [ordering, setOrdering] = useState(webhook?.ordering ?? 'none')
  const [batch, setBatch] = useState(String(webhook?.batch ?? 1))
  const [error, setError] = useState<unknown>()
  const names = instances.split(',').flatMap((name) => name.trim() || [])
  const body = {
    url,
    events: events as Body['events'] & object,
    instances: names.length > 0 ? names : null,
    ordering,
    batch: Number(batch),
  } satisfies Body
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
    { title: say(webhook ? 'edit' : 'create'), onClose },
    h(
      'form',
      { onSubmit: save },
      h(TextField, {
        label: say('url'),
        hint: say('url_hint'),
        type: 'url',
        value: url,
        onChange: setUrl,
        required: true,
      }),
      h(EventChoice, { events, onChange: setEvents }),
      h(TextField, {
        label: say('instances'),
        hint: say('instances_hint'),
        value: instances,
        onChange: setInstances,
      }),
      h(ChoiceField<Webhook['ordering']>, {
        label: say('ordering'),
        value: ordering,
        onChange: setOrdering,
        options: [
          { value: 'none', label: say('no_order') },
          { value: 'per_instance', label: say('in_order') },
        ],
      }),
      h(TextField, {
        label: say('batch'),
        hint: say('batch_hint'),
        type: 'number',
        value: batch,
        onChange: setBatch,
      }),
      error !== undefined && h(Failure, { error }),
      h(
        'details',
        null,
        h('summary', null, sayEverywhere('call_behind')),
        h(CodeBlock, { text: curlOf(shown), label: shown.id }),
      ),
      h(
        'footer',
        null,
        h('button', { type: 'button', onClick: onClose }, sayEverywhere('cancel')),
        h('button', { type: 'submit', class: 'primary' }, say(webhook ? 'save' : 'create')),
      ),
    ),
  )
}

interface EventChoiceProps {
  readonly events: readonly string[] | null
  readonly onChange: (events: readonly string[] | null) => void
}

/** All events, or some by their names. */
function EventChoice({ events, onChange }: EventChoiceProps) {
  const toggle = (type: string) => (isOn: boolean) => {
    const others = (events ?? []).filter((each) => each !== type)
    onChange(isOn ? [...others, type] : others)
  }
  return h(
    'fieldset',
    null,
    h('legend', null, say('events')),
    h(ChoiceField<'all' | 'some'>, {
      label: say('events'),
      value: events === null ? 'all' : 'some',
      onChange: (chosen) => onChange(chosen === 'all' ? null : ['message.received']),
      options: [
        { value: 'all', label: say('all_events') },
        { value: 'some', label: say('selected_events') },
      ],
    }),
    events !== null &&
      h(
        'div',
        { class: 'choices' },
        contract.eventTypes.map((type) =>
          h(CheckField, { key: type, label: type, checked: events.includes(type), onChange: toggle(type) }),
        ),
      ),
  )
}
