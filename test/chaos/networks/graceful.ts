import type { SufferedFault } from '../check/story.ts'
import type { FaultName } from '../faults.ts'

/** Faults in which a node hands its instances over, so that no network sees two connections of one account. */
const graceful: readonly string[] = ['stop', 'drain'] satisfies FaultName[]

/** True for a moment at which no fault but a graceful one can have left two connections of one account. */
export function isGraceful(at: number, faults: readonly SufferedFault[]): boolean {
  const last = faults.findLast(({ from }) => from <= at)
  return last === undefined || graceful.includes(last.kind)
}
