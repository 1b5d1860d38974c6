import type { TranscriptLine } from '../../src/networks/sandbox/far-end.ts'
import { countArrivals } from '../kit/crash/count-arrivals.ts'

/** A text that a server said it had accepted. */
interface Acknowledged {
  readonly text: string
  readonly networkMessageId: string
}

/** Everything that must never happen. Each list is empty if all is well. */
export interface Broken {
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  readonly renamed: readonly string[]
  readonly overtaking: readonly string[]
  /** Texts that an instance sent under an epoch, after it had sent under a later one. */
  readonly outdated: readonly string[]
}

/** Compares what clients were told with what arrived. Knows nothing of the server but the form of the transcript. */
export function check(acknowledged: readonly Acknowledged[], arrived: readonly TranscriptLine[]): Broken {
  const { repeats: _, ...counted } = countArrivals(acknowledged, arrived)
  const latest = new Map<string, number>()
  const outdated: string[] = []
  for (const { instance = '', epoch, text } of arrived) {
    if (epoch < (latest.get(instance) ?? 0)) outdated.push(`${instance}: ${text} in epoch ${epoch}`)
    latest.set(instance, Math.max(epoch, latest.get(instance) ?? 0))
  }
  return { ...counted, outdated }
}
