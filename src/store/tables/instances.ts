import type { Generated } from 'kysely'
import type { InstanceStatus } from '../../contract/resources/instance.ts'

/** The state wanted of an instance; what is observed of it stands in `status`. */
export type Wanted = 'running' | 'stopped' | 'removed'

export interface InstancesTable {
  id: string
  organization_id: string
  name: string
  network: string
  wanted: Wanted
  status: InstanceStatus
  status_since: number
  reason: string | null
  link: Uint8Array | null
  restriction: string | null
  account: string | null
  /**
   * The account that its settings name, in the one spelling of its network: no other instance of its organization has the
   * same.
   */
  account_key: string | null
  settings: string
  credentials: Uint8Array
  /** 1 if its network calls it back at the URL of the operator, 0 if at its own. */
  shared_callback: Generated<number>
  /**
   * The account that it has proven to reach, and the group of that, as its network names them: it gets what comes to the URL of the
   * operator about them. No two instances of a network have the same account.
   */
  claimed_account: string | null
  claimed_group: string | null
  /** When it last proved that while it connected; null if it has not with its present credentials. */
  claimed_at: number | null
  metadata: string
  /** The same as events refer to it; null if there are no labels. */
  labels_id: number | null
  /** Number of messages that are queued or being sent; held by the transactions that change it. */
  queue_depth: Generated<number>
  next_attempt_at: number | null
  /** When the account was last linked; null if it is not, or needs no link. */
  linked_at: number | null
  connected_at: number | null
  last_verified_at: number | null
  /**
   * The point up to which its incoming messages are stored without a gap: the network id of the last one, and a moment. Both
   * are null until it has caught up for the first time.
   */
  caught_up_mark: string | null
  caught_up_at: number | null
  /** Number of its rows in `callbacks`, and their bytes; held by the transactions that change them. */
  waiting_callbacks: Generated<number>
  waiting_callback_bytes: Generated<number>
  /** Number of its rows in `contact_addresses`; held by the transactions that change it. */
  contact_addresses: Generated<number>
  /**
   * Counts the successive owners of its `network_keys`: each connection that uses them becomes the next, and replacing its
   * credentials counts as well, so that no connection is the owner then. Only the latest owner may write them.
   */
  key_owner: Generated<number>
  /** Number of its rows in `network_keys`; held by the transactions that change it. */
  key_count: Generated<number>
  created_at: number
  updated_at: number
}

/** The labels of instances, which are kept until the last event of their messages is gone. */
export interface InstanceLabelsTable {
  id: Generated<number>
  /** JSON text. */
  metadata: string
  /** Time since which no event refers to it; null while one may. */
  retired_at: number | null
}
