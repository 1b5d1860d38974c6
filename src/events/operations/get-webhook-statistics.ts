import { handler } from '../../contract/handler.ts'
import { getWebhookStatistics as operation } from '../../contract/operations/webhook-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { timestamp } from '../../runtime/clock.ts'
import type { EventContext } from '../context.ts'
import { readWebhookHours } from '../webhook-store.ts'

/** Hours that are shown if the caller does not say how many. */
const usualHours = 24

export const getWebhookStatistics = ({ store, clock }: EventContext) =>
  handler(operation, async ({ caller, params, query, turn }) => {
    const wanted = { hours: query.hours ?? usualHours, now: clock.now() }
    const name = { organization: caller.organizationId, id: params.webhook }
    const hours = await store.read(readWebhookHours, { ...name, ...wanted }, turn)
    if (!hours) throw new Problem('webhook_not_found')
    const data = hours.map(({ startsAt, delivered, atOnce, failed, failedAttempts, pending }) => ({
      from: timestamp(startsAt),
      delivered,
      delivered_at_once: atOnce,
      failed,
      failed_attempts: failedAttempts,
      pending,
    }))
    return { status: 200, body: { data } }
  })
