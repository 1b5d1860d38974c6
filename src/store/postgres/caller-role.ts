import pg from 'pg'
import { DatabaseUnusable } from './database-unusable.ts'

/*
 * The role in which reads in the turn of an organization are performed. It owns no table, so policies bind it, and it may only select.
 * Roles belong to a whole server of PostgreSQL, so it is named after the user of this database: no other user may take it.
 */

/** Its name, as an SQL expression; names have 63 bytes at most. */
const callerRole = "(left(session_user, 55) || '_callers')"

/** The name of the policies that let callers see rows. */
const policy = 'callers'

/** The view that has no wall. */
const view = 'message_places'

/** The role, and its user, as PostgreSQL describes them. */
export interface CallerRole {
  readonly name: string
  readonly user: string
  readonly state:
    | 'serves'
    /** It does not exist; the user may create it, or not. */
    | 'to be made'
    | 'missing'
    /** The user may not take it. */
    | 'not granted'
    /** No policy would bind it: it is a superuser, passes by policies, or has the rights of the user. */
    | 'unbound'
}

/** Until version 16, each member of a role could take it. */
const taking = "case when current_setting('server_version_num')::int < 160000 then 'MEMBER' else 'SET' end"

/** Reads what PostgreSQL says of the role. */
export async function readCallerRole(client: pg.ClientBase): Promise<CallerRole> {
  const { rows } = await client.query<CallerRole>(
    `select ${callerRole} as name, session_user::text as user, case
      when r.oid is null then (select case when rolcreaterole or rolsuper then 'to be made' else 'missing' end
        from pg_roles where rolname = session_user)
      when r.rolsuper or r.rolbypassrls or pg_has_role(r.oid, session_user, 'MEMBER') then 'unbound'
      when not pg_has_role(session_user, r.oid, ${taking}) then 'not granted'
      else 'serves' end as state
    from (select 1) as one left join pg_roles as r on r.rolname = ${callerRole}`,
  )
  return rows[0] as CallerRole
}

/** Says what is wrong with the role, and what an administrator does about it; undefined if it serves, or the next start makes it. */
export function whyNoCallerRole({ name, user, state }: CallerRole): DatabaseUnusable | undefined {
  if (state === 'serves' || state === 'to be made') return undefined
  const [role, owner] = [pg.escapeIdentifier(name), pg.escapeIdentifier(user)]
  if (state === 'unbound')
    return new DatabaseUnusable(
      `the role ${name}, in which Posthorn reads for callers, may see the rows of all organizations`,
      `let an administrator run: ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS; REVOKE ${owner} FROM ${role};`,
      undefined,
    )
  const create = state === 'missing' ? `CREATE ROLE ${role} NOLOGIN; ` : ''
  return new DatabaseUnusable(
    `the user ${user} needs the role ${name}, in which Posthorn reads for callers, and may not make it`,
    `let an administrator run: ${create}GRANT ${role} TO ${owner};`,
    undefined,
  )
}

/** Makes the role if it is missing and the user may make it. Otherwise throws an error that says what an administrator has to run. */
export async function makeCallerRole(client: pg.ClientBase): Promise<void> {
  const { name, user, state } = await readCallerRole(client)
  // Each may fail because another server did it at the same moment, or because the user may not: what is there decides.
  if (state === 'to be made')
    await client.query(`create role ${pg.escapeIdentifier(name)} nologin`).catch(() => {})
  if (state !== 'serves')
    await client.query(`grant ${pg.escapeIdentifier(name)} to ${pg.escapeIdentifier(user)}`).catch(() => {})
  const reason = whyNoCallerRole(await readCallerRole(client))
  if (reason) throw reason
}

/** Lets the role see what policies are about, as far as it may not yet: in a new schema, or a database that was moved. */
export async function grantToCallers(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ role: string; schema: string; tables: string[] }>(
    `select ${callerRole} as role, current_schema() as schema, array(
      select relname::text from pg_class as c where relnamespace = current_schema()::regnamespace
        and (relname = '${view}' or exists (select from pg_policy where polrelid = c.oid and polname = '${policy}'))
        and not has_table_privilege(${callerRole}, c.oid, 'SELECT')) as tables`,
  )
  const { role, schema, tables } = rows[0] as { role: string; schema: string; tables: string[] }
  if (tables.length === 0) return
  await client.query(`grant usage on schema ${pg.escapeIdentifier(schema)} to ${pg.escapeIdentifier(role)}`)
  await client.query(
    `grant select on ${tables.map(pg.escapeIdentifier).join(', ')} to ${pg.escapeIdentifier(role)}`,
  )
}
