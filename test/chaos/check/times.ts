import type { Acknowledgement, Story } from './story.ts'

/** Milliseconds for which instances sent nothing because their node suffered a fault, by the kind of the fault. */
export type Silences = ReadonlyMap<string, readonly number[]>

/**
 * Returns, for each instance of a node that suffered a fault, the longest time in which it sent nothing although a text waited: it begins
 * with the fault or within a lease after it, and not before the text was acknowledged, and ends with the next arrival at the far end. One
 * that ends after the next fault of its node began is blamed on that fault.
 */
export function silencesOf({ faults, acknowledged, arrived }: Story, lease: number): Silences {
  const arrivals = Map.groupBy(arrived, ({ instance }) => instance)
  const texts = Map.groupBy(acknowledged, ({ instance }) => instance)
  const firsts = new Map(arrived.toReversed().map(({ text, at }) => [text, at]))
  const silences = new Map<string, number[]>()
  // The sandbox tells times by the clock of its node, which that fault sets.
  for (const fault of faults.filter(({ kind }) => kind !== 'clock'))
    for (const instance of fault.hit ?? []) {
      const times = (arrivals.get(instance) ?? []).map(({ at }) => at).sort((a, b) => a - b)
      const waits = waitsOf(texts.get(instance) ?? [], firsts)
      const next = faults.find(({ from, hit }) => from > fault.from && hit?.includes(instance))
      const length = longestSilence(times, waits, {
        from: fault.from,
        until: fault.until + lease,
        ends: next?.from ?? Number.POSITIVE_INFINITY,
      })
      if (length !== undefined) silences.set(fault.kind, [...(silences.get(fault.kind) ?? []), length])
    }
  return silences
}

/** A text waited from the one time to the other. */
interface Wait {
  readonly from: number
  readonly until: number
}

const waitsOf = (texts: readonly Acknowledgement[], firsts: ReadonlyMap<string, number>): Wait[] =>
  texts.flatMap(({ text, at }) => {
    const until = firsts.get(text)
    return until === undefined ? [] : [{ from: at, until }]
  })

function longestSilence(
  arrivals: readonly number[],
  waits: readonly Wait[],
  fault: { readonly from: number; readonly until: number; readonly ends: number },
): number | undefined {
  const lengths = arrivals.slice(1).flatMap((until, index) => {
    const from = arrivals[index] ?? 0
    if (until <= fault.from || from > fault.until || until > fault.ends) return []
    const waiting = waits.filter((wait) => wait.from < until && wait.until >= until)
    const began = Math.max(from, fault.from, Math.min(...waiting.map((wait) => wait.from)))
    return began < until ? [until - began] : []
  })
  return lengths.length > 0 ? Math.max(...lengths) : undefined
}

/** The value below which this share of all is. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
