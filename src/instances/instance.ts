import type { Instance, InstanceConnectivity, InstanceStatus, Link } from '../contract/resources/instance.ts'
import { instanceStatusMeanings } from '../contract/statuses.ts'
import type { LinkStep } from '../networks/driver/abilities/linking.ts'
import type { AccountKnown, Restriction } from '../networks/driver/observation.ts'
import { renderWords } from '../organizations/marketing-words.ts'
import { timestamp } from '../runtime/clock.ts'
import type { RowOf } from '../store/schema.ts'
import type { Wanted } from '../store/tables/instances.ts'

/** The row of an instance without what is sealed in it, and without what only its connections need. */
export type InstanceRow = Omit<
  RowOf<'instances'>,
  | 'credentials'
  | 'account_key'
  | 'claimed_account'
  | 'claimed_group'
  | 'claimed_at'
  | 'labels_id'
  | 'link'
  | 'caught_up_mark'
  | 'caught_up_at'
  | 'waiting_callbacks'
  | 'waiting_callback_bytes'
  | 'contact_addresses'
  | 'marketing_choices'
  | 'key_owner'
  | 'key_count'
>

/** The parts of an instance that are fixed when it is created. */
export interface NewInstance {
  readonly id: string
  readonly organization_id: string
  readonly name: string
  readonly network: string
  readonly account_key: string | null
  readonly settings: string
  readonly credentials: Uint8Array
  /** 1 if its network calls it back at the URL of the operator. */
  readonly shared_callback: number
  readonly metadata: string
  /** JSON of the instance's own words about marketing; null if it has none. */
  readonly marketing_words?: string | null
  readonly created_at: number
}

/** The oldest of the messages that wait in a queue: when it was accepted. */
export interface OldestMessage {
  readonly at: number
}

/** The row of an instance and the oldest of its messages that wait. */
export interface InstanceReading {
  readonly row: InstanceRow
  readonly oldest: OldestMessage | null
}

/** The row of an instance in the moment in which it is created. */
export function newInstanceRow({ credentials: _, account_key: __, ...fixed }: NewInstance): InstanceRow {
  return {
    ...fixed,
    marketing_words: fixed.marketing_words ?? null,
    owner: null,
    epoch: 1,
    wanted: 'running',
    status: 'connecting',
    status_since: fixed.created_at,
    reason: null,
    restriction: null,
    account: null,
    queue_depth: 0,
    next_attempt_at: null,
    linked_at: null,
    connected_at: null,
    last_verified_at: null,
    updated_at: fixed.created_at,
  }
}

/** An instance as callers see it who may know its callback URL; null if it has none. */
export function renderInstance({ row, oldest }: InstanceReading, callback_url: string | null): Instance {
  return {
    id: row.id,
    name: row.name,
    network: row.network,
    ...renderConnection(row),
    settings: JSON.parse(row.settings),
    metadata: JSON.parse(row.metadata),
    ...renderWords(row.marketing_words),
    queue: renderQueue(row, oldest),
    callback_url,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}

/** A link step as callers see it. */
export function renderLink({ kind, value, expires_at }: LinkStep): Link {
  return { kind, value, expires_at: timestamp(expires_at) }
}

/** Returns the connectivity of an instance as callers see it; the link step is shown only while a person must act on it. */
export function renderConnectivity(
  { row, oldest }: InstanceReading,
  link: LinkStep | null,
): InstanceConnectivity {
  const shown = row.status === 'awaiting_link' ? link : null
  return {
    name: row.name,
    ...renderConnection(row),
    queue: renderQueue(row, oldest),
    link: shown && renderLink(shown),
  }
}

function renderQueue({ queue_depth }: InstanceRow, oldest: OldestMessage | null) {
  return { depth: queue_depth, oldest_at: timestamp(oldest?.at ?? null) }
}

/** An instance as callers see it. */
export function renderConnection(row: InstanceRow) {
  const restriction: Restriction | null = row.restriction === null ? null : JSON.parse(row.restriction)
  return {
    status: row.status,
    status_since: timestamp(row.status_since),
    reason: row.reason === null ? null : JSON.parse(row.reason),
    action: instanceStatusMeanings[row.status].action,
    sendable: row.status === 'connected' && restriction?.scope !== 'all_messages',
    restriction: restriction && {
      ...restriction,
      since: timestamp(restriction.since),
      ends_at: timestamp(restriction.ends_at),
    },
    account: row.account === null ? null : JSON.parse(row.account),
    next_attempt_at: timestamp(row.next_attempt_at),
    linked_at: timestamp(row.linked_at),
    connected_at: timestamp(row.connected_at),
    last_verified_at: timestamp(row.last_verified_at),
  }
}

/** Returns the stored text of an account. */
export function accountText({ address, display_name, url }: AccountKnown): string {
  return JSON.stringify({ address, display_name: display_name ?? null, url: url ?? null })
}

/** Returns the stored text of a restriction; null for none. */
export function restrictionText(restriction: Restriction | null): string | null {
  return restriction && JSON.stringify(restriction)
}

/** The columns of an instance that a node needs to take it over. */
export interface InstanceToRun {
  readonly id: string
  readonly organization_id: string
  readonly name: string
  readonly network: string
  readonly wanted: Wanted
  readonly status: InstanceStatus
  readonly linked_at: number | null
  readonly epoch: number
}
