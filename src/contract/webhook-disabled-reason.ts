import Type, { type Static } from 'typebox'
import type { CodeMeaning } from './codes.ts'
import { oneOf, record } from './scalars.ts'

/** Why Posthorn disabled a webhook by itself. */
export const webhookDisabledReasons = {
  gone: {
    happened: 'The receiver answered 410: it wants no more events.',
    next: 'Remove the webhook, or enable it when the receiver is there again, and redeliver what it missed.',
  },
  failing: {
    happened: 'Nothing arrived at the receiver for five days.',
    next: 'See in the deliveries what went wrong. Enable the webhook when the receiver is back, and redeliver what it missed.',
  },
} as const satisfies Record<string, CodeMeaning>

export type WebhookDisabledCode = keyof typeof webhookDisabledReasons

export const WebhookDisabledReason = record('WebhookDisabledReason', {
  code: oneOf(Object.keys(webhookDisabledReasons) as WebhookDisabledCode[], {
    description: '`gone`: the receiver answered 410. `failing`: nothing arrived for five days.',
  }),
  detail: Type.String({ description: 'What happened and what to do next, for a person.' }),
})
export type WebhookDisabledReason = Static<typeof WebhookDisabledReason>
