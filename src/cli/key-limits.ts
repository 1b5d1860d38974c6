import { readableNamePattern } from '../contract/resources/key.ts'
import { momentOf } from '../runtime/clock.ts'
import { slugPattern } from '../runtime/ids.ts'
import { WrongUsage } from './command.ts'

const units = { h: 60 * 60_000, d: 24 * 60 * 60_000 } as const
const slug = new RegExp(slugPattern)
const readableName = new RegExp(readableNamePattern)
const namesAtMost = 200
const longest = 10 * 366 * units.d

/** Returns the name of a key; null if it has none. */
export function nameOf(text: string | undefined): string | null {
  if (text === undefined) return null
  if (text.length <= 100 && readableName.test(text)) return text
  throw new WrongUsage('--name is a text of 1 to 100 characters, without control characters')
}

/**
 * Returns the time at which a key is to expire, in milliseconds since the epoch: `90d` or `12h` from now, or a moment as RFC
 * 3339 writes it.
 */
export function expiryOf(text: string | undefined, now: number): number | null {
  if (text === undefined) return null
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? []
  const at = unit ? now + Number(count) * units[unit as keyof typeof units] : writtenMoment(text)
  if (!(at > now && at <= now + longest))
    throw new WrongUsage(
      `--expires is a time ahead of at most ten years, such as 90d, 12h or 2027-01-31T00:00:00Z, not "${text}"`,
    )
  return at
}

function writtenMoment(text: string): number {
  return /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/.test(text)
    ? momentOf(text)
    : Number.NaN
}

/** The names of instances that a key is limited to; null for all. They need not be there yet. */
export function parseInstanceNames(text: string | undefined): string[] | null {
  if (text === undefined) return null
  const names = [...new Set(text.split(','))]
  const wrong = names.find((name) => !slug.test(name))
  if (wrong !== undefined)
    throw new WrongUsage(
      `--instances lists names of instances, separated by commas, such as shop,desk; "${wrong}" cannot be one`,
    )
  if (names.length > namesAtMost) throw new WrongUsage(`--instances lists at most ${namesAtMost} names`)
  return names
}
