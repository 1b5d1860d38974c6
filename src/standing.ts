import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { goBack } from './messages/outbox/held.ts'
import { hasOrganizations } from './organizations/organization-store.ts'
import type { Alarms } from './runtime/alarms.ts'
import { systemClock } from './runtime/clock.ts'
import { type Config, ConfigError } from './runtime/config/config.ts'
import { readMasterKey } from './runtime/config/master-key.ts'
import { randomBase32 } from './runtime/ids.ts'
import type { Log } from './runtime/log.ts'
import { countOn, readStanding, type Standing } from './store/standing.ts'
import type { Store } from './store/store.ts'
import type { WatchedStore } from './store/watched-store.ts'
import { readWitness, touchWitness, type Witnessed, witnessFile, writeWitness } from './store/witness.ts'

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
function refuseEmptyDatabase(config: Config, { store }: Standing, witness: Witnessed | undefined): void {
  const folder = config.POSTHORN_DATA
  // A first start that was interrupted left its own witness, and may go on.
  if (witness ? witness.store === store && !witness.begun : !existsSync(join(folder, 'admin.key'))) return
  throw lost('the database has no organization', folder, signsOf(folder).filter(existsSync))
}

const signsOf = (folder: string): string[] => [join(folder, 'admin.key'), witnessFile(folder)]

function lost(what: string, folder: string, signs: readonly string[]): ConfigError {
  const names = new Intl.ListFormat('en').format(signs.map((sign) => basename(sign)))
  const unfinished = existsSync(join(folder, 'restoring'))
    ? ', and a restore began there but did not finish: run it again'
    : ''
  return new ConfigError(
    `${what}, but a server has run on the data folder ${folder} (it has ${names})${unfinished}; put the database back, restore a backup with \`npx posthorn restore FILE\`, or remove ${names} to start afresh without the old data`,
  )
}

/** Whether the store is behind its witness. */
export function isBehind(witness: Witnessed, { store, epoch, past, count }: Standing): boolean {
  if (witness.store !== store) return false
  if (witness.epoch === epoch) return count < witness.count
  // A witness of an earlier epoch did not see the restore that ended it. One of an unknown epoch saw commits that are missing here.
  return !past.includes(witness.epoch)
}

/**
 * Finds out at the start whether the store was restored from a backup: the operator says so, or it is behind its witness in
 * the data folder. If so, begins a new epoch and holds what is queued. Throws an error for the operator if there is no store
 * to go on with.
 */
export async function settleStanding(
  store: Store,
  config: Config,
  { restored, log }: { readonly restored: boolean; readonly log: Log },
): Promise<void> {
  const folder = config.POSTHORN_DATA
  const witness = readWitness(folder)
  const standing = await store.read(readStanding, null)
  if (standing.restoring !== null)
    throw new ConfigError(
      `a restore into this database began at ${standing.restoring} but did not finish; run \`npx posthorn restore FILE --replace\` again`,
    )
  const begun = await store.read(hasOrganizations, null)
  if (!begun) refuseEmptyDatabase(config, standing, witness)
  else if (restored || (witness && isBehind(witness, standing))) {
    const epoch = randomBase32(5)
    const messages = await store.transact(goBack, { epoch, now: systemClock.now() })
    const why = restored
      ? 'it was started with --restored'
      : 'it is behind the position recorded in the data folder'
    log.warn(
      { epoch, held: messages },
      `the store was restored from a backup (${why}): a new epoch begins, and ${messages} unsettled messages are held until you run \`npx posthorn queue send\` or \`npx posthorn queue fail\``,
    )
  }
  writeWitness(folder, { ...(await store.transact(countOn, null)), begun })
}

/** How often the position of the store is written to the data folder while there are commits, in milliseconds. */
const everySecond = 1_000

/** Writes the position of the store to the data folder for as long as the server runs. Returns a function that does it once more. */
export function keepWitness(
  store: WatchedStore,
  config: Config,
  alarms: Alarms,
  log: Log,
): () => Promise<void> {
  const folder = config.POSTHORN_DATA
  let seen = -1
  const update = async (write: typeof writeWitness) => {
    try {
      const standing = await store.transact(countOn, null)
      seen = store.commits
      write(folder, { ...standing, begun: true })
    } catch (error) {
      log.warn({ err: error }, 'could not write the position of the store to the data folder')
    }
  }
  const again = async () => {
    if (store.commits !== seen) await update(touchWitness)
    alarms.in(everySecond, () => void again())
  }
  void again()
  return () => update(writeWitness)
}
