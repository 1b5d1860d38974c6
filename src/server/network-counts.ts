import { Counter, type Registry } from 'prom-client'
import type { Counts } from '../runtime/counts.ts'

/** Shows what a network counts as a metric. */
export function measureCounts(counts: Counts, registry: Registry): void {
  const { name, help, label } = counts.options
  new Counter({
    name: `posthorn_${name}`,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset()
      for (const [value, count] of counts.entries()) this.inc({ [label]: value }, count)
    },
  })
}
