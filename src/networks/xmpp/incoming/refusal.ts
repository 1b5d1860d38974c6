import { attribute, element, ns, type Xml } from '../stanzas/xml.ts'

/**
 * Returns the stanza that returns a message to its sender, to be sent again later (RFC 6120, sections 8.3.2 and 8.3.3.18);
 * null if the message names no sender.
 */
export function refusalOf(message: Xml): string | null {
  const to = attribute(message, 'from')
  if (to === undefined) return null
  const error = element(
    'error',
    { type: 'wait' },
    element('resource-constraint', { xmlns: ns.stanzaErrors }),
    element('text', { xmlns: ns.stanzaErrors }, 'There is no room for more messages now.'),
  )
  return element('message', { type: 'error', to, id: attribute(message, 'id') }, error).toString()
}
