import { Counter, Histogram, type Registry } from 'prom-client'
import { instanceReasons } from '../../contract/codes.ts'
import { settledCounts } from '../../events/statistics/counts.ts'
import type { NetworkSteps } from '../../events/statistics/network-steps.ts'
import type { Networks } from '../../networks/driver/registry.ts'

/** Seconds at which the buckets of latencies end: networks take from a tenth of a second to as long as a phone is off. */
const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 43_200]

/** Counts messages and ends of connections, by network. The labels are those that the networks of this build declare. */
export class NetworkMetrics {
  readonly #disconnects: Counter<'network' | 'reason'>
  readonly #reasons = new Map<string, ReadonlySet<string>>()
  /** The counters and histograms of each network, found once. */
  readonly #steps = new Map<string, ReturnType<typeof boundTo>>()

  constructor(registry: Registry) {
    this.#disconnects = new Counter({
      name: 'posthorn_instance_disconnects_total',
      help: 'Times that an instance was connected and ceased to be, by network and reason.',
      labelNames: ['network', 'reason'],
      registers: [registry],
    })
    this.#made = makeSteps(registry)
  }

  readonly #made: ReturnType<typeof makeSteps>

  /** Begins every series of these networks at zero, so that the first event of each is seen as an increase. */
  begin(networks: Networks): void {
    for (const [network, { reasons }] of networks) {
      this.#reasons.set(network, new Set([...Object.keys(instanceReasons), ...Object.keys(reasons)]))
      this.#steps.set(network, boundTo(this.#made, network))
    }
  }

  /** Counts steps of messages. Those of a network that this build does not have are left out. */
  stepped(steps: readonly NetworkSteps[]): void {
    for (const { network, settled, toSent, toDelivered } of steps) {
      const own = this.#steps.get(network)
      if (!own) continue
      for (const status of settledCounts) {
        const count = settled[status]
        if (count !== undefined) own.settled[status].inc(count)
      }
      for (const milliseconds of toSent) own.toSent.observe(Math.max(0, milliseconds) / 1000)
      for (const milliseconds of toDelivered) own.toDelivered.observe(Math.max(0, milliseconds) / 1000)
    }
  }

  /** Counts the end of a connection. A reason that nothing declares counts as `other`. */
  disconnected(network: string, code: string | undefined): void {
    const reason = code !== undefined && this.#reasons.get(network)?.has(code) ? code : 'other'
    this.#disconnects.inc({ network, reason })
  }
}

function makeSteps(registry: Registry) {
  return {
    settled: new Counter({
      name: 'posthorn_messages_settled_total',
      help: 'Messages that left the queue, by network and status: sent, failed, expired, canceled, unknown. One whose status is corrected later, such as one that the network returned, counts again with the new one.',
      labelNames: ['network', 'status'],
      registers: [registry],
    }),
    toSent: new Histogram({
      name: 'posthorn_message_sent_seconds',
      help: 'Seconds from when a message was accepted, or scheduled for, until its network had it.',
      labelNames: ['network'],
      buckets,
      registers: [registry],
    }),
    toDelivered: new Histogram({
      name: 'posthorn_message_delivered_seconds',
      help: 'Seconds from when a message was accepted, or scheduled for, until it was delivered.',
      labelNames: ['network'],
      buckets,
      registers: [registry],
    }),
  }
}

function boundTo({ settled, toSent, toDelivered }: ReturnType<typeof makeSteps>, network: string) {
  const ofStatus = (status: (typeof settledCounts)[number]) => {
    const counter = settled.labels({ network, status })
    counter.inc(0)
    return counter
  }
  toSent.zero({ network })
  toDelivered.zero({ network })
  return {
    settled: {
      sent: ofStatus('sent'),
      failed: ofStatus('failed'),
      expired: ofStatus('expired'),
      canceled: ofStatus('canceled'),
      unknown: ofStatus('unknown'),
    },
    toSent: toSent.labels({ network }),
    toDelivered: toDelivered.labels({ network }),
  }
}
