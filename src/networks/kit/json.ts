/** An object from another party: any field may be missing, or be anything. */
export type Json = Readonly<Record<string, unknown>>

export function asObject(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}

export function objectIn(json: Json, name: string): Json | null {
  return asObject(json[name])
}

/** The objects of an array; everything else in it is left out. */
export function objectsIn(json: Json, name: string): Json[] {
  return [...eachObjectIn(json, name)]
}

/** The same, one by one, so that an array of any length can be handled in turns. */
export function* eachObjectIn(json: Json, name: string): Generator<Json, void, undefined> {
  const value = json[name]
  if (!Array.isArray(value)) return
  for (const each of value) {
    const object = asObject(each)
    if (object !== null) yield object
  }
}

/** A text that is not empty, and well-formed. */
export function textIn(json: Json, name: string): string | null {
  const value = json[name]
  return typeof value === 'string' && value !== '' ? value.toWellFormed() : null
}

/** True if nothing in a value is nested deeper than this: code that walks through it later cannot run out of stack. */
export function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1))
}

export function integerIn(json: Json, name: string): number | null {
  const value = json[name]
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}

/** Limits of a text in JSON. */
export interface JsonLimits {
  /**
   * Structural characters (RFC 8259, 2) that begin something or separate it: the time to parse follows from their number.
   */
  readonly structure: number
  /** Levels of nesting. */
  readonly depth: number
}

/** Bytes that are looked at before others have their turn. */
const pieceBytes = 32 * 1024

const [quote, comma, colon, openBracket, backslash, closeBracket, openBrace, closeBrace] =
  Buffer.from('",:[\\]{}')

/** Returns true if JSON that is not parsed yet is within its limits; yields null after each small piece of work. */
export function* looksWithin(
  bytes: Uint8Array,
  { structure, depth }: JsonLimits,
): Generator<null, boolean, undefined> {
  let [count, level] = [0, 0]
  let isText = false
  for (let at = 0; at < bytes.length; ) {
    for (const end = Math.min(bytes.length, at + pieceBytes); at < end; at++) {
      const byte = bytes[at]
      if (isText) {
        if (byte === backslash) at++
        else if (byte === quote) isText = false
      } else if (byte === quote) isText = true
      else if (byte === colon || byte === comma) count++
      else if (byte === openBrace || byte === openBracket) {
        count++
        level++
      } else if (byte === closeBrace || byte === closeBracket) level--
      if (count > structure || level > depth) return false
    }
    yield null
  }
  return true
}

/** The same at once, for what is short. */
export function isWithin(bytes: Uint8Array, limits: JsonLimits): boolean {
  const steps = looksWithin(bytes, limits)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Reads an object; null if the bytes are none. */
export function parseObject(bytes: Buffer): Json | null {
  try {
    return asObject(JSON.parse(bytes.toString()))
  } catch {
    return null
  }
}
