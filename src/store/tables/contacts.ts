import { bigint, nullable, textColumn } from './columns.ts'

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
}
