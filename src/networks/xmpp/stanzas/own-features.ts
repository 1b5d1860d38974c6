import { createHash } from 'node:crypto'
import { attribute, element, ns, type Xml } from './xml.ts'

/**
 * The features of this client, as it tells those who ask (XEP-0030): clients of others send some things only to clients that know
 * them. The suffix has the account's server tell what other clients of the account publish (XEP-0163 section 4.3).
 */
const features = [
  ns.capabilities,
  ns.chatStates,
  ns.discoInfo,
  ns.correction,
  ns.outOfBand,
  ns.ping,
  ns.reactions,
  ns.reply,
  ns.retraction,
  `${ns.displayed}+notify`,
].sort()

const identity = { category: 'client', type: 'bot', name: 'Posthorn' }

/** A name of the software, as XEP-0115 demands; nothing is looked up there. */
const node = 'urn:posthorn'

/** The digest by which servers know the features without asking (XEP-0115 section 5.1). */
const version = createHash('sha1')
  .update(
    `${identity.category}/${identity.type}//${identity.name}<${features.map((each) => `${each}<`).join('')}`,
  )
  .digest('base64')

/** The element of a presence that names the features (XEP-0115). */
export function capabilities(): Xml {
  return element('c', { xmlns: ns.capabilities, hash: 'sha-1', node, ver: version })
}

/** The answer to a question for the features of this client; null if the question is for anything else. */
export function featuresFor(query: Xml | undefined): Xml | null {
  if (!query) return null
  const asked = attribute(query, 'node')
  if (asked !== undefined && asked !== `${node}#${version}`) return null
  return element(
    'query',
    { xmlns: ns.discoInfo, node: asked },
    element('identity', identity),
    ...features.map((each) => element('feature', { var: each })),
  )
}
