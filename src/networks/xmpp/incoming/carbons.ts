import { isAccount } from '../stanzas/stanza-sender.ts'
import { attribute, element, ns, type Xml } from '../stanzas/xml.ts'
import { type Forwarded, forwardedIn } from './forwarded.ts'

/**
 * Asks for a copy of what is written to other clients of the account (XEP-0280). The answer is of no use: a server that has
 * no copies refuses, and sends none.
 */
export function copiesWanted(): string {
  return element('iq', { type: 'set', id: 'copies' }, element('enable', { xmlns: ns.copies })).toString()
}

/**
 * Returns the message that was sent to another client of the account, if the stanza is a copy of one; null if it is anything
 * else. Only the account itself makes copies: one from any other sender is made up (XEP-0280 section 11). Copies of messages
 * that other clients of the account send are not looked into.
 */
export function copyIn(stanza: Xml, account: string): Forwarded | null {
  const received = stanza.getChild('received', ns.copies)
  return received && isAccount(attribute(stanza, 'from'), account) ? forwardedIn(received) : null
}
