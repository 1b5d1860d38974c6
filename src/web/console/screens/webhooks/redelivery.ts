import { h } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../../core/api.ts'
import { localField, momentOf } from '../../core/local-time.ts'
import type { Request } from '../../core/operations.ts'
import { bindTo, CheckField, TextField } from '../../parts/forms/fields.ts'
import { FormDialog, useSending } from '../../parts/forms/form-dialog.ts'
import { notify } from '../../parts/notices.ts'
import { say } from '../../words/say.ts'

const oneDay = 24 * 60 * 60_000

interface RedeliveryProps {
  readonly webhook: string
  /** The time from which on something was missed; without it, the last day is proposed. */
  readonly since: string | undefined
  readonly onClose: () => void
}

/** Delivers the events of a period again. One call examines a part of a long period. */
export function Redelivery({ webhook, since, onClose }: RedeliveryProps) {
  const [draft, setDraft] = useState({
    since: localField(since ?? new Date(Date.now() - oneDay).toISOString()),
    until: '',
  })
  const [isMissing, setMissing] = useState(true)
  const field = bindTo(draft, setDraft)
  const sending = useSending(async () => {
    const until = momentOf(draft.until)
    const body = { which: isMissing ? ('missing' as const) : ('all' as const), ...(until && { until }) }
    const count = await redeliverAll(webhook, momentOf(draft.since), body)
    notify(say('webhooks.redelivered', { count }))
    onClose()
  })
  return h(
    FormDialog,
    { title: say('webhooks.redeliver_period'), action: say('webhooks.redeliver'), sending, onClose },
    h('p', null, say('webhooks.redeliver_what')),
    h(TextField, {
      ...field('since'),
      label: say('webhooks.from'),
      type: 'datetime-local',
      required: true,
    }),
    h(TextField, {
      ...field('until'),
      label: say('webhooks.until'),
      hint: say('webhooks.until_hint'),
      type: 'datetime-local',
    }),
    h(CheckField, { label: say('webhooks.missing_only'), checked: isMissing, onChange: setMissing }),
  )
}

type Body = NonNullable<Exclude<Request<'redeliverEvents'>['body'], FormData>>

/** Calls until all of the period was examined; returns how many deliveries were created. */
async function redeliverAll(webhook: string, since: string, period: Omit<Body, 'since'>): Promise<number> {
  const body = { ...period, since }
  const { deliveries, next_since } = await call('redeliverEvents', { params: { webhook }, body })
  return next_since === null ? deliveries : deliveries + (await redeliverAll(webhook, next_since, period))
}
