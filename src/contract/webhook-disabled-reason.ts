import Type, { type Static } from 'typebox'
import { oneOf, record } from './scalars.ts'

export const WebhookDisabledReason = record('WebhookDisabledReason', {
  code: oneOf(['gone', 'failing'], {
    description: '`gone`: the receiver answered 410. `failing`: nothing arrived for five days.',
  }),
  detail: Type.String({ description: 'What happened and what to do next, for a person.' }),
})
export type WebhookDisabledReason = Static<typeof WebhookDisabledReason>
