import { escapeXML } from '@xmpp/xml'
import { localOf, uriOf } from '../address.ts'
import { ns } from '../stanzas/xml.ts'
import type { Surroundings } from './surroundings.ts'

/** A text in which people are mentioned, and the marks that say so (XEP-0372). */
export interface Mentioning {
  readonly text: string
  /** The marks of the text if so many characters stand before it. */
  marks(offset: number): string
}

interface Place {
  readonly address: string
  readonly begin: number
  readonly end: number
}

/**
 * Finds the people whom a text mentions as `@` with their address, or with the part before another `@`. In a room their name there takes
 * its place: that is what clients look for.
 */
export function mentioning(
  text: string,
  mentions: readonly string[] | undefined,
  { nickOf }: Surroundings,
): Mentioning {
  if (!mentions || mentions.length === 0) return { text, marks: () => '' }
  const written = new Map<string, string>()
  for (const address of mentions) {
    written.set(`@${localOf(address)}`, address)
    written.set(`@${address}`, address)
  }
  const spellings = [...written.keys()].sort((one, other) => other.length - one.length)
  const pattern = new RegExp(
    `(?:${spellings.map((each) => RegExp.escape(each)).join('|')})(?![\\p{L}\\p{N}_])`,
    'giu',
  )
  const places: Place[] = []
  let length = 0
  let end = 0
  let out = ''
  for (const match of text.matchAll(pattern)) {
    const address = written.get(match[0].toLowerCase()) ?? written.get(match[0])
    if (address === undefined) continue
    const before = text.slice(end, match.index)
    const nick = nickOf(address)
    const shown = nick === null ? match[0] : `@${nick}`
    const begin = length + [...before].length
    length = begin + [...shown].length
    out += before + shown
    end = match.index + match[0].length
    places.push({ address, begin, end: length })
  }
  return { text: out + text.slice(end), marks: (offset) => marksOf(places, offset) }
}

/** XEP-0426: characters are code points of Unicode. */
function marksOf(places: readonly Place[], offset: number): string {
  return places
    .map(({ address, begin, end }) => {
      const range = `begin="${begin + offset}" end="${end + offset}"`
      return `<reference xmlns="${ns.references}" type="mention" ${range} uri="${escapeXML(uriOf(address))}"/>`
    })
    .join('')
}
