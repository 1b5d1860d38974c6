import { handler } from '../../contract/handler.ts'
import { getEvent as operation } from '../../contract/operations/event-operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { EventContext } from '../context.ts'
import { renderEvent } from '../event.ts'
import { findEvent } from '../find-event.ts'

export const getEvent = ({ store, renderMessage }: Pick<EventContext, 'store' | 'renderMessage'>) =>
  handler(operation, async ({ caller, params, turn }) => {
    const { organizationId: organization, instances: seen } = caller
    const row = await store.read(findEvent, { organization, seen, id: params.event }, turn)
    if (!row) throw new Problem('event_not_found')
    return { status: 200, body: renderEvent(row, renderMessage) }
  })
