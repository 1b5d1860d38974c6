import { handler } from '../../contract/handler.ts'
import { skipBacklog as operation } from '../../contract/operations/webhook-operations.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { momentOf } from '../../runtime/clock.ts'
import type { EventContext } from '../context.ts'
import { type SkipPlace, skipBacklog as skip } from '../webhook-store.ts'

/** The most steps, of a few hundred deliveries each, that one request takes. */
const stepsAtMost = 500

export const skipBacklog = ({ store, clock, deliverer }: EventContext) =>
  handler(operation, async ({ caller, params, body, signal, audit, turn }) => {
    const now = clock.now()
    const until = momentOf(body.until)
    if (until > now)
      throw invalid({
        pointer: '/until',
        code: 'in_the_future',
        detail: 'Future events cannot be skipped. Give a time in the past, or pause or disable the webhook.',
      })
    const name = { organization: caller.organizationId, id: params.webhook, audit: audit() }
    let skipped = 0
    let place: SkipPlace | null = null
    // In steps, so that others do not wait long.
    for (let step = 0; step < stepsAtMost && !signal.aborted && (step === 0 || place); step++) {
      const taken: Awaited<ReturnType<typeof skip.run>> = await store.transact(
        skip,
        {
          ...name,
          until,
          place,
          now,
        },
        turn,
      )
      if (!taken) throw new Problem('webhook_not_found')
      skipped += taken.skipped
      place = taken.next
    }
    deliverer.deliver(caller.organizationId)
    return { status: 200, body: { skipped, done: place === null } }
  })
