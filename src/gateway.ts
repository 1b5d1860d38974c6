import { join } from 'node:path'
import { compose } from './composition.ts'
import { type FirstStart, firstStart } from './first-start.ts'
import { forgetOldReplies } from './housekeeping.ts'
import type { Driver } from './networks/driver.ts'
import { type Networks, networksOf } from './networks/registry.ts'
import { sandbox } from './networks/sandbox/driver.ts'
import { xmpp } from './networks/xmpp/driver.ts'
import { systemClock } from './runtime/clock.ts'
import type { Config } from './runtime/config.ts'
import { newId } from './runtime/ids.ts'
import type { Log } from './runtime/log.ts'
import { outboundGuard } from './runtime/outbound-guard.ts'
import { readSecretFile, writeSecretFile } from './runtime/secret-file.ts'
import type { Readiness } from './server/service-handlers.ts'
import { holdLease, type ServerLease } from './store/server-lease.ts'
import { lockDataFolder } from './store/server-lock.ts'
import { openSqliteStore } from './store/sqlite.ts'
import type { Store } from './store/store.ts'
import { storeFunctions } from './transactions.ts'

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
  const guard = outboundGuard(config.POSTHORN_CONNECT_ALLOW_CIDRS)
  return [sandbox(transcript === undefined ? {} : { transcript }), xmpp({ guard })]
}

/** The store that the configuration names. */
export async function openStore(config: Config): Promise<Store> {
  if (config.POSTHORN_DATABASE_URL !== undefined) {
    const { openPostgresStore } = await import('./store/postgres.ts')
    return openPostgresStore({ url: config.POSTHORN_DATABASE_URL, functions: storeFunctions })
  }
  const file = join(config.POSTHORN_DATA, 'posthorn.db')
  return openSqliteStore({ file, thread: new URL('./store-thread.js', import.meta.url) })
}

export interface GatewayOptions {
  /** Instead of the drivers of this build. */
  readonly networks?: readonly Driver[]
  /** Called when another server may own the store from now on: this one must end at once, whatever is under way. */
  readonly onLeaseLost: () => void
}

/** Starts a server. Rejects, with a sentence for the operator, when it cannot; nothing is left behind then. */
export async function openGateway(config: Config, log: Log, options: GatewayOptions): Promise<Gateway> {
  const networks = networksOf(options.networks ?? drivers(config))
  const lock = lockDataFolder(config.POSTHORN_DATA)
  let store: Store | undefined
  let lease: ServerLease | undefined
  const letGo = async () => {
    await lease?.release()
    await store?.close()
    lock.release()
  }
  try {
    store = await openStore(config)
    // The embedded store is in the data folder, which is locked already.
    if (store.dialect === 'postgres') {
      const node = nodeId(config.POSTHORN_DATA)
      lease = await holdLease(store, { node, clock: systemClock, onLost: options.onLeaseLost })
    }
    return await begin(config, log, { store, networks, letGo })
  } catch (error) {
    await letGo()
    throw error
  }
}

/** The name of this server among those that may share a store: it goes with the data folder. */
function nodeId(folder: string): string {
  const file = join(folder, 'node.id')
  const known = readSecretFile(file)
  if (known) return known
  const fresh = newId('node')
  writeSecretFile(file, fresh)
  return fresh
}

interface Parts {
  readonly store: Store
  readonly networks: Networks
  /** Gives back the store and the data folder. */
  readonly letGo: () => Promise<void>
}

async function begin(config: Config, log: Log, { store, networks, letGo }: Parts): Promise<Gateway> {
  const stopping = new AbortController()
  let readiness: Readiness = 'starting'
  const state = { readiness: () => readiness, stopping: stopping.signal }
  const { alarms, supervisor, server } = await compose(config, log, { store, networks }, state)
  const first = await firstStart(store, config, systemClock.now())
  await supervisor.takeOver()
  const url = await server.listen({ host: config.POSTHORN_LISTEN.host, port: config.POSTHORN_LISTEN.port })
  supervisor.begin()
  readiness = 'ok'
  forgetOldReplies(store, alarms, config.POSTHORN_IDEMPOTENCY_HOURS, log)
  return {
    url,
    defaultNetwork: config.POSTHORN_DEFAULT_NETWORK,
    firstStart: first,
    async stop() {
      readiness = 'stopping'
      stopping.abort()
      const deadline = AbortSignal.timeout(config.POSTHORN_STOP_SECONDS * 1000)
      await server.close()
      await supervisor.end(deadline)
      alarms.stop()
      await letGo()
    },
  }
}
