import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { instanceStatuses, type QuotaName, quotaNames } from '../../contract/statuses.ts'
import type { DeliveryVerdict } from '../../events/delivery/attempt/retry-schedule.ts'
import type { NetworkSteps } from '../../events/statistics/network-steps.ts'
import type { Verdict } from '../../messages/outbox/queue/verdict.ts'
import type { Tally } from '../../runtime/counts.ts'
import type { BudgetScope } from '../../runtime/limits/byte-budget.ts'
import type { ReachedRate } from '../../runtime/limits/share.ts'
import type { Cut } from '../connections/connections.ts'
import { atOnce } from './at-once.ts'
import { measureNames } from './name-metrics.ts'
import { NetworkMetrics } from './network-metrics.ts'
import { measureNodes } from './node-metrics.ts'
import { measureService } from './service-metrics.ts'
import type { MetricsSources } from './sources.ts'
import { measureWebhooks } from './webhook-metrics.ts'

/** The outcome of a callback: first when it comes, then, if it was kept, when it is handled. */
type CallbackResult =
  | 'kept'
  | 'answered'
  | 'refused'
  | 'unknown'
  | 'gone'
  | 'full'
  | 'unreadable'
  | 'unclaimed'
  | 'repeated'
  | 'handled'
  | 'again'
  | 'skipped'

/** The metrics of this process, in their own registry. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new Counter({
    name: 'posthorn_http_requests_total',
    help: 'Responses, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [this.#registry],
  })
  readonly #duration = new Histogram({
    name: 'posthorn_http_request_seconds',
    help: 'Seconds from the request to its response, by operation; streams and files are not counted.',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [this.#registry],
  })
  readonly #accept = new Histogram({
    name: 'posthorn_message_accept_seconds',
    help: 'Seconds until a message was accepted and on disk, excluding the time spent waiting for the caller.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [this.#registry],
  })
  readonly #commits = new Histogram({
    name: 'posthorn_store_commit_transactions',
    help: 'Transactions that shared one commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers: [this.#registry],
  })
  readonly #attempts = new Counter({
    name: 'posthorn_message_attempts_total',
    help: 'Attempts to send a message to its network, by result: sent, failed, unknown, again.',
    labelNames: ['outcome'],
    registers: [this.#registry],
  })
  readonly #deliveries = new Counter({
    name: 'posthorn_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook, by result: delivered, again, split, failed, gone.',
    labelNames: ['outcome'],
    registers: [this.#registry],
  })
  readonly #endedConnections = new Counter({
    name: 'posthorn_connections_over_memory_total',
    help: 'Connections to networks that were closed because of a memory limit, by limit: connection, organization, server.',
    labelNames: ['limit'],
    registers: [this.#registry],
  })
  readonly #reachedRates = new Counter({
    name: 'posthorn_organization_rates_reached_total',
    help: 'Times that the connections of an organization were slowed down because it received more than its rate, by rate: stanzas, bytes, messages.',
    labelNames: ['limit'],
    registers: [this.#registry],
  })
  readonly #cuts = new Counter({
    name: 'posthorn_http_connections_cut_total',
    help: 'Connections of callers that the server closed, by reason: address_limit, full, lingering, stalled.',
    labelNames: ['reason'],
    registers: [this.#registry],
  })
  readonly #refusals = new Counter({
    name: 'posthorn_quota_refusals_total',
    help: 'Requests, files and messages that were refused because of a quota.',
    labelNames: ['quota'],
    registers: [this.#registry],
  })
  readonly #refusedResponses = new Counter({
    name: 'posthorn_answers_refused_total',
    help: 'Requests that were refused because their callers do not read the responses that they requested.',
    registers: [this.#registry],
  })
  readonly #callbacks = new Counter({
    name: 'posthorn_callbacks_total',
    help: 'Callbacks of networks, by result: kept, answered, refused, unknown, gone, full, unreadable, and, at the URL of the operator, unclaimed and repeated; and later handled, again, skipped.',
    labelNames: ['result'],
    registers: [this.#registry],
  })
  readonly #leftOut = new Counter({
    name: 'posthorn_log_answers_left_out_total',
    help: 'Responses that were not logged, because there were too many lines about the same organization or about callers without a key.',
    registers: [this.#registry],
  })

  readonly #networks = new NetworkMetrics(this.#registry)

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

  /** Adds the gauges. Called once, when the parts are made that they are read from; most of these count here themselves. */
  measure(sources: MetricsSources): void {
    new Gauge({
      name: 'posthorn_instances',
      help: 'Instances that this process runs, by status.',
      labelNames: ['status'],
      registers: [this.#registry],
      collect() {
        const counts = sources.instancesByStatus()
        for (const status of instanceStatuses) this.set({ status }, counts.get(status) ?? 0)
      },
    })
    new Gauge({
      name: 'posthorn_webhook_attempts_underway',
      help: 'Attempts to deliver an event to a webhook that are in progress.',
      registers: [this.#registry],
      collect() {
        this.set(sources.webhookAttempts())
      },
    })
    new Gauge({
      name: 'posthorn_store_calls_waiting',
      help: 'Calls of the store that wait, by kind. Organizations are scheduled fairly.',
      labelNames: ['kind'],
      registers: [this.#registry],
      collect() {
        for (const [kind, count] of Object.entries(sources.storeWaiting())) this.set({ kind }, count)
      },
    })
    new Gauge({
      name: 'posthorn_connection_memory_bytes',
      help: 'Bytes held in memory that were received from networks or wait to be sent to them.',
      registers: [this.#registry],
      collect() {
        this.set(sources.connectionMemory())
      },
    })
    for (const { counts } of sources.networks.values())
      for (const own of counts ?? []) this.#measureCounts(own)
    this.#measureCallers(sources)
    this.#measureFiles(sources)
    measureNames(this.#registry, () => sources.nameLookUps())
    measureNodes(this.#registry, () => sources.nodes())
    this.#measureQueue(sources)
    this.#measureUsage(sources)
    measureWebhooks(this.#registry, sources)
    measureService(this.#registry, sources)
    this.#networks.begin(sources.networks)
    this.#measureCallbacks(sources)
  }

  #measureCallers(sources: MetricsSources): void {
    new Gauge({
      name: 'posthorn_http_connections',
      help: 'Connections of callers: with_key once a valid key was sent, without_key before. Lingering connections, counted in both, got their last response but still send.',
      labelNames: ['state'],
      registers: [this.#registry],
      collect() {
        const { withKey, withoutKey, lingering } = sources.connections()
        this.set({ state: 'with_key' }, withKey)
        this.set({ state: 'without_key' }, withoutKey)
        this.set({ state: 'lingering' }, lingering)
      },
    })
    new Gauge({
      name: 'posthorn_answer_bytes',
      help: 'Bytes of responses that callers requested and have not read yet, with_key and without_key.',
      labelNames: ['callers'],
      registers: [this.#registry],
      collect() {
        const { withKey, withoutKey } = sources.responses()
        this.set({ callers: 'with_key' }, withKey)
        this.set({ callers: 'without_key' }, withoutKey)
      },
    })
    new Gauge({
      name: 'posthorn_answers_waiting',
      help: 'Requests that wait until other responses of their organization or address are read.',
      registers: [this.#registry],
      collect() {
        this.set(sources.responses().waiting)
      },
    })
  }

  #measureCounts(counts: Tally): void {
    const { name, help, label } = counts.options
    new Counter({
      name: `posthorn_${name}`,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const [value, count] of counts.entries()) this.inc({ [label]: value }, count)
      },
    })
  }

  #measureCallbacks(sources: MetricsSources): void {
    const read = atOnce(() => sources.callbacks())
    new Gauge({
      name: 'posthorn_callbacks_waiting',
      help: 'Callbacks of networks that are stored and not handled yet.',
      registers: [this.#registry],
      async collect() {
        this.set((await read()).count)
      },
    })
    new Gauge({
      name: 'posthorn_callbacks_waiting_bytes',
      help: 'Bytes of these callbacks.',
      registers: [this.#registry],
      async collect() {
        this.set((await read()).bytes)
      },
    })
  }

  #measureFiles(sources: MetricsSources): void {
    new Gauge({
      name: 'posthorn_file_fetches_underway',
      help: 'Files that are being fetched from their URLs, by direction of the message: sent, received.',
      labelNames: ['direction'],
      registers: [this.#registry],
      collect() {
        for (const [direction, count] of Object.entries(sources.fileFetches())) this.set({ direction }, count)
      },
    })
    new Gauge({
      name: 'posthorn_voice_conversions',
      help: 'Voice notes that are being converted or wait for conversion, by state: running, waiting.',
      labelNames: ['state'],
      registers: [this.#registry],
      collect() {
        for (const [state, count] of Object.entries(sources.voiceConversions())) this.set({ state }, count)
      },
    })
  }

  #measureQueue(sources: MetricsSources): void {
    const read = atOnce(() => sources.queue())
    new Gauge({
      name: 'posthorn_queue_depth',
      help: 'Unsettled messages of all instances.',
      registers: [this.#registry],
      async collect() {
        this.set((await read()).depth)
      },
    })
    new Gauge({
      name: 'posthorn_messages_held',
      help: 'Unsettled messages that are held until the operator decides, because the store was restored from a backup.',
      registers: [this.#registry],
      async collect() {
        this.set((await read()).held)
      },
    })
    new Gauge({
      name: 'posthorn_queue_overdue_seconds',
      help: 'Seconds for which the oldest message of a connected instance is due and not settled; 0 if there is none. Messages that are held, or wait for a file or for another message, do not count.',
      registers: [this.#registry],
      async collect() {
        this.set((await read()).overdueSeconds)
      },
    })
    new Gauge({
      name: 'posthorn_queue_oldest_age_seconds',
      help: 'Seconds since the oldest unsettled message was accepted; 0 if there is none.',
      registers: [this.#registry],
      async collect() {
        this.set((await read()).oldestAgeSeconds)
      },
    })
  }

  #measureUsage(sources: MetricsSources): void {
    const read = atOnce(() => sources.usage())
    const gauges = [
      {
        name: 'posthorn_quota_used',
        help: 'Usage of all organizations together, by quota: bytes of files and of messages, unsettled messages, incoming messages, waiting callbacks and their bytes.',
        part: 'totals',
      },
      {
        name: 'posthorn_quota_exhausted_organizations',
        help: 'Organizations that have used up a quota.',
        part: 'exhausted',
      },
    ] as const
    for (const { name, help, part } of gauges) {
      new Gauge({
        name,
        help,
        labelNames: ['quota'],
        registers: [this.#registry],
        async collect() {
          const counts = (await read())[part]
          for (const quota of quotaNames) this.set({ quota }, counts[quota])
        },
      })
    }
  }

  /** Called for every response; without seconds for a stream or a file, because the caller determines how long that takes. */
  responded(operation: string, status: number, seconds: number | undefined): void {
    this.#requests.inc({ operation, status })
    if (seconds !== undefined) this.#duration.observe({ operation }, seconds)
  }

  countCallbacks(result: CallbackResult, count = 1): void {
    this.#callbacks.inc({ result }, count)
  }

  leftOutOfLog(): void {
    this.#leftOut.inc()
  }

  refusedResponse(): void {
    this.#refusedResponses.inc()
  }

  cutConnection(reason: Cut): void {
    this.#cuts.inc({ reason })
  }

  accepted(seconds: number): void {
    this.#accept.observe(seconds)
  }

  committed(transactions: number): void {
    this.#commits.observe(transactions)
  }

  refused(quota: QuotaName, count: number): void {
    this.#refusals.inc({ quota }, count)
  }

  attempted(verdict: Verdict): void {
    this.#attempts.inc({ outcome: verdict.kind })
  }

  stepped(steps: readonly NetworkSteps[]): void {
    this.#networks.stepped(steps)
  }

  disconnected(network: string, reason: string | undefined): void {
    this.#networks.disconnected(network, reason)
  }

  attemptedDelivery(verdict: DeliveryVerdict): void {
    this.#deliveries.inc({ outcome: verdict.kind })
  }

  endedConnection(limit: BudgetScope): void {
    this.#endedConnections.inc({ limit })
  }

  reachedRate(limit: ReachedRate['limit']): void {
    this.#reachedRates.inc({ limit })
  }

  /** All metrics in the Prometheus text format. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }
}
