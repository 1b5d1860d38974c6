import { createHash } from 'node:crypto'
import { sentencesOf } from '../../../contract/codes.ts'
import type { PictureAnswer } from '../../driver/abilities/pictures.ts'
import { errors } from '../codes.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import { attribute, conditionIn, element, ns, type Xml } from '../stanzas/xml.ts'

/** Milliseconds that a server may take for each question. */
const answerTime = 10_000

/** The sources of a picture. XEP-0084 section 4.2: there may be several versions of it; so many are looked at. */
const maxVersions = 20

const types = new Set(['image/png', 'image/jpeg', 'image/webp'])

/** The conditions of RFC 6120 section 8.3.3 with which a server says that it could not ask; all others say that there is none to see. */
const unasked = new Set([
  'internal-server-error',
  'remote-server-not-found',
  'remote-server-timeout',
  'resource-constraint',
])

/** A question to the server of a person, or to a room. */
type Ask = (payload: Xml) => Promise<Xml>

/**
 * The picture of a person: what they publish as their avatar (XEP-0084), or else the photo in their card (XEP-0153). A room has only a
 * card (XEP-0486).
 */
export async function findPicture(
  address: string,
  isRoom: boolean,
  iqRequests: IqRequests,
  signal: AbortSignal,
): Promise<PictureAnswer> {
  const ask: Ask = (payload) => {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(answerTime)])
    return iqRequests.ask('get', address, payload, inTime)
  }
  try {
    const published = isRoom ? null : await publishedPicture(ask)
    return published ?? (await pictureOnCard(ask))
  } catch {
    return { kind: 'unanswered', detail: 'The server of the person did not answer in time.' }
  }
}

/** Null if they published none that can be read: servers show it to contacts only, and the card to all. */
async function publishedPicture(ask: Ask): Promise<PictureAnswer | null> {
  const info = itemIn(await ask(itemsQuery(ns.pictureInfo)), ns.pictureInfo)
  const versions = info?.getChild('metadata', ns.pictureInfo)?.getChildren('info').slice(0, maxVersions) ?? []
  const usable = versions.filter((version) => types.has(attribute(version, 'type') ?? ''))
  // One at a URL is not in the node of the data.
  const id = usable
    .map((version) => version.attrs.url === undefined && attribute(version, 'id'))
    .find(Boolean)
  if (!id) return atUrl(usable.map((version) => attribute(version, 'url')).find((url) => url !== undefined))
  const answer = await ask(itemsQuery(ns.pictureData, id))
  if (isCut(answer)) return tooLarge
  const written = itemIn(answer, ns.pictureData)?.getChildText('data', ns.pictureData)
  const bytes = written ? decoded(written) : null
  // XEP-0084 section 4.1: the id of the item is the SHA-1 of the picture.
  if (!bytes || createHash('sha1').update(bytes).digest('hex') !== id.toLowerCase()) return null
  return { kind: 'found', bytes }
}

function itemsQuery(node: string, id?: string): Xml {
  const items = id
    ? element('items', { node }, element('item', { id }))
    : element('items', { node, max_items: '1' })
  return element('pubsub', { xmlns: ns.nodes }, items)
}

function itemIn(answer: Xml, node: string): Xml | undefined {
  const items = answer.attrs.type === 'result' ? answer.getChild('pubsub', ns.nodes)?.getChild('items') : null
  return items && attribute(items, 'node') === node ? items.getChild('item') : undefined
}

async function pictureOnCard(ask: Ask): Promise<PictureAnswer> {
  const answer = await ask(element('vCard', { xmlns: ns.card }))
  const condition = conditionIn(answer.getChild('error'), ns.stanzaErrors)
  if (condition !== undefined && unasked.has(condition))
    return { kind: 'unanswered', detail: 'The server of the person could not be asked.' }
  if (isCut(answer)) return tooLarge
  const photo = answer.getChild('vCard', ns.card)?.getChild('PHOTO')
  const bytes = decoded(photo?.getChildText('BINVAL') ?? '')
  return bytes ? { kind: 'found', bytes } : (atUrl(photo?.getChildText('EXTVAL')?.trim()) ?? { kind: 'none' })
}

/** Of an answer that is larger than is read, nothing but its first tag is left. */
function isCut(answer: Xml): boolean {
  return answer.attrs.type === 'result' && answer.getChildElements().length === 0
}

const tooLarge: PictureAnswer = {
  kind: 'rejected',
  error: { code: 'picture_too_large', detail: sentencesOf(errors.picture_too_large), permanent: true },
}

function decoded(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length > 0 ? bytes : null
}

const longestUrl = 2_048

function atUrl(url: string | null | undefined): PictureAnswer | null {
  return url && url.length <= longestUrl && /^https?:\/\//i.test(url) && URL.canParse(url)
    ? { kind: 'at-url', url }
    : null
}
