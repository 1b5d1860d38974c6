import { featuresIn } from '../stanzas/discovery.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import { attribute, element, ns, type Xml } from '../stanzas/xml.ts'

/** A service that takes files for an account, by XEP-0363. */
export interface UploadService {
  readonly address: string
  /** The size limit that it announces, in bytes; null if it announces none. */
  readonly largest: number | null
}

/** Services of a server that are asked what they are; public servers have about ten. */
const maxItems = 50

/**
 * Finds the upload service of a server: the server itself, or a service that it lists (XEP-0363 section 3, by XEP-0030).
 * Takes the first that says so. Null if all answered and none is one; rejects if the signal aborts before that.
 */
export async function findUploadService(
  domain: string,
  iqRequests: IqRequests,
  signal: AbortSignal,
): Promise<UploadService | null> {
  const list = await iqRequests.ask('get', domain, element('query', { xmlns: ns.discoItems }), signal)
  const items = list.getChild('query', ns.discoItems)?.getChildren('item') ?? []
  const addresses = items.slice(0, maxItems).map((item) => attribute(item, 'jid'))
  const asked = new Set([domain, ...addresses.filter((address) => address !== undefined)])
  try {
    return await Promise.any([...asked].map((address) => introduced(address, iqRequests, signal)))
  } catch {
    signal.throwIfAborted()
    return null
  }
}

/** Asks one address whether it accepts files; rejects if it does not. */
async function introduced(
  address: string,
  iqRequests: IqRequests,
  signal: AbortSignal,
): Promise<UploadService> {
  const answer = await iqRequests.ask('get', address, element('query', { xmlns: ns.discoInfo }), signal)
  const query = answer.getChild('query', ns.discoInfo)
  if (!query || !featuresIn(answer).has(ns.upload)) throw new Error('it takes no files')
  return { address, largest: largestIn(query) }
}

/** The announced limit (XEP-0128): in the form of this service, which may be one of several forms. */
function largestIn(query: Xml): number | null {
  for (const form of query.getChildren('x', ns.dataForms)) {
    const fields = new Map(
      form
        .getChildren('field')
        .map((field) => [attribute(field, 'var'), field.getChildText('value')?.trim() ?? '']),
    )
    const largest = fields.get('max-file-size') ?? ''
    if (fields.get('FORM_TYPE') === ns.upload && /^\d{1,15}$/.test(largest)) return Number(largest)
  }
  return null
}
