import pg from 'pg'
import { tables } from '../schema.ts'
import { DatabaseUnusable } from './database-unusable.ts'

/*
 * The roles that the user of the database takes: with that of callers it reads in the turn of an organization, with that of writers it does
 * everything else but change the schema. They own no table, so policies bind them. Roles belong to a whole server of PostgreSQL, so they are
 * named after the user: no other user may take them.
 */

const kinds = ['callers', 'writers'] as const
type Kind = (typeof kinds)[number]

/** The name of a role, as an SQL expression; names have 63 bytes at most. */
const nameOf = (kind: Kind) => `(left(session_user, 55) || '_${kind}')`

/** The names of the policies that let each role see rows are those of the kinds. */
const policyOf = (kind: Kind): string => kind

/** Relations that each role may only read: the view that has no wall, and the steps of the schema. */
const readOnly: Readonly<Record<Kind, readonly string[]>> = {
  callers: ['message_places'],
  writers: ['message_places', 'migrations'],
}

/** A role, and its user, as PostgreSQL describes them. */
export interface DatabaseRole {
  readonly kind: Kind
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

/** Reads what PostgreSQL says of the roles. */
export async function readRoles(client: pg.ClientBase): Promise<DatabaseRole[]> {
  const named = kinds.map((kind) => `('${kind}', ${nameOf(kind)})`).join(', ')
  const { rows } = await client.query<DatabaseRole>(
    `select kind, name, session_user::text as user, case
      when r.oid is null then (select case when rolcreaterole or rolsuper then 'to be made' else 'missing' end
        from pg_roles where rolname = session_user)
      when r.rolsuper or r.rolbypassrls or pg_has_role(r.oid, session_user, 'MEMBER') then 'unbound'
      when not pg_has_role(session_user, r.oid, ${taking}) then 'not granted'
      else 'serves' end as state
    from (values ${named}) as one (kind, name) left join pg_roles as r on r.rolname = name order by kind`,
  )
  return rows
}

/** The names of the roles. */
export async function roleNames(client: pg.ClientBase): Promise<Readonly<Record<Kind, string>>> {
  const { rows } = await client.query<Record<Kind, string>>(
    `select ${kinds.map((kind) => `${nameOf(kind)} as ${kind}`).join(', ')}`,
  )
  return rows[0] as Record<Kind, string>
}

/** Says what is wrong with the roles, and what an administrator does about it; undefined if they serve, or the next start makes them. */
export function whyNoRoles(roles: readonly DatabaseRole[]): DatabaseUnusable | undefined {
  const unbound = roles.find(({ state }) => state === 'unbound')
  if (unbound) {
    const { kind, name, user } = unbound
    const [role, owner] = [name, user].map(pg.escapeIdentifier)
    return new DatabaseUnusable(
      kind === 'callers'
        ? `the role ${name}, in which Posthorn reads for callers, may see the rows of all organizations`
        : `the role ${name}, in which Posthorn writes, may do what the owner of the tables may`,
      `let an administrator run: ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS; REVOKE ${owner} FROM ${role};`,
      undefined,
    )
  }
  const lacking = roles.filter(({ state }) => state === 'missing' || state === 'not granted')
  if (lacking.length === 0) return undefined
  const statements = lacking.map(({ name, user, state }) => {
    const role = pg.escapeIdentifier(name)
    const create = state === 'missing' ? `CREATE ROLE ${role} NOLOGIN; ` : ''
    return `${create}GRANT ${role} TO ${pg.escapeIdentifier(user)};`
  })
  const names = lacking.map(({ name }) => name).join(' and ')
  return new DatabaseUnusable(
    `the user ${lacking[0]?.user} needs ${lacking.length === 1 ? 'the role' : 'the roles'} ${names}, and may not make ${lacking.length === 1 ? 'it' : 'them'}`,
    `let an administrator run: ${statements.join(' ')}`,
    undefined,
  )
}

/** Makes the roles that are missing, if the user may. Otherwise throws an error that says what an administrator has to run. */
export async function makeRoles(client: pg.ClientBase): Promise<void> {
  for (const { name, user, state } of await readRoles(client)) {
    // Each may fail because another server did it at the same moment, or because the user may not: what is there decides.
    if (state === 'to be made')
      await client.query(`create role ${pg.escapeIdentifier(name)} nologin`).catch(() => {})
    if (state !== 'serves')
      await client.query(`grant ${pg.escapeIdentifier(name)} to ${pg.escapeIdentifier(user)}`).catch(() => {})
  }
  const reason = whyNoRoles(await readRoles(client))
  if (reason) throw reason
}

/** The rights of each role, in the tables in which it has a policy. */
const rights: Readonly<Record<Kind, readonly string[]>> = {
  callers: ['select'],
  writers: ['select', 'insert', 'update', 'delete'],
}

const walled = Object.keys(tables)
  .map((table) => `'${table}'`)
  .join(', ')

/** Writers pass in every table of Posthorn, as far as their rights go; a policy of another role is left from a database that was moved. */
const lackingPolicies = `select format('%screate policy writers on %I to %I using (true) with check (true)',
    case when p.oid is null then '' else format('drop policy writers on %I; ', relname) end, relname, r.rolname) as statement
  from pg_class as c join pg_roles as r on r.rolname = ${nameOf('writers')}
  left join pg_policy as p on p.polrelid = c.oid and polname = '${policyOf('writers')}'
  where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname in (${walled})
    and coalesce(not p.polroles @> array[r.oid], true) order by relname`

/** Number of times that a policy is tried while others use its table. */
const attempts = 60
/** The codes of a lock that was not had in time, and of locks in a circle. */
const inTheWay = ['55P03', '40P01']

/**
 * Gives writers the policies that they lack; callers have theirs from the schema. In a store that others may use, each by itself: it locks its
 * table for a moment, and nothing waits behind it for long.
 */
export async function letWritersPass(client: pg.ClientBase, isInUse: boolean): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(lackingPolicies)
  if (!isInUse) return void (await client.query(rows.map(({ statement }) => statement).join('; ')))
  for (const { statement } of rows) await inItsTurn(client, statement)
}

async function inItsTurn(client: pg.ClientBase, statement: string, attempt = 1): Promise<void> {
  try {
    await client.query(`begin; set local lock_timeout = 1000; ${statement}; commit`)
  } catch (error) {
    await client.query('rollback')
    if (attempt === attempts || !inTheWay.includes((error as { code?: string }).code ?? '')) throw error
    await inItsTurn(client, statement, attempt + 1)
  }
}

/** Gives the roles the rights that they lack: in a new schema, with a new table, or in a database that was moved. */
export async function grantToRoles(client: pg.ClientBase): Promise<void> {
  for (const kind of kinds) {
    const { rows } = await client.query<Lacking>(lackingRights(kind))
    const { role, schema, relations, sequences } = rows[0] as Lacking
    const list = (names: readonly string[]) => names.map(pg.escapeIdentifier).join(', ')
    const to = `to ${pg.escapeIdentifier(role)}`
    if (relations.length === 0) continue
    await client.query(`grant usage on schema ${pg.escapeIdentifier(schema)} ${to}`)
    await client.query(`grant ${rights[kind].join(', ')} on ${list(relations)} ${to}`)
    await client.query(`grant select on ${list(readOnly[kind])} ${to}`)
    if (kind === 'writers' && sequences.length > 0)
      await client.query(`grant usage on sequence ${list(sequences)} ${to}`)
  }
}

interface Lacking {
  readonly role: string
  readonly schema: string
  readonly relations: readonly string[]
  readonly sequences: readonly string[]
}

/** Finds the tables in which a role has a policy and lacks rights, and all sequences that it may not use. */
function lackingRights(kind: Kind): string {
  const ofKind = (relkind: 'r' | 'S', where: string) =>
    `array(select relname::text from pg_class as c
      where relnamespace = current_schema()::regnamespace and relkind = '${relkind}' and ${where})`
  const lacks = rights[kind].map((right) => `not has_table_privilege(${nameOf(kind)}, c.oid, '${right}')`)
  const hasPolicy = `exists (select from pg_policy where polrelid = c.oid and polname = '${policyOf(kind)}')`
  return `select ${nameOf(kind)} as role, current_schema() as schema,
    ${ofKind('r', `${hasPolicy} and (${lacks.join(' or ')})`)} as relations,
    ${ofKind('S', `not has_sequence_privilege(${nameOf(kind)}, c.oid, 'USAGE')`)} as sequences`
}
