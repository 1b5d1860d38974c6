import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { goingBack, markRestored } from '../messages/outbox/recovery/held.ts'
import { hasOrganizations, readServiceValue } from '../organizations/organization-store.ts'
import { systemClock } from '../runtime/clock.ts'
import { type Config, ConfigError } from '../runtime/config/config.ts'
import { readMasterKey } from '../runtime/config/master-key.ts'
import { randomBase32 } from '../runtime/ids.ts'
import type { Log } from '../runtime/log.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'
import { advancePosition, readPosition, type StorePosition } from '../store/position.ts'
import {
  positionFile,
  type RecordedPosition,
  readRecordedPosition,
  updateRecordedPosition,
  writeRecordedPosition,
} from '../store/recorded-position.ts'
import type { Store } from '../store/store.ts'
import type { WatchedStore } from '../store/watched-store.ts'

/**
 * Refuses a data folder on which a server has run if its database is missing or empty: starting afresh would hide that the
 * data is still in a backup, or on a disk that was not mounted. Called before the store is opened, which would create it.
 */
export function refuseMissingDatabase(config: Config): void {
  const folder = config.POSTHORN_DATA
  const file = join(folder, 'posthorn.db')
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return
  const masterKey = join(folder, 'master.key')
  const signs = [...signsOf(folder), masterKey].filter(existsSync)
  if (signs.length === 0) return
  // If the master key is invalid, report that first.
  if (existsSync(masterKey)) readMasterKey(config, false)
  throw lost(`the database ${file} is ${existsSync(file) ? 'empty' : 'missing'}`, folder, signs)
}

/** The same for a database that opened but has no organization. */
function refuseEmptyDatabase(
  config: Config,
  { store }: StorePosition,
  lastKnown: RecordedPosition | undefined,
): void {
  const folder = config.POSTHORN_DATA
  // A first start that was interrupted left its own recorded position, and may go on.
  if (lastKnown ? lastKnown.store === store && !lastKnown.begun : !existsSync(join(folder, 'admin.key')))
    return
  throw lost('the database has no organization', folder, signsOf(folder).filter(existsSync))
}

const signsOf = (folder: string): string[] => [join(folder, 'admin.key'), positionFile(folder)]

function lost(what: string, folder: string, signs: readonly string[]): ConfigError {
  const names = new Intl.ListFormat('en').format(signs.map((sign) => basename(sign)))
  const unfinished = existsSync(join(folder, 'restoring'))
    ? ', and a restore began there but did not finish: run it again'
    : ''
  return new ConfigError(
    `${what}, but a server has run on the data folder ${folder} (it has ${names})${unfinished}; put the database back, restore a backup with \`npx posthorn restore FILE\`, or remove ${names} to start afresh without the old data`,
  )
}

/** True if the store is behind the recorded position. */
export function isBehind(lastKnown: RecordedPosition, { store, epoch, past, count }: StorePosition): boolean {
  if (lastKnown.store !== store) return false
  if (lastKnown.epoch === epoch) return count < lastKnown.count
  // A position of an earlier epoch was recorded before the restore that ended it. One of an unknown epoch includes commits that are missing here.
  return !past.includes(lastKnown.epoch)
}

/**
 * Finds out at the start whether the store was restored from a backup: the operator says so, or it is behind the recorded position in
 * the data folder. If so, begins a new epoch and holds what is queued. Throws an error for the operator if there is no store
 * to go on with.
 */
export async function checkPosition(
  store: Store,
  config: Config,
  { restored, log }: { readonly restored: boolean; readonly log: Log },
): Promise<void> {
  const folder = config.POSTHORN_DATA
  const lastKnown = readRecordedPosition(folder)
  const position = await store.read(readPosition, null)
  if (position.restoring !== null)
    throw new ConfigError(
      `a restore into this database began at ${position.restoring} but did not finish; run \`npx posthorn restore FILE --replace\` again`,
    )
  const begun = await store.read(hasOrganizations, null)
  const isUnfinished = (await store.read(readServiceValue, { name: goingBack })) !== null
  if (!begun) refuseEmptyDatabase(config, position, lastKnown)
  else if (restored || isUnfinished || (lastKnown && isBehind(lastKnown, position))) {
    const epoch = randomBase32(5)
    const messages = await markRestored(store, { epoch, now: systemClock.now() })
    const why = restored
      ? 'it was started with --restored'
      : isUnfinished
        ? 'an earlier start that found this out did not finish'
        : 'it is behind the position recorded in the data folder'
    log.warn(
      { epoch, held: messages },
      `the store was restored from a backup (${why}): a new epoch begins, and ${messages} unsettled messages are held until you run \`npx posthorn queue send\` or \`npx posthorn queue fail\``,
    )
  }
  writeRecordedPosition(folder, { ...(await store.transact(advancePosition, null)), begun })
}

/** Milliseconds between two writes of the store's position to the data folder while there are commits. */
const everySecond = 1_000

/** Writes the position of the store to the data folder for as long as the server runs. Returns a function that does it once more. */
export function recordPosition(
  store: WatchedStore,
  config: Config,
  alarms: Alarms,
  log: Log,
): () => Promise<void> {
  const folder = config.POSTHORN_DATA
  let seen = -1
  const update = async (write: typeof writeRecordedPosition) => {
    try {
      const position = await store.transact(advancePosition, null, { party: 'position' })
      seen = store.commits
      write(folder, { ...position, begun: true })
    } catch (error) {
      log.warn({ err: error }, 'could not write the position of the store to the data folder')
    }
  }
  const again = async () => {
    if (store.commits !== seen) await update(updateRecordedPosition)
    alarms.in(everySecond, () => void again())
  }
  void again()
  return () => update(writeRecordedPosition)
}
