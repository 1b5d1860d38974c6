import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { localField, momentOf } from '../../core/local-time.ts'
import type { Request } from '../../core/operations.ts'
import { Dialog } from '../../parts/dialog.ts'
import { Failure } from '../../parts/failure.ts'
import { Submit } from '../../parts/forms/button.ts'
import { CheckField, TextField } from '../../parts/forms/fields.ts'
import { notify } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'

const oneDay = 24 * 60 * 60_000

/** Delivers the events of a period again. One call examines a part of a long period. */
export function Redelivery({ webhook, onClose }: { readonly webhook: string; readonly onClose: () => void }) {
  const [since, setSince] = useState(localField(new Date(Date.now() - oneDay).toISOString()))
  const [until, setUntil] = useState('')
  const [isMissing, setMissing] = useState(true)
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const redeliver = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      const period = until === '' ? {} : { until: momentOf(until) }
      const body = { which: isMissing ? ('missing' as const) : ('all' as const), ...period }
      const count = await redeliverAll(webhook, momentOf(since), body)
      notify(say('webhooks.redelivered', { count }))
      onClose()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  return h(
    Dialog,
    { title: say('webhooks.redeliver_period'), onClose },
    h(
      'form',
      { onSubmit: redeliver },
      h('p', null, say('webhooks.redeliver_what')),
      h(TextField, {
        label: say('webhooks.from'),
        type: 'datetime-local',
        value: since,
        onChange: setSince,
        required: true,
      }),
      h(TextField, {
        label: say('webhooks.until'),
        hint: say('webhooks.until_hint'),
        type: 'datetime-local',
        value: until,
        onChange: setUntil,
      }),
      h(CheckField, { label: say('webhooks.missing_only'), checked: isMissing, onChange: setMissing }),
      error !== undefined && h(Failure, { error }),
      h(
        'footer',
        null,
        h('button', { type: 'button', onClick: onClose }, say('everywhere.cancel')),
        h(Submit, { isBusy }, say('webhooks.redeliver')),
      ),
    ),
  )
}

type Body = NonNullable<Exclude<Request<'redeliverEvents'>['body'], FormData>>

/** Calls until all of the period was examined; returns how many deliveries were created. */
async function redeliverAll(webhook: string, since: string, period: Omit<Body, 'since'>): Promise<number> {
  const body = { ...period, since }
  const { deliveries, next_since } = await call('redeliverEvents', { params: { webhook }, body })
  return next_since === null ? deliveries : deliveries + (await redeliverAll(webhook, next_since, period))
}
