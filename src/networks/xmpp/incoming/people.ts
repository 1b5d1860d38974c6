import { maxMentions, type WriterNames } from '../../../contract/resources/content.ts'
import { cutText } from '../../kit/received-text.ts'
import { bareAddressOf } from '../address.ts'
import { attribute, ns, type Xml } from '../stanzas/xml.ts'

/** In UTF-16 units. */
const longestNick = 256

/** The writer, if the message says by which name they go (XEP-0172). */
export function writerIn(message: Xml, address: string): WriterNames | null {
  const written = message.getChildText('nick', ns.nick) ?? ''
  const name = cutText(written.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(), longestNick)
  return name === '' ? null : { address, name, username: null }
}

/** The people whom the text mentions (XEP-0372), by their addresses. */
export function mentionedIn(message: Xml): string[] {
  const found = new Set<string>()
  for (const reference of message.getChildren('reference', ns.references)) {
    const address = attribute(reference, 'type') === 'mention' ? personAt(attribute(reference, 'uri')) : null
    if (address !== null) found.add(address)
    if (found.size >= maxMentions) break
  }
  return [...found]
}

/** In UTF-16 units: an address, with each of its bytes escaped. */
const longestUri = 6_200

/** The address in an XMPP URI (RFC 5122). One with a resource is a person in a room, whose own address is not known. */
function personAt(uri: string | undefined): string | null {
  const escaped = /^xmpp:(?<address>[^/?#]+)(?:[?#].*)?$/is.exec(uri ?? '')?.groups?.address
  if (escaped === undefined || escaped.length > longestUri) return null
  try {
    return bareAddressOf(decodeURIComponent(escaped))
  } catch {
    return null
  }
}
