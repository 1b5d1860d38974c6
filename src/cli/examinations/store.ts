import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { opensCheckValue } from '../../gateway/first-start.ts'
import { mediaPlace } from '../../media/media.ts'
import type { Config } from '../../runtime/config/config.ts'
import { readMasterKey } from '../../runtime/config/master-key.ts'
import { readSecretFile } from '../../runtime/config/secret-file.ts'
import { Seal } from '../../runtime/secrets/seal.ts'
import { whyUnfit } from '../../store/migrations/index.ts'
import { databaseUnusable } from '../../store/postgres/database-unusable.ts'
import { readableTime } from '../output.ts'
import { type Finding, findingsOn } from './finding.ts'
import type { PostgresFacts } from './postgres-facts.ts'
import { readSqliteFacts } from './sqlite-facts.ts'
import { examineTables } from './sqlite-tables.ts'
import { noFacts, pendingMigrations, type StoreFacts } from './store-facts.ts'

const backup = findingsOn('backup')
const clock = findingsOn('clock')
const queue = findingsOn('queue')
const schema = findingsOn('schema')
const store = findingsOn('store')

/** Depth of the check of tables, and the reader of its progress. */
export interface Thoroughness {
  readonly deep: boolean
  readonly show: (doing: string, share: number) => void
}

/** The findings about the store, and its facts if they could be read. */
export interface ExaminedStore {
  readonly findings: readonly Finding[]
  readonly facts?: StoreFacts
}

/** Examines the store without writing to it: whether it opens, its schema, the master key, and the clock. */
export async function examineStore(
  config: Config,
  running: boolean,
  thoroughness: Thoroughness,
): Promise<ExaminedStore> {
  const url = config.POSTHORN_DATABASE_URL
  return url === undefined
    ? examineEmbedded(config, running, thoroughness)
    : examineShared(config, url, running, thoroughness)
}

async function examineEmbedded(
  config: Config,
  running: boolean,
  thoroughness: Thoroughness,
): Promise<ExaminedStore> {
  const file = join(config.POSTHORN_DATA, 'posthorn.db')
  // SQLite keeps its write-ahead log beside the file for as long as a process has it open.
  if (running && !existsSync(`${file}-wal`))
    return { findings: [otherStore(`the running server has not opened ${file}`)] }
  if (!existsSync(file)) {
    return { findings: [store.ok('does not exist yet; the first start creates it')], facts: noFacts }
  }
  let facts: StoreFacts
  try {
    facts = await readSqliteFacts(file, running)
  } catch (error) {
    const advice = 'restore a backup, or set POSTHORN_DATA to another data folder'
    const detail = `${file} cannot be opened: ${(error as Error).message}`
    return { findings: [store.fail(detail, advice)] }
  }
  const opens = store.ok(`${file} opens, with synchronous=FULL`)
  const findings = [
    opens,
    await examineTables(file, { running, ...thoroughness }),
    schemaOf(facts, running),
    masterKeyOf(config, facts),
    clockOf(facts),
    ...heldOf(facts),
    ...backupOf(facts),
  ]
  return { findings, facts }
}

async function examineShared(
  config: Config,
  url: string,
  running: boolean,
  thoroughness: Thoroughness,
): Promise<ExaminedStore> {
  const { host, pathname } = new URL(url)
  const { readPostgresFacts } = await import('./postgres-facts.ts')
  const { examinePostgresTables } = await import('./postgres-tables.ts')
  let facts: PostgresFacts
  try {
    facts = await readPostgresFacts(url)
  } catch (error) {
    const { what, next } = databaseUnusable(error, url)
    return { findings: [store.fail(what, next)] }
  }
  const findings = [
    store.ok(`PostgreSQL ${facts.version} at ${host}${pathname} opens, and its commits are durable`),
    await examinePostgresTables(url, thoroughness),
    ...nodesOf(config, facts, running),
    ...standbysOf(facts),
    ...(await rolesOf(facts)),
    schemaOf(facts, running),
    masterKeyOf(config, facts),
    clocksOf(facts.clockAhead),
    ...heldOf(facts),
    ...backupOf(facts),
  ]
  return { findings, facts }
}

/** Finds out if the server of this data folder runs on the database that its settings name, and which others do. */
function nodesOf(config: Config, { nodes }: PostgresFacts, running: boolean): Finding[] {
  const own = readSecretFile(join(config.POSTHORN_DATA, 'node.id'))
  const others = nodes.filter((node) => node !== own)
  if (running && !nodes.some((node) => node === own))
    return [
      otherStore(
        others.length === 0
          ? 'no server runs on the database'
          : `only other servers run on the database (${others.join(', ')})`,
      ),
    ]
  if (others.length === 0) return []
  const detail = `other nodes run on this database: ${others.join(', ')}`
  if (mediaPlace(config) !== 'files') return [store.ok(detail)]
  return [
    store.warn(
      `${detail}; they do not find the files of this one`,
      'set POSTHORN_MEDIA_STORE to postgres or s3',
    ),
  ]
}

/** Commits outlive the server that made them only if a standby that can take over has them. */
function standbysOf({ standbys, nodes }: PostgresFacts): Finding[] {
  const next = 'name the standby servers in synchronous_standby_names, if the database fails over to any'
  if (standbys.includes('*'))
    return [
      store.warn(
        'every program that receives the log counts as a standby, such as a backup (synchronous_standby_names has *)',
        next,
      ),
    ]
  if (standbys === '' && nodes.length > 1)
    return [store.warn('no standby confirms commits, so a fail-over to one may lose what was accepted', next)]
  return []
}

/** Finds out if there are the roles in which Posthorn reads for callers, and writes; the start makes them, if it may. */
async function rolesOf({ roles }: PostgresFacts): Promise<Finding[]> {
  const { whyNoRoles } = await import('../../store/postgres/database-roles.ts')
  const reason = whyNoRoles(roles)
  return reason ? [store.fail(reason.what, reason.next)] : []
}

function otherStore(reason: string): Finding {
  return store.warn(
    `${reason}: the server of this data folder keeps its data elsewhere`,
    'run this command with the settings that the server was started with, including POSTHORN_DATABASE_URL',
  )
}

function schemaOf(facts: StoreFacts, running: boolean): Finding {
  const pending = pendingMigrations(facts)
  const unfit = whyUnfit(facts.migrations)
  if (unfit) return schema.fail(`the store ${unfit}`, 'start that version, or begin with an empty store')
  if (pending.length === 0) return schema.ok(`up to date (${facts.migrations.at(-1)?.name})`)
  if (running)
    return schema.warn(`the running server is older: it lacks ${pending.join(', ')}`, 'restart the server')
  return schema.ok(`the next start brings it up to date (${pending.join(', ')})`)
}

function masterKeyOf(config: Config, { masterKeyCheck: check }: StoreFacts): Finding {
  const { fail, ok } = findingsOn('master key')
  if (check === null) return ok('not used yet')
  try {
    const { bytes, source } = readMasterKey(config, false)
    if (opensCheckValue(new Seal(bytes), check))
      return ok(`the one from ${source} opens the credentials in the store`)
    const advice = 'set POSTHORN_MASTER_KEY or POSTHORN_MASTER_KEY_FILE to the right one'
    return fail(`the one from ${source} does not open the credentials in the store`, advice)
  } catch (error) {
    return fail((error as Error).message, 'put the right one in place; the server does not start without it')
  }
}

function heldOf({ held }: StoreFacts): Finding[] {
  if (held === 0) return []
  const detail = `the store was restored from a backup, and ${held === 1 ? '1 message is' : `${held} messages are`} held; later messages to the same recipients wait`
  const advice =
    'see them with `npx posthorn queue list`; then send them with `queue send`, or mark them as unknown with `queue fail`'
  return [queue.warn(detail, advice)]
}

const day = 86_400_000

/** A backup that is made by a timer fails unseen, so its age is looked at. A store without any may be backed up in another way. */
function backupOf({ lastBackupAt: at }: StoreFacts): Finding[] {
  if (at === null) return []
  const days = Math.floor((Date.now() - at) / day)
  const detail = `the last one was complete at ${readableTime(at)}`
  if (days < 2) return [backup.ok(detail)]
  const advice = 'run `npx posthorn backup`, and see why the timer that should have done so failed'
  return [backup.warn(`${detail}, ${days} days ago`, advice)]
}

const minute = 60_000

/** If the clock is behind the times in the store, messages expire late and new times are wrong. */
function clockOf({ latest }: StoreFacts): Finding {
  const ahead = (latest ?? 0) - Date.now()
  if (ahead < minute) return clock.ok(new Date().toISOString())
  const detail = `this machine says ${new Date().toISOString()}, but the store has entries from ${Math.round(ahead / minute)} min later`
  return clock.warn(detail, 'set the clock of this machine, and keep it set with NTP')
}

function clocksOf(ahead: number): Finding {
  const detail = `the database's is ${Math.abs(ahead)} ms ${ahead < 0 ? 'behind' : 'ahead of'} this machine's`
  if (Math.abs(ahead) < 5_000) return clock.ok(detail)
  return clock.warn(detail, 'keep both set with NTP')
}
