import { maxMentions, type WriterNames } from '../../../contract/resources/content.ts'
import { cutText } from '../../kit/received-text.ts'
import { bareAddressOf } from '../address.ts'
import { attribute, ns, type Xml } from '../stanzas/xml.ts'

/** In UTF-16 units. */
const longestNick = 256

/** The writer, if the message says by which name they go (XEP-0172). */
export function writerIn(message: Xml, address: string): WriterNames | null {
  const written = message.getChildText('nick', ns.nick) ?? ''
  const name = shownName(written)
  return name === '' ? null : { address, name, username: null }
}

/** The people whom the text mentions (XEP-0372). `addressOf` returns the address of a person from that in a URI, or null. */
export function mentionedIn(message: Xml, addressOf: (address: string) => string | null): string[] {
  const found = new Set<string>()
  for (const reference of message.getChildren('reference', ns.references)) {
    if (attribute(reference, 'type') !== 'mention') continue
    const written = addressIn(attribute(reference, 'uri'))
    const address = written === null ? null : addressOf(written)
    if (address !== null) found.add(address)
    if (found.size >= maxMentions) break
  }
  return [...found]
}

/** In UTF-16 units: an address, with each of its bytes escaped. */
const longestUri = 9_300

/** The address in an XMPP URI (RFC 5122), which may have a resource. */
function addressIn(uri: string | undefined): string | null {
  const escaped = /^xmpp:(?<address>[^?#]+)(?:[?#].*)?$/is.exec(uri ?? '')?.groups?.address
  if (escaped === undefined || escaped.length > longestUri) return null
  try {
    return decodeURIComponent(escaped)
  } catch {
    return null
  }
}

/** The bare address, if it is one. One with a resource is a person in a room, whose own address is not known. */
export function bareAddressIn(address: string): string | null {
  return address.includes('/') ? null : bareAddressOf(address)
}

/** Returns a name that a person chose, in one line, as much of it as is kept. */
export function shownName(written: string): string {
  return cutText(written.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(), longestNick)
}
