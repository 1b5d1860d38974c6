import { type Location, maxPlaceAddress, maxPlaceName } from '../../../contract/resources/content.ts'
import { cutText } from '../../kit/received-text.ts'
import { ns, type Xml } from '../stanzas/xml.ts'

/** A place in a message, and what its writer said with it; null if they said nothing. */
export interface NamedPlace {
  readonly location: Location
  readonly words: string | null
}

/**
 * The place that a message shows, by XEP-0080 or by a body that is a geo URI, or null. The body is what a person wrote unless it is
 * such a URI.
 */
export function placeIn(message: Xml, body: string | null): NamedPlace | null {
  const inBody = pointIn(body)
  const found = message.getChild('geoloc', ns.place)
  const point = (found && pointOf(found)) ?? inBody
  if (!point) return null
  const { name, address } = found ? namesOf(found) : { name: null, address: null }
  return { location: { ...point, name, address }, words: inBody ? null : body }
}

interface Point {
  readonly latitude: number
  readonly longitude: number
}

function pointOf(place: Xml): Point | null {
  return pointAt(place.getChildText('lat')?.trim(), place.getChildText('lon')?.trim())
}

/** A geo URI is short; a body that is longer is a text. */
const longestUri = 256

/** RFC 5870 section 3.3, in WGS 84, with the zoom that maps on phones add. An altitude and an uncertainty are left out. */
const geoUri =
  /^geo:(?<latitude>-?[\d.]+),(?<longitude>-?[\d.]+)(?:,-?[\d.]+)?(?:;crs=wgs84)?(?:;[\w-]+(?:=[^\s;?]*)?)*(?:\?z=\d+)?$/i

function pointIn(body: string | null): Point | null {
  const uri = body?.trim() ?? ''
  if (uri.length > longestUri) return null
  const { latitude, longitude } = geoUri.exec(uri)?.groups ?? {}
  const isOther = /;crs=(?!wgs84(?:[;?]|$))/i.test(uri)
  return isOther ? null : pointAt(latitude, longitude)
}

function pointAt(latitude = '', longitude = ''): Point | null {
  const point = { latitude: degreesIn(latitude, 90), longitude: degreesIn(longitude, 180) }
  return Number.isNaN(point.latitude) || Number.isNaN(point.longitude) ? null : point
}

/** NaN for what is no number, or not on earth. */
function degreesIn(written: string, most: number): number {
  const degrees = /^[+-]?\d{1,3}(?:\.\d{0,20})?$/.test(written) ? Number(written) : Number.NaN
  return Math.abs(degrees) <= most ? degrees : Number.NaN
}

/** The parts of an address, from the smallest; the last is for all that has no element of its own. */
const addressParts = [
  'room',
  'floor',
  'building',
  'street',
  'area',
  'postalcode',
  'locality',
  'region',
  'country',
  'text',
] as const

function namesOf(place: Xml): Pick<Location, 'name' | 'address'> {
  const said = (element: string) => place.getChildText(element)?.trim() ?? ''
  const address = addressParts
    .map(said)
    .filter((part) => part !== '')
    .join(', ')
  return {
    name: cutText(said('description'), maxPlaceName) || null,
    address: cutText(address, maxPlaceAddress) || null,
  }
}
