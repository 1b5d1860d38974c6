import { attribute, ns, type Xml } from './xml.ts'

/** The features in an entity's answer to a query of XEP-0030; none if the answer is an error. */
export function featuresIn(answer: Xml): ReadonlySet<string | undefined> {
  const query = answer.attrs.type === 'result' ? answer.getChild('query', ns.discoInfo) : undefined
  return new Set(query?.getChildren('feature').map((feature) => attribute(feature, 'var')))
}

/** The handling of the messages to an account by its server, or of those in a room. */
export interface ArchiveSupport {
  /** Gives each an id, which it writes into the message (XEP-0359). */
  readonly ids: boolean
  /** Lets the account read what was archived (XEP-0313). */
  readonly archive: boolean
  /** Keeps what the account publishes (XEP-0163). */
  readonly publishing: boolean
}

/**
 * Reads the archive support from an account's answer. Only a server that announces it takes out the ids that unknown senders
 * write into messages in its name (XEP-0359 section 4).
 */
export function archiveSupportIn(answer: Xml): ArchiveSupport {
  const features = featuresIn(answer)
  const archive = features.has(ns.archive)
  return { ids: archive || features.has(ns.stanzaIds), archive, publishing: features.has(ns.publishing) }
}
