import { Gauge, type Registry } from 'prom-client'
import type { MetricsSources } from './sources.ts'

/** Measures the node that this process runs, and the others that it sees. */
export function measureNodes(registry: Registry, read: MetricsSources['nodes']): void {
  const gauges = [
    {
      name: 'posthorn_node_trusted',
      help: '1 if this node may write and send; 0 if other nodes may have taken over what it does.',
      part: 'trusted',
    },
    {
      name: 'posthorn_node_duties',
      help: 'Parts of the work for all that this node does, of 65.',
      part: 'duties',
    },
    {
      name: 'posthorn_nodes_running',
      help: 'Nodes that run on the store, as this node sees them.',
      part: 'running',
    },
  ] as const
  for (const { name, help, part } of gauges)
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read()[part])
      },
    })
}
