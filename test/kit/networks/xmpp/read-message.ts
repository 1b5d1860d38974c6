import type { xml } from '@xmpp/client'

export type XmlNode = ReturnType<typeof xml>

/** The message that another one is about, and in which way. */
export interface About {
  readonly as: 'correction' | 'reply' | 'reaction' | 'retraction'
  readonly id: string
}

/** A place, as a client shows it on a map. */
export interface ShownPlace {
  readonly latitude: number
  readonly longitude: number
  readonly name: string | null
  readonly address: string | null
}

/** A message as a client that knows the extensions shows it. */
export interface ShownMessage {
  /** Without what is there for clients that know less; of a reaction its emojis. */
  readonly text: string
  readonly about: About | null
  readonly place: ShownPlace | null
}

const marks = [
  ['retraction', 'retract', 'urn:xmpp:message-retract:1'],
  ['reaction', 'reactions', 'urn:xmpp:reactions:0'],
  ['correction', 'replace', 'urn:xmpp:message-correct:0'],
  ['reply', 'reply', 'urn:xmpp:reply:0'],
] as const

/** Reads a message by XEP-0308, 0424, 0444 and 0461, with the fallbacks of XEP-0428, and a place by RFC 5870 and XEP-0080. */
export function shownIn(message: XmlNode): ShownMessage {
  const found = marks.find(([, name, namespace]) => message.getChild(name, namespace))
  const mark = found && message.getChild(found[1], found[2])
  const about = found && mark ? { as: found[0], id: String(mark.attrs.id) } : null
  const body = message.getChildText('body') ?? ''
  if (about?.as === 'reaction') {
    const emojis = mark?.getChildren('reaction').map((each: XmlNode) => each.text()) ?? []
    return { text: emojis.join(' '), about, place: null }
  }
  const text = found ? withoutFallback(message, body, found[2]) : body
  return { text, about, place: placeIn(message, body) }
}

function withoutFallback(message: XmlNode, body: string, purpose: string): string {
  const mark = message
    .getChildren('fallback', 'urn:xmpp:fallback:0')
    .find((each: XmlNode) => each.attrs.for === purpose)
  if (!mark) return body
  const range = mark.getChild('body')
  if (!range) return ''
  const characters = Array.from(body)
  characters.splice(Number(range.attrs.start), Number(range.attrs.end) - Number(range.attrs.start))
  return characters.join('')
}

/** A client shows a map if the whole body is a geo URI. */
function placeIn(message: XmlNode, body: string): ShownPlace | null {
  const [, latitude, longitude] = /^geo:(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)$/.exec(body) ?? []
  if (latitude === undefined || longitude === undefined) return null
  const details = message.getChild('geoloc', 'http://jabber.org/protocol/geoloc')
  return {
    latitude: Number(latitude),
    longitude: Number(longitude),
    name: details?.getChildText('description') ?? null,
    address: details?.getChildText('text') ?? null,
  }
}
