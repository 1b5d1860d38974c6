import { domainOf } from '../address.ts'
import { timeIn } from '../stanzas/date-time.ts'
import { isAccount } from '../stanzas/stanza-sender.ts'
import { attribute, ns, type Xml } from '../stanzas/xml.ts'

/** A message that travels inside of another one (XEP-0297), as copies and what comes from an archive do. */
export interface Forwarded {
  readonly message: Xml
  /** When it was sent, in milliseconds since the epoch; null if the wrapper does not say. */
  readonly at: number | null
}

/** The message inside of `<received/>`, `<result/>` and their like. Who wrapped it must have been looked at before. */
export function forwardedIn(wrapping: Xml): Forwarded | null {
  const forwarded = wrapping.getChild('forwarded', ns.forward)
  const message = forwarded?.getChild('message', ns.client)
  if (!forwarded || !message) return null
  const delay = forwarded.getChild('delay', ns.delay)
  return { message, at: timeIn(delay && attribute(delay, 'stamp')) }
}

/**
 * When the account's own server received a message that it kept for a while (XEP-0203); null if it does not say. A
 * sender can write such a note too, even in the server's name; that only makes the sender's own message look older than it is.
 */
export function delayIn(message: Xml, account: string): number | null {
  for (const delay of message.getChildren('delay', ns.delay)) {
    const from = attribute(delay, 'from')
    if (from === domainOf(account) || isAccount(from, account)) return timeIn(attribute(delay, 'stamp'))
  }
  return null
}
