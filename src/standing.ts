import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { goBack } from './messages/outbox/held.ts'
import { hasOrganizations } from './organizations/organization-store.ts'
import type { Alarms } from './runtime/alarms.ts'
import { systemClock } from './runtime/clock.ts'
import { type Config, ConfigError } from './runtime/config.ts'
import { randomBase32 } from './runtime/ids.ts'
import type { Log } from './runtime/log.ts'
import { readMasterKey } from './runtime/master-key.ts'
import { countOn, readStanding, type Standing } from './store/standing.ts'
import type { Store } from './store/store.ts'
import type { WatchedStore } from './store/watched-store.ts'
import { readWitness, touchWitness, type Witnessed, witnessFile, writeWitness } from './store/witness.ts'

/**
 * Refuses a data folder in which a server has run and whose database is not there, or empty: to begin anew would bury what a
 * backup, or a disk that was not mounted, still has. Called before the store is opened, which would make it.
 */
export function refuseMissingDatabase(config: Config): void {
  const folder = config.POSTHORN_DATA
  const file = join(folder, 'posthorn.db')
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return
  const masterKey = join(folder, 'master.key')
  const signs = [...signsOf(folder), masterKey].filter(existsSync)
  if (signs.length === 0) return
  // One that is none is said first.
  if (existsSync(masterKey)) readMasterKey(config, false)
  throw lost(`the database ${file} is ${existsSync(file) ? 'empty' : 'missing'}`, folder, signs)
}

/** The same for a database that was opened. */
function refuseEmptyDatabase(config: Config, { store }: Standing, witness: Witnessed | undefined): void {
  const folder = config.POSTHORN_DATA
  // A first start that was cut short left its own witness, and goes on.
  if (witness ? witness.store === store && !witness.begun : !existsSync(join(folder, 'admin.key'))) return
  throw lost('the database has no organization', folder, signsOf(folder).filter(existsSync))
}

const signsOf = (folder: string): string[] => [join(folder, 'admin.key'), witnessFile(folder)]

function lost(what: string, folder: string, signs: readonly string[]): ConfigError {
  const names = new Intl.ListFormat('en').format(signs.map((sign) => basename(sign)))
  const unfinished = existsSync(join(folder, 'restoring'))
    ? ', where a restore was begun and did not end: run it again'
    : ''
  return new ConfigError(
    `${what}, but a server has run on the data folder ${folder} (it has ${names})${unfinished}; put the database back, restore a backup with \`npx posthorn restore FILE\`, or remove ${names} to begin anew without what was in it`,
  )
}

/** Whether the store has not come as far as the witness saw it. */
export function isBehind(witness: Witnessed, { store, epoch, past, count }: Standing): boolean {
  if (witness.store !== store) return false
  if (witness.epoch === epoch) return count < witness.count
  // A witness of an epoch before has not heard of the restore that ended it. One of another epoch saw what is not here.
  return !past.includes(witness.epoch)
}

/**
 * Finds out at the start whether the store went back to a backup: the operator says so, or it is behind what the data folder
 * remembers. Then a new epoch begins, and what is queued is held. Throws a sentence for the operator where there is nothing
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
      `a restore into this database began at ${standing.restoring} and did not end; run \`npx posthorn restore FILE --replace\` again`,
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

/** How often the data folder is told how far the store has come, while something is kept; in milliseconds. */
const everySecond = 1_000

/** Lets the data folder remember how far the store has come, for as long as the server runs. Returns what does it once more. */
export function keepWitness(
  store: WatchedStore,
  config: Config,
  alarms: Alarms,
  log: Log,
): () => Promise<void> {
  const folder = config.POSTHORN_DATA
  let seen = -1
  const tell = async (write: typeof writeWitness) => {
    try {
      const standing = await store.transact(countOn, null)
      seen = store.commits
      write(folder, { ...standing, begun: true })
    } catch (error) {
      log.warn({ err: error }, 'could not write the position of the store to the data folder')
    }
  }
  const again = async () => {
    if (store.commits !== seen) await tell(touchWitness)
    alarms.in(everySecond, () => void again())
  }
  void again()
  return () => tell(writeWitness)
}
