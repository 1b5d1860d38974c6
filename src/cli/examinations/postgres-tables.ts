import pg from 'pg'
import { connectionSettings } from '../../store/postgres/postgres-connection.ts'
import { type Finding, findingsOn } from './finding.ts'

const { fail, ok, warn } = findingsOn('tables')

/** Milliseconds for which one table or index may be checked: a check keeps the database from cleaning up behind it. */
const longestCheck = 60_000

const afterDamage =
  'stop the server, copy the database as it is, and restore the latest backup into a new one with `npx posthorn restore`'

/**
 * Asks PostgreSQL about damage: the checksums that failed when it read pages and, if the check is deep and the extension
 * `amcheck` is installed, whether tables and indexes are whole. It says what was not examined.
 */
export async function examinePostgresTables(
  url: string,
  { deep, show }: { readonly deep: boolean; readonly show: (doing: string, share: number) => void },
): Promise<Finding> {
  const client = new pg.Client({ ...connectionSettings(url), query_timeout: longestCheck + 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(`set default_transaction_read_only = on; set statement_timeout = ${longestCheck}`)
    const { checksums, failures } = await checksumsOf(client)
    if (failures > 0) return fail(`PostgreSQL has read ${failures} pages with a wrong checksum`, afterDamage)
    const pages = checksums
      ? 'checksums are on, and no page that was read failed'
      : 'data checksums are off, so damaged pages may go unnoticed'
    if (!deep) return ok(`${pages}; not examined further (\`--deep\` uses amcheck)`)
    if (!(await hasAmcheck(client)))
      return ok(`${pages}; not examined further: the extension amcheck is not installed`)
    return await amcheck(client, pages, show)
  } catch (error) {
    return warn(`not examined: ${(error as Error).message}`, 'run pg_amcheck as a superuser instead')
  } finally {
    await client.end().catch(() => {})
  }
}

async function checksumsOf(client: pg.Client): Promise<{ checksums: boolean; failures: number }> {
  const { rows } = await client.query<{ checksums: string; failures: string | null }>(
    `select current_setting('data_checksums') as checksums,
      (select checksum_failures from pg_stat_database where datname = current_database()) as failures`,
  )
  return { checksums: rows[0]?.checksums === 'on', failures: Number(rows[0]?.failures ?? 0) }
}

async function hasAmcheck(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_extension where extname = 'amcheck'")
  return rows.length > 0
}

/** Each table and index is a statement of its own, so none holds a snapshot for longer than its check. */
async function amcheck(
  client: pg.Client,
  pages: string,
  show: (doing: string, share: number) => void,
): Promise<Finding> {
  const { rows: relations } = await client.query<{ oid: number; name: string; kind: string }>(
    `select c.oid, c.relname as name, c.relkind::text as kind from pg_class c
      left join pg_index i on i.indexrelid = c.oid left join pg_am a on a.oid = c.relam
      where c.relnamespace = current_schema()::regnamespace
        and (c.relkind = 'r' or (c.relkind = 'i' and a.amname = 'btree' and i.indisvalid)) order by c.relname`,
  )
  const damaged: string[] = []
  const late: string[] = []
  for (const [at, { oid, name, kind }] of relations.entries()) {
    show(`checking ${name}:`, at / relations.length)
    try {
      const fault = await faultOf(client, oid, kind)
      if (fault !== undefined) damaged.push(`${name} (${fault})`)
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      // XX001 and XX002: damaged data, and a damaged index. 57014: the statement took too long.
      if (code === 'XX001' || code === 'XX002') damaged.push(`${name} (${message})`)
      else if (code === '57014') late.push(name)
      else throw error
    }
  }
  show('', 1)
  if (damaged.length > 0) return fail(`damaged: ${damaged.join(', ')}`, afterDamage)
  const sound = `${pages}; amcheck found ${relations.length - late.length} tables and indexes sound`
  if (late.length === 0) return ok(sound)
  return warn(`${sound}; ${late.join(', ')} not examined: it takes too long`, 'run pg_amcheck for these')
}

async function faultOf(client: pg.Client, oid: number, kind: string): Promise<string | undefined> {
  if (kind === 'i') {
    await client.query('select bt_index_check($1::oid::regclass)', [oid])
    return undefined
  }
  const { rows } = await client.query<{ msg: string }>(
    'select msg from verify_heapam($1::oid::regclass, on_error_stop => true) limit 1',
    [oid],
  )
  return rows[0]?.msg
}
