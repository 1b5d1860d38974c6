import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Readiness } from '../contract/operations/service-operations.ts'
import type { TakenOver } from '../instances/lifecycle/supervisor.ts'
import { type Media, openMedia } from '../media/media.ts'
import { NameResolver } from '../net/resolve/names.ts'
import type { Driver } from '../networks/driver/driver.ts'
import { type Networks, networksOf } from '../networks/driver/registry.ts'
import { makeDrivers } from '../networks/drivers.ts'
import { findAdminKey } from '../organizations/session-store.ts'
import { makeSignInLink } from '../organizations/sign-in-link.ts'
import { systemClock } from '../runtime/clock.ts'
import type { Config } from '../runtime/config/config.ts'
import { localUrl } from '../runtime/config/listening.ts'
import { readSecretFile, writeSecretFile } from '../runtime/config/secret-file.ts'
import { forgetServerUrl, keepServerUrl } from '../runtime/config/server-url.ts'
import { newId } from '../runtime/ids.ts'
import type { Log } from '../runtime/log.ts'
import { releaseAll } from '../runtime/release.ts'
import { holdLease, type ServerLease } from '../store/server-lease.ts'
import { lockDataFolder } from '../store/server-lock.ts'
import type { SharedStore, Store, StoreFailure, StoreForAll } from '../store/store.ts'
import { TurnsOf } from '../store/turns-of.ts'
import { WatchedStore } from '../store/watched-store.ts'
import { followClock, setBackWhileStopped } from './clock-steps.ts'
import { type FirstStart, firstStart, keptSeal } from './first-start.ts'
import { scheduleHousekeeping } from './housekeeping.ts'
import { openEmbeddedStore, openSharedStore } from './open-store.ts'
import { checkPosition, recordPosition, refuseMissingDatabase } from './store-position.ts'
import { type Composition, compose, type SharedCallback } from './wiring.ts'

/** A running server. */
export interface Gateway {
  /** URL at which this machine reaches the server. */
  readonly url: string
  readonly takenOver: TakenOver
  readonly firstStart: FirstStart | undefined
  readonly networks: Networks
  /** Callback URLs that a network uses for many instances. */
  readonly sharedCallbacks: readonly SharedCallback[]
  /** A new link that signs one browser in to the console, with the admin key of the only organization; undefined if there is none. */
  signInLink(): Promise<string | undefined>
  /** Finishes what is accepted and under way, closes connections without logging out, and releases the data folder. */
  stop(): Promise<void>
}

export interface GatewayOptions {
  /** Instead of the drivers of this build. */
  readonly networks?: readonly Driver[]
  /** Called when another server has taken the store over: this one must end at once, even with work under way. */
  readonly onReplaced: () => void
  /** Called when the store is lost for good, as when its thread has died: this server had better end at once. */
  readonly onStoreLost: (cause: Error) => void
  /** The operator says that the store went back to a backup, as a snapshot of the whole disk does unnoticed. */
  readonly restored?: boolean
}

/** Starts a server. Rejects, with a sentence for the operator, when it cannot; nothing is left behind then. */
export async function openGateway(config: Config, log: Log, options: GatewayOptions): Promise<Gateway> {
  const names = new NameResolver({ servers: config.POSTHORN_NAME_SERVERS })
  const networks = networksOf(options.networks ?? (await makeDrivers(config, names)))
  const lock = lockDataFolder(config.POSTHORN_DATA)
  let store: StoreForAll | undefined
  let media: Media | undefined
  let lease: ServerLease | undefined
  const releaseResources = () =>
    releaseAll([() => media?.close(), () => lease?.release(), () => store?.close(), () => lock.release()])
  try {
    const { POSTHORN_DATABASE_URL: url, POSTHORN_READ_CONCURRENCY: readsPerParty } = config
    if (url === undefined) {
      refuseMissingDatabase(config)
      // It is in the data folder, which is locked already.
      store = await openEmbeddedStore(config.POSTHORN_DATA, { alone: true, readsPerParty })
      await keptSeal(new TurnsOf(store, 'start'), config)
    } else {
      const shared: SharedStore = await openSharedStore(url, { readsPerParty })
      store = shared
      // A server that will not start takes no database from one that may come back, and empties no folder.
      await keptSeal(new TurnsOf(shared, 'start'), config)
      const node = nodeId(config.POSTHORN_DATA)
      lease = await holdLease(shared, { node, clock: systemClock, log, onTaken: options.onReplaced })
      store = lease.store
    }
    const watched = new WatchedStore(store, systemClock)
    watched.onLost = options.onStoreLost
    const setBack = setBackWhileStopped(config.POSTHORN_DATA)
    await checkPosition(new TurnsOf(watched, 'start'), config, { restored: options.restored ?? false, log })
    media = await openMedia(config, watched, systemClock)
    return await begin(config, log, {
      store: watched,
      lease,
      media,
      networks,
      names,
      setBack,
      releaseResources,
    })
  } catch (error) {
    await releaseResources().catch((err) => log.error({ err }, 'could not release all resources'))
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

const readinessIn: Readonly<Record<StoreFailure, Readiness>> = {
  away: 'store_unavailable',
  full: 'storage_full',
  corrupt: 'store_corrupt',
  replaced: 'store_replaced',
}

interface Parts {
  readonly store: WatchedStore
  /** The lease of a store that other servers could run on; undefined for any other store. */
  readonly lease: ServerLease | undefined
  readonly media: Media
  readonly networks: Networks
  readonly names: NameResolver
  /** Milliseconds by which the clock was set back before the start. */
  readonly setBack: number
  /** Gives back the store and the data folder. */
  readonly releaseResources: () => Promise<void>
}

async function begin(config: Config, log: Log, parts: Parts): Promise<Gateway> {
  const { store, lease, media, networks, names, releaseResources } = parts
  forgetServerUrl(config.POSTHORN_DATA)
  const stopping = new AbortController()
  let phase: Readiness = 'starting'
  const readiness = async (): Promise<Readiness> => {
    if (phase !== 'ok') return phase
    if (lease?.trusted === false) return 'store_unavailable'
    const failure = await store.failure()
    return failure === null ? 'ok' : readinessIn[failure]
  }
  const state = { readiness, stopping: stopping.signal }
  const composition = await compose(config, log, { store, media, networks, names }, state)
  const { alarms, supervisor, fileFetchers, deliverer, eventCounter, server, http, sharedCallbacks } =
    composition
  const takenOver = await supervisor.takeOver()
  await server.listen({ ...config.POSTHORN_LISTEN })
  const { port } = server.server.address() as AddressInfo
  // Not before it listens: a port that is taken must not use up the first start, whose key is shown this once.
  const first = await firstStart(new TurnsOf(store, 'start'), config, systemClock.now()).catch(
    async (error) => {
      await server.close()
      throw error
    },
  )
  supervisor.begin()
  for (const fetcher of Object.values(fileFetchers)) fetcher.wake()
  deliverer.begin()
  eventCounter.begin()
  phase = 'ok'
  const writePosition = recordPosition(store, config, alarms, log)
  beginHousekeeping(config, log, parts, composition)
  const url = localUrl({ ...config.POSTHORN_LISTEN, port })
  const baseUrl = config.POSTHORN_BASE_URL ?? url
  noteUrl(config, baseUrl, log)
  return {
    url,
    signInLink: () => signInLink(new TurnsOf(store, 'authentication'), baseUrl),
    takenOver,
    firstStart: first,
    networks,
    sharedCallbacks: sharedCallbacks(baseUrl),
    async stop() {
      phase = 'stopping'
      stopping.abort()
      const deadline = AbortSignal.timeout(config.POSTHORN_STOP_SECONDS * 1000)
      await releaseAll([
        () => server.close(),
        () => endAll(composition, deadline),
        () => http.close(),
        () => alarms.stop(),
        writePosition,
        releaseResources,
      ])
    },
  }
}

/** Ends what works beside the requests, and waits for all of it. */
async function endAll(
  { fileFetchers, supervisor, deliverer, eventCounter }: Composition,
  deadline: AbortSignal,
): Promise<void> {
  const ended = await Promise.allSettled([
    supervisor.end(deadline),
    deliverer.end(deadline),
    eventCounter.end(),
    ...Object.values(fileFetchers).map((fetcher) => fetcher.end()),
  ])
  for (const end of ended) if (end.status === 'rejected') throw end.reason
}

/** Tells commands on the data folder where the server is. A disk that is full must not keep it from starting. */
function noteUrl({ POSTHORN_DATA: folder }: Config, url: string, log: Log): void {
  try {
    keepServerUrl(folder, url)
  } catch (error) {
    log.warn(
      { err: error },
      'could not write server.url: `posthorn console` does not know the URL of this server',
    )
  }
}

async function signInLink(store: Store, baseUrl: string): Promise<string | undefined> {
  const now = systemClock.now()
  const key = await store.read(findAdminKey, { organization: null, now })
  return key.kind === 'key' ? makeSignInLink(store, { owner: key.id, baseUrl, now }) : undefined
}

/** Begins what is done now and then beside the requests, and keeps waits from lasting longer if the clock is set back. */
function beginHousekeeping(
  config: Config,
  log: Log,
  { store, media, setBack }: Parts,
  { alarms, wakeOrganization, ...workers }: Composition,
): void {
  const house = { store: new TurnsOf(store, 'housekeeping'), alarms, log }
  followClock(house, workers, setBack)
  scheduleHousekeeping(house, config, media.library, ({ instanceId, organizationId }) => {
    workers.supervisor.runnerOf(instanceId)?.wake()
    wakeOrganization(organizationId)
  })
}
