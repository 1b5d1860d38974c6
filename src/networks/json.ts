/** An object that somebody else wrote: any field may be missing, or be anything. */
export type Json = Readonly<Record<string, unknown>>

export function asObject(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}

export function objectIn(json: Json, name: string): Json | null {
  return asObject(json[name])
}

/** The objects of an array; everything else in it is left out. */
export function objectsIn(json: Json, name: string): Json[] {
  const value = json[name]
  return Array.isArray(value) ? value.map(asObject).filter((each) => each !== null) : []
}

/** A text that is not empty, and well-formed. */
export function textIn(json: Json, name: string): string | null {
  const value = json[name]
  return typeof value === 'string' && value !== '' ? value.toWellFormed() : null
}

/** True if nothing in a value is nested deeper than this: whatever walks through it later cannot be made to run out of stack. */
export function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1))
}

export function integerIn(json: Json, name: string): number | null {
  const value = json[name]
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}

/** Reads an object; null if the bytes are none. */
export function parseObject(bytes: Buffer): Json | null {
  try {
    return asObject(JSON.parse(bytes.toString()))
  } catch {
    return null
  }
}
