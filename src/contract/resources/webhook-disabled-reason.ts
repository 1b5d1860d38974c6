import type { Static } from 'typebox'
import { type WebhookDisabledCode, webhookDisabledReasons } from '../codes.ts'
import { oneOf, record } from '../scalars.ts'
import Type from '../type.ts'

export const WebhookDisabledReason = record('WebhookDisabledReason', {
  code: oneOf(Object.keys(webhookDisabledReasons) as WebhookDisabledCode[], {
    title: 'WebhookDisabledCode',
    description: '`gone`: the receiver responded with 410. `failing`: no delivery succeeded for five days.',
  }),
  detail: Type.String({ description: 'What happened and what to do next, for a person.' }),
})
export type WebhookDisabledReason = Static<typeof WebhookDisabledReason>
