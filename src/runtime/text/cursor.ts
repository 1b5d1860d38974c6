/** Returns the point from which a list continues, as an opaque text: the key of the last entry, in base64url. */
export function writeCursor(key: string | number): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** The key in a cursor of the wanted type, or undefined if Posthorn did not write the text. */
export function readCursor(cursor: string, type: 'number'): number | undefined
export function readCursor(cursor: string, type: 'string'): string | undefined
export function readCursor(cursor: string, type: 'number' | 'string'): number | string | undefined {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    const fits = type === 'string' ? typeof key === 'string' : Number.isSafeInteger(key)
    // Decoding is lenient; only what writes back to the same text was written by us.
    if (fits && writeCursor(key as number | string) === cursor) return key as number | string
  } catch {
    // Not one of ours; the caller says so.
  }
  return undefined
}
