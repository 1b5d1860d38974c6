import { Admission } from '../src/instances/connection/admission.ts'
import type { Rate } from '../src/runtime/config/setting-values.ts'
import { AlarmHeap, type HeapEntry } from '../src/runtime/timers/alarm-heap.ts'
import { quantile } from './figure.ts'
import type { Placed } from './placement-nodes.ts'

/** A time that passes as fast as it is computed. */
class SimulatedTime {
  readonly #heap = new AlarmHeap()
  #now = 0
  readonly clock = { now: () => this.#now, monotonic: () => this.#now }
  readonly alarms = {
    in: (delay: number, ring: () => void) => {
      const entry: HeapEntry = { at: this.#now + Math.max(0, delay), ring }
      this.#heap.add(entry)
      return { cancel: () => void this.#heap.cancel(entry) }
    },
  }

  /** Lets it pass until no alarm is set. */
  pass(): void {
    for (; this.#heap.next < Number.POSITIVE_INFINITY; this.#heap.ringUntil(this.#now))
      this.#now = this.#heap.next
  }
}

/** The result of nodes that connect all that they have, by the pace of the program. Times are seconds. */
export interface Connected {
  readonly all: number
  /** Connections that were begun in any second, at most. */
  readonly busiestSecond: number
  /** When the last instance was connected of half of the small organizations, of all of them, and of the large one. */
  readonly smallHalf: number
  readonly smallAll: number
  readonly large: number
}

/** Simulates how nodes connect instances that all want a connection at the same moment. Each connects at once when it may. */
export function connectAll(placed: readonly (readonly Placed[])[], rate: Rate, large: string): Connected {
  const time = new SimulatedTime()
  const times: number[] = []
  const ended = new Map<string, number>()
  for (const instances of placed) {
    const admission = new Admission(rate, { ...time, nodes: () => placed.length })
    for (const instance of instances)
      admission.ask(instance, () => {
        const now = time.clock.now() / 1_000
        times.push(now)
        ended.set(instance.organization_id, now)
      })
  }
  time.pass()
  const small = [...ended].filter(([organization]) => organization !== large)
  const ends = small.map(([, end]) => end).sort((one, other) => one - other)
  return {
    all: times.at(-1) ?? 0,
    busiestSecond: busiestWithin(times, 1),
    smallHalf: quantile(ends, 0.5),
    smallAll: ends.at(-1) ?? 0,
    large: ended.get(large) ?? 0,
  }
}

/** The most of some times, in order, that lie within a length, its end not included. */
function busiestWithin(times: readonly number[], length: number): number {
  let most = 0
  let first = 0
  for (const [index, time] of times.entries()) {
    while ((times[first] as number) <= time - length) first++
    most = Math.max(most, index - first + 1)
  }
  return most
}
