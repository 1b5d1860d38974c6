import type { InstanceStatus } from '../../contract/resources/instance.ts'
import { bigint, bytes, integer, nullable, orElse, sequence, textColumn } from './columns.ts'

/** The state wanted of an instance; what is observed of it stands in `status`. */
export type Wanted = 'running' | 'stopped' | 'removed'

export const instanceTables = {
  instances: {
    id: textColumn(),
    organization_id: textColumn(),
    name: textColumn(),
    network: textColumn(),
    wanted: textColumn<Wanted>(),
    /** The node that runs it; if that node is not run itself, or null, the next that looks takes it over. */
    owner: nullable(textColumn()),
    /** Counts the times that a node has taken it over. */
    epoch: orElse(bigint(), 0),
    status: textColumn<InstanceStatus>(),
    status_since: bigint(),
    reason: nullable(textColumn()),
    link: nullable(bytes()),
    restriction: nullable(textColumn()),
    account: nullable(textColumn()),
    /**
     * The account that its settings name, in the one spelling of its network: no other instance of its organization has the
     * same.
     */
    account_key: nullable(textColumn()),
    settings: textColumn(),
    credentials: bytes(),
    /** 1 if its network calls it back at the URL of the operator, 0 if at its own. */
    shared_callback: orElse(integer(), 0),
    /**
     * The account that it has proven to reach, and the group of that, as its network names them: it gets what comes to the URL of the
     * operator about them. No two instances of a network have the same account.
     */
    claimed_account: nullable(textColumn()),
    claimed_group: nullable(textColumn()),
    /** When it last proved that while it connected; null if it has not with its present credentials. */
    claimed_at: nullable(bigint()),
    metadata: textColumn(),
    /** The same as events refer to it; null if there are no labels. */
    labels_id: nullable(bigint()),
    /** Number of messages that are queued or being sent; held by the transactions that change it. */
    queue_depth: orElse(integer(), 0),
    next_attempt_at: nullable(bigint()),
    /** When the account was last linked; null if it is not, or needs no link. */
    linked_at: nullable(bigint()),
    connected_at: nullable(bigint()),
    last_verified_at: nullable(bigint()),
    /**
     * The point up to which its incoming messages are stored without a gap: the network id of the last one, and a moment. Both
     * are null until it has caught up for the first time.
     */
    caught_up_mark: nullable(textColumn()),
    caught_up_at: nullable(bigint()),
    /** Number of its rows in `callbacks`, and their bytes; held by the transactions that change them. */
    waiting_callbacks: orElse(bigint(), 0),
    waiting_callback_bytes: orElse(bigint(), 0),
    /** Number of its rows in `contact_addresses`; held by the transactions that change it. */
    contact_addresses: orElse(bigint(), 0),
    /** Number of its rows in `marketing_choices`; held by the transactions that change it. */
    marketing_choices: orElse(bigint(), 0),
    /** JSON of the words by which people stop and start marketing; null if those of the operator apply. */
    marketing_words: nullable(textColumn()),
    /**
     * Counts the successive owners of its `network_keys`: each connection that uses them becomes the next, and replacing its
     * credentials counts as well, so that no connection is the owner then. Only the latest owner may write them.
     */
    key_owner: orElse(bigint(), 0),
    /** Number of its rows in `network_keys`; held by the transactions that change it. */
    key_count: orElse(bigint(), 0),
    created_at: bigint(),
    updated_at: bigint(),
  },
  /** The labels of instances, which are kept until the last event of their messages is gone. */
  instance_labels: {
    id: sequence(),
    organization_id: textColumn(),
    /** JSON text. */
    metadata: textColumn(),
    /** Time since which no event refers to it; null while one may. */
    retired_at: nullable(bigint()),
  },
}
