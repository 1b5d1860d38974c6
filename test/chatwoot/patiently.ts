import { eventually } from '../kit/play.ts'

/** Waits like `eventually`, but longer: after failures, the bridge pauses before it tries again. */
export function patiently<T>(
  what: string,
  read: () => Promise<T>,
  enough: (reading: T) => boolean,
): Promise<T> {
  return eventually(what, read, enough, 180_000)
}
