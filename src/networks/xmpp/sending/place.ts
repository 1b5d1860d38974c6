import { escapeXMLText } from '@xmpp/xml'
import type { OutgoingLocation } from '../../driver/message.ts'
import { ns } from '../stanzas/xml.ts'
import { bodyXml, chatXml, signsFrom } from './chat-stanza.ts'
import { replyMark } from './following.ts'
import { captionId } from './message-parts.ts'

/**
 * A place: as a geo URI (RFC 5870) that is the whole body, by which clients show it on a map, and as XEP-0080, which has its name
 * and its address, too. Hardly a client shows those, so they follow as a text, as the caption of a file does.
 */
export function placeXmls(message: OutgoingLocation, account: string): readonly string[] {
  const { id, to, location, replyTo } = message
  const { name, address } = location
  const [latitude, longitude] = [degrees(location.latitude), degrees(location.longitude)]
  const fields = `<lat>${latitude}</lat><lon>${longitude}</lon>${field('description', name)}${field('text', address)}`
  const place = `<geoloc xmlns="${ns.place}">${fields}</geoloc>`
  const body = bodyXml(`geo:${latitude},${longitude}`)
  const first = chatXml(message, body + place + replyMark(replyTo, { to, account }) + signsFrom(to))
  const words = [name, address].filter((each) => each !== null).join('\n')
  return words === '' ? [first] : [first, chatXml({ id: captionId(id), to }, bodyXml(words))]
}

function field(element: string, text: string | null): string {
  return text === null ? '' : `<${element}>${escapeXMLText(text)}</${element}>`
}

/** RFC 5870 knows no exponents. Seven decimals are a centimetre. */
function degrees(value: number): string {
  return value.toFixed(7).replace(/\.?0+$/, '')
}
