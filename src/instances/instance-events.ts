import type { EventType, InstanceEventData, LinkEventData } from '../contract/resources/event.ts'
import type { EventInstance } from '../contract/resources/instance.ts'
import { appendEvents } from '../events/journal.ts'
import type { NewEvent } from '../events/stretches/new-stretches.ts'
import type { LinkStep } from '../networks/driver/abilities/linking.ts'
import { timestamp } from '../runtime/clock.ts'
import type { Transaction } from '../store/store.ts'
import { type InstanceRow, renderConnection } from './instance.ts'

type InstanceEventType = Exclude<Extract<EventType, `instance.${string}`>, 'instance.link_changed'>

/** The part of a link step that events may contain: everything except the content to show, which is a secret. */
export type LinkNotice = Pick<LinkStep, 'kind' | 'expires_at'>

/** Appends the event of a change to each of these instances, in the transaction of the change; the rows are the new ones. */
export async function appendInstanceEvents(
  tx: Transaction,
  rows: readonly InstanceRow[],
  type: InstanceEventType,
  now: number,
): Promise<void> {
  const eventOf = (row: InstanceRow): NewEvent => {
    const data: InstanceEventData = { instance: renderEventInstance(row) }
    return { type, instance: row.name, data }
  }
  const byOrganization = Map.groupBy(rows, (row) => row.organization_id)
  const happened = [...byOrganization].map(([organization, own]) => ({
    organization,
    now,
    events: own.map(eventOf),
  }))
  await appendEvents(tx, happened)
}

/** Appends the event of a new step for the person who links the account. */
export async function appendLinkEvent(
  tx: Transaction,
  row: InstanceRow,
  { kind, expires_at }: LinkNotice,
  now: number,
): Promise<void> {
  const link = { kind, expires_at: timestamp(expires_at) }
  const data: LinkEventData = { instance: renderEventInstance(row), link }
  const events = [{ type: 'instance.link_changed', instance: row.name, data }] as const
  await appendEvents(tx, [{ organization: row.organization_id, now, events }])
}

function renderEventInstance(row: InstanceRow): EventInstance {
  return {
    id: row.id,
    name: row.name,
    network: row.network,
    ...renderConnection(row),
    metadata: JSON.parse(row.metadata),
    created_at: timestamp(row.created_at),
  }
}
