import type { Selectable } from 'kysely'
import { askTables } from './tables/asks.ts'
import { callbackTables } from './tables/callbacks.ts'
import type { TableOf } from './tables/columns.ts'
import { contactTables } from './tables/contacts.ts'
import { eventTables } from './tables/events.ts'
import { instanceTables } from './tables/instances.ts'
import { networkKeyTables } from './tables/keys.ts'
import { linkPageTables } from './tables/link-pages.ts'
import { mediaTables } from './tables/media.ts'
import { messageTables } from './tables/messages.ts'
import { nodeTables } from './tables/nodes.ts'
import { organizationTables } from './tables/organizations.ts'
import { sessionTables } from './tables/sessions.ts'
import { statisticsTables } from './tables/statistics.ts'
import { webhookTables } from './tables/webhooks.ts'

/*
 * The tables. One spelling serves SQLite and PostgreSQL: moments are milliseconds since the epoch in 64-bit integers,
 * flags are 0 or 1, structured values are JSON text, sealed values are bytes.
 */
export const tables = {
  ...organizationTables,
  ...nodeTables,
  ...askTables,
  ...sessionTables,
  ...instanceTables,
  ...callbackTables,
  ...contactTables,
  ...networkKeyTables,
  ...linkPageTables,
  ...messageTables,
  ...mediaTables,
  ...eventTables,
  ...webhookTables,
  ...statisticsTables,
}

/** The tables as Kysely knows them. */
export type Schema = { [Name in keyof typeof tables]: TableOf<(typeof tables)[Name]> }

/** A whole row of a table, as it is read. */
export type RowOf<Name extends keyof Schema> = Selectable<Schema[Name]>
