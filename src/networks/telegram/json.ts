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

export function integerIn(json: Json, name: string): number | null {
  const value = json[name]
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}
