import type { Arrival, Story, SufferedFault } from './story.ts'

/** Milliseconds for which instances were silent because their node suffered a fault, by the kind of the fault. */
export type Silences = ReadonlyMap<string, readonly number[]>

/** Faults that give the node the time to hand over what it has. */
const graceful: ReadonlySet<string> = new Set(['stop', 'drain'])

/**
 * Returns, for each instance of a node that suffered a fault, for how long the far end saw nothing of it: from the fault until the first arrival after
 * the longest silence that began within a lease; where the node handed over, the longest silence itself, because it goes on sending
 * meanwhile. An instance that sends rarely seems to be silent for longer than it was.
 */
export function silencesOf({ faults, arrived }: Story, lease: number): Silences {
  const arrivals = Map.groupBy(arrived, ({ instance }) => instance)
  const silences = new Map<string, number[]>()
  for (const fault of faults)
    for (const instance of fault.hit ?? []) {
      const silence = longestSilence(arrivals.get(instance) ?? [], fault, lease)
      if (!silence) continue
      const length = silence.until - (graceful.has(fault.kind) ? silence.from : fault.from)
      silences.set(fault.kind, [...(silences.get(fault.kind) ?? []), length])
    }
  return silences
}

function longestSilence(arrivals: readonly Arrival[], { from, until }: SufferedFault, lease: number) {
  const times = arrivals.map(({ at }) => at).sort((a, b) => a - b)
  const silences = times.slice(1).map((end, index) => ({ from: times[index] ?? 0, until: end }))
  const caused = silences.filter((silence) => silence.until > from && silence.from <= until + lease)
  return caused.reduce<(typeof caused)[number] | undefined>(
    (longest, next) => (longest && longest.until - longest.from >= next.until - next.from ? longest : next),
    undefined,
  )
}

/** The value below which this share of all is. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
