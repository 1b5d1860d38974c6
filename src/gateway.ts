import { join } from 'node:path'
import { openapi } from './contract/openapi.ts'
import { type FirstStart, firstStart, openSeal, operatorToken } from './first-start.ts'
import { InstanceSecrets } from './instances/credentials.ts'
import { instanceHandlers } from './instances/operations/index.ts'
import { Supervisor } from './instances/supervisor.ts'
import { readQueueTotals } from './messages/message-store.ts'
import { messageHandlers } from './messages/operations/index.ts'
import { Senders } from './messages/sender.ts'
import type { Driver } from './networks/driver.ts'
import { networksOf } from './networks/registry.ts'
import { sandbox } from './networks/sandbox/driver.ts'
import { settingsSchema } from './networks/settings.ts'
import { xmpp } from './networks/xmpp/driver.ts'
import { forgetReplies } from './organizations/idempotency.ts'
import { KeyRing } from './organizations/key-ring.ts'
import { hasOrganizations } from './organizations/organization-store.ts'
import { Alarms } from './runtime/alarms.ts'
import { Changes } from './runtime/changes.ts'
import { systemClock } from './runtime/clock.ts'
import { type Config, ConfigError } from './runtime/config.ts'
import type { Log } from './runtime/log.ts'
import { Authentication } from './server/authenticate.ts'
import { Metrics } from './server/metrics.ts'
import { RateLimit } from './server/rate-limit.ts'
import { buildServer } from './server/server.ts'
import { type Readiness, serviceHandlers } from './server/service-handlers.ts'
import { lockDataFolder, type ServerLock } from './store/server-lock.ts'
import { openSqliteStore } from './store/sqlite.ts'
import type { Store } from './store/store.ts'
import { storeFunctions } from './transactions.ts'
import { version } from './version.ts'

/** A running server. */
export interface Gateway {
  /** Where it listens. */
  readonly url: string
  readonly defaultNetwork: string
  readonly firstStart: FirstStart | undefined
  /** Finishes what is accepted and under way, closes connections without logging out, and lets go of the data folder. */
  stop(): Promise<void>
}

/** The networks that this build speaks. */
export function drivers(config: Config): Driver[] {
  const transcript = config.POSTHORN_SANDBOX_TRANSCRIPT
  return [sandbox(transcript === undefined ? {} : { transcript }), xmpp()]
}

/** The store that the configuration names. */
export async function openStore(config: Config): Promise<Store> {
  if (config.POSTHORN_DATABASE_URL !== undefined) {
    const { openPostgresStore } = await import('./store/postgres.ts')
    return openPostgresStore({ url: config.POSTHORN_DATABASE_URL, functions: storeFunctions })
  }
  const file = join(config.POSTHORN_DATA, 'posthorn.db')
  return openSqliteStore({ file, thread: new URL('./store-thread.ts', import.meta.url) })
}

/** Starts a server. Rejects, with a sentence for the operator, when it cannot; nothing is left behind then. */
export async function openGateway(config: Config, log: Log): Promise<Gateway> {
  const lock = lockDataFolder(config.POSTHORN_DATA)
  let store: Store | undefined
  try {
    store = await openStore(config)
    return await compose(config, log, lock, store)
  } catch (error) {
    await store?.close()
    lock.release()
    throw error
  }
}

/** Puts the parts together: values passed down, nothing global. */
async function compose(config: Config, log: Log, lock: ServerLock, store: Store): Promise<Gateway> {
  const clock = systemClock
  const seal = await openSeal(store, config)
  const first = await firstStart(store, config, clock.now())
  const networks = networksOf(drivers(config))
  const defaultNetwork = config.POSTHORN_DEFAULT_NETWORK
  if (!networks.has(defaultNetwork)) {
    throw new ConfigError(`POSTHORN_DEFAULT_NETWORK must be one of ${[...networks.keys()].join(', ')}`)
  }
  const alarms = new Alarms(clock)
  const stopping = new AbortController()
  const messageChanges = new Changes()
  const changes = new Changes()
  const secrets = new InstanceSecrets(seal)
  let readiness: Readiness = 'starting'

  const metrics = new Metrics({
    instancesByStatus: () => supervisor.countByStatus(),
    async queue() {
      const { depth, oldestAt } = await store.read(readQueueTotals, null)
      return { depth, oldestAgeSeconds: oldestAt === null ? 0 : (clock.now() - oldestAt) / 1000 }
    },
  })
  store.onCommit = (transactions) => metrics.committed(transactions)
  const supervisor = new Supervisor({
    store,
    clock,
    alarms,
    random: Math.random,
    log,
    messageChanges,
    onVerdict: (verdict) => metrics.attempted(verdict),
    secrets,
    changes,
    networks,
    connectRate: config.POSTHORN_CONNECT_RATE,
  })
  const instanceLimit = config.POSTHORN_INSTANCE_LIMIT ?? null
  const handlers = [
    ...instanceHandlers({
      store,
      clock,
      networks,
      defaultNetwork,
      instanceLimit,
      secrets,
      supervisor,
      changes,
    }),
    ...messageHandlers({
      store,
      clock,
      senders: new Senders(store, networks),
      queueLimit: config.POSTHORN_QUEUE_LIMIT ?? null,
      messageChanges,
      wake: (instanceId) => supervisor.wake(instanceId),
      onAccepted: (seconds) => metrics.accepted(seconds),
    }),
    ...serviceHandlers({
      openapi: describe(config, [...networks.values()]),
      metrics,
      readiness: async () => (readiness === 'ok' ? probeStore(store) : readiness),
    }),
  ]
  const rate = config.POSTHORN_RATE_LIMIT
  const server = buildServer({
    handlers,
    authentication: new Authentication(new KeyRing(store, clock), operatorToken(config)),
    rateLimit: rate && new RateLimit(rate, clock),
    metrics,
    clock,
    alarms,
    log,
    stopping: stopping.signal,
    maxConnections: config.POSTHORN_MAX_CONNECTIONS,
  })
  const url = await server.listen({ host: config.POSTHORN_LISTEN.host, port: config.POSTHORN_LISTEN.port })
  await supervisor.begin()
  readiness = 'ok'
  forgetOldReplies(store, alarms, config.POSTHORN_IDEMPOTENCY_HOURS, log)

  return {
    url,
    defaultNetwork,
    firstStart: first,
    async stop() {
      readiness = 'stopping'
      stopping.abort()
      const deadline = AbortSignal.timeout(config.POSTHORN_STOP_SECONDS * 1000)
      await server.close()
      await supervisor.end(deadline)
      alarms.stop()
      await store.close()
      lock.release()
    },
  }
}

function describe(config: Config, networks: readonly Driver[]): Record<string, unknown> {
  const described = networks.map((driver) => ({
    network: driver.network,
    title: driver.title,
    description: driver.description,
    settings: settingsSchema(driver),
    credentials: driver.credentials,
    limits: driver.limits,
  }))
  const baseUrl = config.POSTHORN_BASE_URL
  const document = openapi({ version, ...(baseUrl === undefined ? {} : { baseUrl }), networks: described })
  return document as unknown as Record<string, unknown>
}

async function probeStore(store: Store): Promise<Readiness> {
  try {
    await store.read(hasOrganizations, null)
    return 'ok'
  } catch {
    return 'store_unavailable'
  }
}

const hour = 60 * 60_000
const forgottenAtOnce = 1_000

/** Forgets idempotency keys whose time is over, a few at a time, so that accepting messages never waits for it. */
function forgetOldReplies(store: Store, alarms: Alarms, hours: number, log: Log): void {
  const forget = async () => {
    let delay = hour
    try {
      const before = systemClock.now() - hours * hour
      const forgotten = await store.transact(forgetReplies, { before, limit: forgottenAtOnce })
      if (forgotten === forgottenAtOnce) delay = 1_000
    } catch (error) {
      log.error({ err: error }, 'old idempotency keys could not be forgotten')
    }
    alarms.in(delay, () => void forget())
  }
  alarms.in(60_000, () => void forget())
}
