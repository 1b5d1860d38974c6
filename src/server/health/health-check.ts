import { setTimeout } from 'node:timers/promises'
import type { Node } from '../../contract/operations/node-operations.ts'
import type { ServerHealth } from '../../contract/operations/operator/server-operations.ts'
import type { Readiness } from '../../contract/operations/service-operations.ts'
import { findPrograms } from '../../media/content/voice-note.ts'
import { mediaPlace } from '../../media/media.ts'
import type { NodeLease } from '../../nodes/node-lease.ts'
import { readNodes, renderNode } from '../../nodes/node-overview.ts'
import { type Clock, timestamp } from '../../runtime/clock.ts'
import type { Config } from '../../runtime/config/config.ts'
import { isInTheOpen } from '../../runtime/config/listening.ts'
import type { Store } from '../../store/store.ts'
import type { MetricsSources } from '../metrics/sources.ts'
import { networkFileSystemOf, openToOthers, secretFilesOf } from './folder-facts.ts'
import { findingsIn, type HiddenFacts, type Setup } from './health-findings.ts'
import { type DatabaseFacts, readDatabaseFacts } from './store-facts.ts'

/** The parts of the metrics that health shows, too. */
type SharedSources = Pick<
  MetricsSources,
  | 'build'
  | 'callbacks'
  | 'disk'
  | 'instancesByStatus'
  | 'lastBackupAt'
  | 'networks'
  | 'nodes'
  | 'queue'
  | 'storeWaiting'
  | 'usage'
  | 'webhookBacklog'
  | 'webhooks'
>

/** Sources of the health of a server. */
export interface HealthSources extends SharedSources {
  readonly config: Config
  readonly clock: Clock
  readonly store: Pick<Store, 'read'>
  readonly node: Pick<NodeLease, 'id' | 'trusted'>
  /** Milliseconds for which a node that is not seen is trusted. */
  readonly trustedFor: number
  readonly readiness: () => Promise<Readiness>
  /** Returns the seconds that the last write took that was made to try the store; null before the first. */
  readonly writeSeconds: () => number | null
}

/** Milliseconds for which what was found out is shown again, however many ask. */
const keptFor = 5_000

/** Milliseconds that all reads together may take: what is not known then is shown as such. */
const maxWait = 2_500

/** Finds out the health of this server, at most once in some seconds. */
export class HealthCheck {
  readonly #sources: HealthSources
  readonly #startedAt: number
  #last: { readonly at: number; readonly health: Promise<ServerHealth> } | undefined
  #setup: Promise<Setup> | undefined

  constructor(sources: HealthSources) {
    this.#sources = sources
    this.#startedAt = sources.clock.now() - Math.round(process.uptime() * 1000)
  }

  /** Resolves with the health of this server, which may be some seconds old. Never rejects because of the store. */
  read(): Promise<ServerHealth> {
    const at = this.#sources.clock.monotonic()
    if (this.#last && at - this.#last.at < keptFor) return this.#last.health
    const health = this.#look()
    this.#last = { at, health }
    health.catch(() => {
      this.#last = undefined
    })
    return health
  }

  async #look(): Promise<ServerHealth> {
    const { clock, build, node, storeWaiting, instancesByStatus, writeSeconds } = this.#sources
    const now = clock.now()
    const { status, hidden, database, callbacks, ...read } = await this.#read(now)
    const shown = { ...read, status, instances: Object.fromEntries(instancesByStatus()) }
    const waiting = storeWaiting()
    return {
      ...shown,
      node: node.id,
      checked_at: timestamp(now),
      findings: findingsIn(shown, hidden),
      version: build.version,
      node_version: build.node,
      started_at: timestamp(this.#startedAt),
      memory_bytes: process.memoryUsage.rss(),
      store: {
        kind: build.store === 'postgres' ? 'postgres' : 'sqlite',
        schema: database?.schema ?? null,
        bytes: database?.bytes ?? null,
        write_seconds: writeSeconds(),
        waiting_reads: waiting.read,
        waiting_writes: waiting.transaction,
      },
      waiting_callbacks: callbacks?.count ?? null,
      workers: this.#workers(),
      nodes_running: Math.max(1, this.#sources.nodes().running),
      last_backup_at: timestamp(hidden.lastBackupAt ?? null),
    }
  }

  /** Reads beside each other all that takes time. */
  async #read(now: number) {
    const { store, readiness, node } = this.#sources
    const ended = new AbortController()
    const late = setTimeout(maxWait, null, { signal: ended.signal }).catch(() => null)
    /** Resolves with null if it is not known in time. */
    const told = <R>(asked: Promise<R>) => Promise.race([asked.catch(() => null), late])
    try {
      const [status, disk, queue, backlog, webhooks, callbacks, usage, lastBackup, nodes, database, setup] =
        await Promise.all([
          told(readiness()),
          told(this.#sources.disk()),
          told(this.#sources.queue()),
          told(this.#sources.webhookBacklog()),
          told(this.#sources.webhooks()),
          told(this.#sources.callbacks()),
          told(this.#sources.usage()),
          told(this.#sources.lastBackupAt().then((at) => ({ at }))),
          told(store.read(readNodes, null)),
          told(store.read(readDatabaseFacts, null)),
          this.#known(),
        ])
      const hidden: HiddenFacts = {
        now,
        isTrusted: node.trusted,
        lastBackupAt: lastBackup?.at,
        webhooksFailingLong: webhooks?.failingLong ?? 0,
        exhaustedOrganizations: Math.max(0, ...Object.values(usage?.exhausted ?? {})),
        nodes: (nodes ?? []).map((one): Node => renderNode(one, { ...this.#sources, id: node.id })),
        clockAhead: database === null ? 0 : database.now - this.#sources.clock.now(),
        hasConfirmingStandbys: hasConfirmingStandbys(database, nodes?.length ?? 1),
        openPaths: this.#openPaths(),
        setup,
      }
      return {
        status: status ?? ('store_unavailable' as const),
        disk: disk ? { free_bytes: disk.free, size_bytes: disk.size } : null,
        queue: queue && renderQueue(queue),
        webhooks: backlog && webhooks && renderWebhooks(backlog, webhooks),
        callbacks,
        database,
        hidden,
      }
    } finally {
      ended.abort()
    }
  }

  #known(): Promise<Setup> {
    this.#setup ??= setupOf(this.#sources.config)
    return this.#setup
  }

  #openPaths(): number {
    const { config } = this.#sources
    const folder = config.POSTHORN_DATA
    return openToOthers([folder, ...secretFilesOf(config, folder)]).length
  }

  #workers(): ServerHealth['workers'] {
    return [...this.#sources.networks.values()].flatMap(({ network, workers }) =>
      workers ? [{ network, ...workers() }] : [],
    )
  }
}

const unlessNone = (seconds: number) => (seconds > 0 ? seconds : null)

function renderQueue(queue: Awaited<ReturnType<SharedSources['queue']>>): ServerHealth['queue'] {
  const { depth: messages, held, oldestAgeSeconds, overdueSeconds } = queue
  return {
    messages,
    held,
    oldest_seconds: unlessNone(oldestAgeSeconds),
    overdue_seconds: unlessNone(overdueSeconds),
  }
}

function renderWebhooks(
  { depth: pending, oldestAgeSeconds }: Awaited<ReturnType<SharedSources['webhookBacklog']>>,
  { failing, failingLong, disabled }: Awaited<ReturnType<SharedSources['webhooks']>>,
): ServerHealth['webhooks'] {
  return {
    pending,
    oldest_seconds: unlessNone(oldestAgeSeconds),
    failing: failing + failingLong,
    disabled,
  }
}

/** Commits outlive the database that made them only if a standby has them; one node alone may have none. */
function hasConfirmingStandbys(database: DatabaseFacts | null, nodes: number): boolean {
  const standbys = database?.standbys ?? null
  return standbys === null || (standbys === '' ? nodes <= 1 : !standbys.includes('*'))
}

async function setupOf(config: Config): Promise<Setup> {
  const programs = await findPrograms(process.env.PATH ?? '')
  const isShared = config.POSTHORN_DATABASE_URL !== undefined
  return {
    isInTheOpen: isInTheOpen(config),
    isOnNetworkFileSystem: !isShared && networkFileSystemOf(config.POSTHORN_DATA) !== undefined,
    keepsFilesInFolder: mediaPlace(config) === 'files',
    lacksVoicePrograms:
      programs.ffmpeg !== undefined && Object.values(programs).some((program) => program === undefined),
  }
}
