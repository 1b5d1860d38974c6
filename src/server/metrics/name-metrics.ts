import { Counter, Gauge, type Registry } from 'prom-client'
import type { MetricsSources } from './sources.ts'

/** Measures the look-ups of names that other parties chose. */
export function measureNames(registry: Registry, read: MetricsSources['nameLookUps']): void {
  new Gauge({
    name: 'posthorn_name_lookups',
    help: 'Look-ups of host names for organizations, by state: running, waiting.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { underway, waiting } = read()
      this.set({ state: 'running' }, underway)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  new Counter({
    name: 'posthorn_name_lookups_refused_total',
    help: 'Look-ups of host names that were refused because too many of the same organization were waiting.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(read().refused)
    },
  })
}
