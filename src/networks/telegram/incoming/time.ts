import { integerIn, type Json } from '../../kit/json.ts'

/** The first of these times, in milliseconds since the epoch; `now` if there is none, or if it is later. */
export function timeOf(json: Json, names: readonly string[], now: number): number {
  const seconds = secondsOf(json, names)
  return seconds === null || seconds <= 0 ? now : Math.min(now, seconds * 1000)
}

/** The same as Telegram says it, in seconds. */
export function secondsOf(json: Json, names: readonly string[]): number | null {
  const found = names.map((name) => integerIn(json, name)).find((seconds) => seconds !== null)
  return found ?? null
}
