import type { AddressInfo } from 'node:net'
import type { Readiness } from '../contract/operations/service-operations.ts'
import { emptied } from '../events/event-tails.ts'
import type { TakenOver } from '../instances/lifecycle/taker.ts'
import { type Media, openMedia } from '../media/media.ts'
import { NameResolver } from '../net/resolve/names.ts'
import type { Driver } from '../networks/driver/driver.ts'
import { type Networks, networksOf } from '../networks/driver/registry.ts'
import { makeDrivers } from '../networks/drivers.ts'
import { housekeeping } from '../nodes/duties.ts'
import type { NodeLease } from '../nodes/node-lease.ts'
import type { OpenChannel } from '../nodes/other-nodes.ts'
import { findAdminKey } from '../organizations/session-store.ts'
import { makeSignInLink } from '../organizations/sign-in-link.ts'
import { systemClock } from '../runtime/clock.ts'
import type { Config } from '../runtime/config/config.ts'
import { localUrl } from '../runtime/config/listening.ts'
import { forgetServerUrls, keepServerUrls, type ServerUrls } from '../runtime/config/server-url.ts'
import type { Log } from '../runtime/log.ts'
import { releaseAll } from '../runtime/release.ts'
import { lockDataFolder } from '../store/server-lock.ts'
import type { Store, StoreFailure } from '../store/store.ts'
import { TurnsOf } from '../store/turns-of.ts'
import { WatchedStore } from '../store/watched-store.ts'
import { followClock, setBackWhileStopped } from './clock-steps.ts'
import { type FirstStart, firstStart } from './first-start.ts'
import { scheduleHousekeeping } from './housekeeping.ts'
import { beginNodes, endNodes, leaveToOthers } from './nodes.ts'
import { type OpenedNode, openNode } from './open-node.ts'
import { checkPosition, recordPosition } from './store-position.ts'
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
  /** Called, with the reason, when what this server knows is no longer true: it must end at once, even with work under way. */
  readonly onReplaced: (why: string) => void
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
  let opened: OpenedNode | undefined
  let media: Media | undefined
  const releaseResources = () =>
    releaseAll([() => media?.close(), () => opened?.close(), () => lock.release()])
  try {
    opened = await openNode(config, log, options)
    const { store, node, openChannel } = opened
    const watched = new WatchedStore(store, systemClock)
    watched.onLost = options.onStoreLost
    const setBack = setBackWhileStopped(config.POSTHORN_DATA)
    await checkPosition(new TurnsOf(watched, 'start'), config, { restored: options.restored ?? false, log })
    media = await openMedia(config, watched, systemClock)
    const parts = { store: watched, node, openChannel, media, networks, names, setBack, releaseResources }
    return await begin(config, log, parts)
  } catch (error) {
    await releaseResources().catch((err) => log.error({ err }, 'could not release all resources'))
    throw error
  }
}

const readinessIn: Readonly<Record<StoreFailure, Readiness>> = {
  away: 'store_unavailable',
  full: 'storage_full',
  corrupt: 'store_corrupt',
  replaced: 'store_replaced',
}

interface Parts {
  readonly store: WatchedStore
  /** The node that this process runs. */
  readonly node: NodeLease
  /** Opens the channel to other nodes; undefined if there can be none. */
  readonly openChannel: OpenChannel | undefined
  readonly media: Media
  readonly networks: Networks
  readonly names: NameResolver
  /** Milliseconds by which the clock was set back before the start. */
  readonly setBack: number
  /** Gives back the store and the data folder. */
  readonly releaseResources: () => Promise<void>
}

async function begin(config: Config, log: Log, parts: Parts): Promise<Gateway> {
  const { store, node, openChannel, media, networks, names, releaseResources } = parts
  forgetServerUrls(config.POSTHORN_DATA)
  const stopping = new AbortController()
  let phase: Readiness = 'starting'
  const readiness = async (): Promise<Readiness> => {
    if (phase !== 'ok') return phase
    if (!node.trusted) return 'store_unavailable'
    const failure = await store.failure()
    return failure === null ? 'ok' : readinessIn[failure]
  }
  const state = { readiness, writeSeconds: () => store.probeSeconds, stopping: stopping.signal }
  const composition = await compose(config, log, { store, node, openChannel, media, networks, names }, state)
  const { alarms, server, http, sharedCallbacks } = composition
  const began = await beginServing(composition, parts, config).catch(async (error) => {
    alarms.stop()
    await releaseAll([() => server.close(), () => endNodes(composition), () => http.close()]).catch(() => {})
    throw error
  })
  beginWorkers(composition)
  phase = 'ok'
  const writePosition = recordPosition(store, config, alarms, log)
  beginHousekeeping(config, log, parts, composition)
  const url = localUrl({ ...config.POSTHORN_LISTEN, port: began.port })
  const baseUrl = config.POSTHORN_BASE_URL ?? url
  noteUrls(config, { browsers: baseUrl, local: url }, log)
  return {
    url,
    signInLink: () => signInLink(new TurnsOf(store, 'authentication'), baseUrl),
    takenOver: began.takenOver,
    firstStart: began.first,
    networks,
    sharedCallbacks: sharedCallbacks(baseUrl),
    async stop() {
      phase = 'stopping'
      composition.balance.end()
      stopping.abort()
      const deadline = AbortSignal.timeout(config.POSTHORN_STOP_SECONDS * 1000)
      await releaseAll([
        // Side by side: other nodes take over what this one runs, while it responds to those who wait for it.
        () => all([server.close(), endAll(composition, deadline)]),
        () => endNodes(composition),
        () => http.close(),
        () => alarms.stop(),
        writePosition,
        releaseResources,
      ])
    },
  }
}

/** Takes what this node runs, and listens. */
async function beginServing(
  { peers, duties, supervisor, server }: Composition,
  { store }: Parts,
  config: Config,
) {
  await Promise.all([peers.begin(), duties.take()])
  const takenOver = await supervisor.takeOver()
  await server.listen({ ...config.POSTHORN_LISTEN })
  const { port } = server.server.address() as AddressInfo
  // Not before it listens: a port that is taken must not use up the first start, whose key is shown this once.
  const first = await firstStart(new TurnsOf(store, 'start'), config, systemClock.now())
  return { takenOver, port, first }
}

function beginWorkers(composition: Composition): void {
  const { supervisor, fileFetchers, deliverer, eventCounter } = composition
  supervisor.begin()
  beginNodes(composition)
  for (const fetcher of Object.values(fileFetchers)) fetcher.wake()
  deliverer.begin()
  eventCounter.begin()
}

/** Ends what works beside the requests, and waits for all of it. */
async function endAll(
  { fileFetchers, supervisor, deliverer, eventCounter, ...app }: Composition,
  deadline: AbortSignal,
): Promise<void> {
  await all([
    leaveToOthers(app, supervisor).then((isHandedOver) => supervisor.end(deadline, { isHandedOver })),
    deliverer.end(deadline),
    eventCounter.end(),
    ...Object.values(fileFetchers).map((fetcher) => fetcher.end()),
  ])
}

/** Waits for all of them, even if one fails. */
async function all(promises: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(promises)
  for (const end of ended) if (end.status === 'rejected') throw end.reason
}

/** Tells commands on the data folder where the server is. A disk that is full must not keep it from starting. */
function noteUrls({ POSTHORN_DATA: folder }: Config, urls: ServerUrls, log: Log): void {
  try {
    keepServerUrls(folder, urls)
  } catch (error) {
    log.warn(
      { err: error },
      'could not write server.url: commands on the data folder do not know the URL of this server',
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
  { alarms, duties, wakeOrganization, ...workers }: Composition,
): void {
  const isOnDuty = () => duties.has(housekeeping)
  const house = { store: new TurnsOf(store, 'housekeeping'), alarms, log, isOnDuty }
  followClock(house, workers, setBack)
  scheduleHousekeeping(house, config, media.library, {
    onReleased({ instanceId, organizationId }) {
      workers.supervisor.wake(instanceId)
      wakeOrganization(organizationId)
    },
    onEmptied(organization) {
      workers.eventChanges.hear(emptied(organization))
      workers.otherNodes.tell('emptied', organization)
    },
  })
}
