/** A stanza of WhatsApp, or a part of one, as the library gives it. Its content comes from the server, and may be anything. */
export interface Stanza {
  readonly tag: string
  readonly attrs: Readonly<Record<string, string | undefined>>
  readonly content?: unknown
}

/** The parts of a stanza, those of this tag if it is given; none if it holds bytes or nothing. */
export function partsOf({ content }: Stanza, tag?: string): readonly Stanza[] {
  if (!Array.isArray(content)) return []
  const parts = content as readonly Stanza[]
  return tag === undefined ? parts : parts.filter((part) => part.tag === tag)
}

/** The first part of this tag. */
export function firstPart(stanza: Stanza | undefined, tag: string): Stanza | undefined {
  return stanza && partsOf(stanza, tag)[0]
}

/** The text in a stanza of so many bytes at most, what is longer is cut off; null if it holds none. */
export function textOf(stanza: Stanza | undefined, maxBytes: number): string | null {
  const content = stanza?.content
  if (typeof content === 'string') return content.slice(0, maxBytes).toWellFormed()
  if (!(content instanceof Uint8Array)) return null
  return Buffer.from(content.subarray(0, maxBytes)).toString().toWellFormed()
}

/** A time in an attribute, in seconds since the epoch, as milliseconds; never in the future, and null if it is none. */
export function timeIn(attribute: string | undefined, now: number): number | null {
  const seconds = Number(attribute)
  return seconds > 0 && Number.isFinite(seconds) ? Math.min(Math.floor(seconds * 1000), now) : null
}
