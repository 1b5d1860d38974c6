import type { MarketingChoice, MarketingSource } from '../../contract/statuses.ts'
import { bigint, bytes, nullable, textColumn } from './columns.ts'

export const contactTables = {
  /**
   * Addresses of the people an instance has to do with, as the network told them: all rows with the same `contact` are
   * addresses of one person.
   */
  contact_addresses: {
    instance_id: textColumn(),
    organization_id: textColumn(),
    address: textColumn(),
    /** The most lasting address of the person. */
    contact: textColumn(),
    /** When the person last wrote to the account, by the time of the network; the same in all rows of a contact. Null if not known. */
    wrote_at: nullable(bigint()),
    /** When the network last named the person by this address. */
    told_at: bigint(),
    /** The names that the person goes by, as the network last told them; the same in all rows of a contact. */
    name: nullable(textColumn()),
    username: nullable(textColumn()),
    /**
     * Of a person who is being forgotten: the messages of the conversation with this address that have a lower number are
     * still to be emptied. Null for all others.
     */
    forget_below: nullable(bigint()),
  },
  /**
   * People who said whether an instance may send them marketing, by a digest of each of their addresses: it stays when the person is
   * forgotten, so that it is obeyed (docs/decisions/0095).
   */
  marketing_choices: {
    instance_id: textColumn(),
    organization_id: textColumn(),
    digest: bytes(),
    choice: textColumn<MarketingChoice>(),
    source: textColumn<MarketingSource>(),
    /** When the person chose, as far as it is known. */
    changed_at: bigint(),
  },
  /** Templates of the accounts of instances, as far as the network has told of them. */
  known_templates: {
    instance_id: textColumn(),
    organization_id: textColumn(),
    name: textColumn(),
    language: textColumn(),
    /** The network's own category, in lower case; null if it was not told. */
    category: nullable(textColumn()),
    /** The status of the last event about it; null if there was none. */
    status: nullable(textColumn()),
    network_status: nullable(textColumn()),
    /** When the network last told of it. */
    told_at: bigint(),
  },
}
