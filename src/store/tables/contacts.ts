/**
 * Addresses of the people an instance has to do with, as the network told them: all rows with the same `contact` are
 * addresses of one person.
 */
export interface ContactAddressesTable {
  instance_id: string
  organization_id: string
  address: string
  /** The most lasting address of the person. */
  contact: string
  /** When the person last wrote to the account, by the time of the network; the same in all rows of a contact. Null if not known. */
  wrote_at: number | null
  /** When the network last named the person by this address. */
  told_at: number
}
