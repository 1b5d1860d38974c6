import { type IdPrefix, idPattern } from '../runtime/ids.ts'
import { readCursor } from '../runtime/text/cursor.ts'
import { invalid } from './problem.ts'

/** The key in the `cursor` of a list, null if there is none; throws the problem of a cursor that is not from a page. */
export function keyInCursor(
  cursor: string | undefined,
  pattern: string,
  pointer = 'query/cursor',
): string | null {
  if (cursor === undefined) return null
  const key = readCursor(cursor, 'string')
  // No other text may reach the store.
  if (key !== undefined && new RegExp(pattern).test(key)) return key
  const detail = 'The cursor does not come from a page of this list.'
  throw invalid({ pointer, code: 'wrong_form', detail })
}

/** The same for lists that go by ids. */
export function idInCursor(cursor: string | undefined, prefix: IdPrefix, pointer?: string): string | null {
  return keyInCursor(cursor, idPattern(prefix), pointer)
}
