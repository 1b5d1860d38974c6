import { join } from 'node:path'
import { mediaPlace } from '../media/media.ts'
import { holdLease, type NodeFacts, type NodeLease, ownLease, timingFor } from '../nodes/node-lease.ts'
import { findRunning } from '../nodes/node-store.ts'
import type { OpenChannel } from '../nodes/other-nodes.ts'
import { Watchdog } from '../nodes/watchdog.ts'
import { systemClock } from '../runtime/clock.ts'
import { type Config, ConfigError } from '../runtime/config/config.ts'
import { readSecretFile, writeSecretFile } from '../runtime/config/secret-file.ts'
import { newId } from '../runtime/ids.ts'
import type { Log } from '../runtime/log.ts'
import { releaseAll } from '../runtime/release.ts'
import type { StoreForAll } from '../store/store.ts'
import { TurnsOf } from '../store/turns-of.ts'
import { version } from '../version.ts'
import { keptSeal } from './first-start.ts'
import { openEmbeddedStore, openSharedStore } from './open-store.ts'
import { refuseMissingDatabase } from './store-position.ts'

/** The opened store, and the lease of the node that this process runs on it. */
export interface OpenedNode {
  readonly store: StoreForAll
  readonly node: NodeLease
  /** Opens the channel to other nodes; undefined if there can be none. */
  readonly openChannel: OpenChannel | undefined
  close(): Promise<void>
}

interface Options {
  /** Called, with the reason, when other nodes have declared this one gone, or the database went back to an older state. */
  readonly onReplaced: (why: string) => void
  /** The operator says that the store went back to a backup. */
  readonly restored?: boolean
}

/** Opens the store that the configuration names, and begins to run a node on it. The data folder must be locked. */
export function openNode(config: Config, log: Log, options: Options): Promise<OpenedNode> {
  const url = config.POSTHORN_DATABASE_URL
  return url === undefined ? openAlone(config) : openAmongOthers(config, url, log, options)
}

async function openAlone(config: Config): Promise<OpenedNode> {
  refuseMissingDatabase(config)
  const readsPerParty = config.POSTHORN_READ_CONCURRENCY
  const store = await openEmbeddedStore(config.POSTHORN_DATA, { alone: true, readsPerParty })
  return closedOnError(store, async (closing) => {
    await keptSeal(new TurnsOf(store, 'start'), config)
    const node = await ownLease(store, { ...nodeFacts(config), clock: systemClock })
    closing.unshift(() => node.release())
    return { store, node, openChannel: undefined }
  })
}

async function openAmongOthers(
  config: Config,
  url: string,
  log: Log,
  { onReplaced, restored = false }: Options,
): Promise<OpenedNode> {
  const store = await openSharedStore(url, { readsPerParty: config.POSTHORN_READ_CONCURRENCY })
  return closedOnError(store, async (closing) => {
    // A server that will not start takes no node from another process, and empties no folder.
    await keptSeal(new TurnsOf(store, 'start'), config)
    const facts = nodeFacts(config)
    await refuseUnfit(store, facts, restored)
    const watchdog = new Watchdog({ says: log.isLevelEnabled('fatal') })
    closing.unshift(() => watchdog.end())
    const timing = timingFor(config.POSTHORN_NODE_LEASE_MS)
    const node = await holdLease(store, {
      ...facts,
      clock: systemClock,
      log,
      timing,
      watchdog,
      onTaken: onReplaced,
    })
    closing.unshift(() => node.release())
    const { HintChannel } = await import('../store/postgres/postgres-hints.ts')
    const openChannel: OpenChannel = (hear) => new HintChannel({ url, sender: node.boot, log, hear })
    return { store: node.store, node, openChannel }
  })
}

/** Returns what was opened on a store with the way to close it, which is taken at once if that fails. */
async function closedOnError(
  store: StoreForAll,
  open: (closing: (() => Promise<void>)[]) => Promise<Omit<OpenedNode, 'close'>>,
): Promise<OpenedNode> {
  const closing = [() => store.close()]
  const close = () => releaseAll(closing)
  try {
    return { ...(await open(closing)), close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

/** Refuses to run beside other nodes what would not find their files, or would take what they do for something that never happened. */
async function refuseUnfit(store: StoreForAll, { id, media }: NodeFacts, restored: boolean): Promise<void> {
  const running = await store.read(findRunning, null, { party: 'start' })
  const [other] = running.filter((node) => node.id !== id)
  if (!other) return
  const wait = `stop it first or, if it has crashed, wait ${Math.ceil(other.left / 1_000)} s`
  if (restored)
    throw new ConfigError(
      `another node (${other.id}) runs on this database, so it cannot be declared restored; ${wait}`,
    )
  if (media === 'files' || other.media !== media)
    throw new ConfigError(
      `another node (${other.id}) runs on this database and keeps files in \`${other.media}\`, where this one would not find them; set POSTHORN_MEDIA_STORE to \`postgres\` or \`s3\` on all nodes, or ${wait}`,
    )
}

/** The name of this node among those that share a store: it goes with the data folder. */
function nodeId(folder: string): string {
  const file = join(folder, 'node.id')
  const known = readSecretFile(file)
  if (known) return known
  const fresh = newId('node')
  writeSecretFile(file, fresh)
  return fresh
}

function nodeFacts(config: Config): NodeFacts {
  return { id: nodeId(config.POSTHORN_DATA), version, media: mediaPlace(config) }
}
