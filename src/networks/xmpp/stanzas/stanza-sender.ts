import { bareAddressOf, domainOf } from '../address.ts'
import { attribute, type Xml } from './xml.ts'

/**
 * Returns true if the account's own server speaks: without a name, or in the name of the account or the domain (RFC 6120
 * section 8.1.2.1). Any sender may forge an answer.
 */
export function isFromServer(stanza: Xml, account: string): boolean {
  const from = attribute(stanza, 'from')
  return from === undefined || from === domainOf(account) || bareAddressOf(from) === account
}

/** Returns true for the address of the account itself, not of one of its clients. */
export function isAccount(name: string | undefined, account: string): boolean {
  return name !== undefined && !name.includes('/') && bareAddressOf(name) === account
}
