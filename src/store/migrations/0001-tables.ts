import { createCallbacks } from './first/callbacks.ts'
import { contacts } from './first/contacts.ts'
import { events } from './first/events.ts'
import { keys } from './first/keys.ts'
import { linkPages } from './first/link-pages.ts'
import { media } from './first/media.ts'
import { messages } from './first/messages.ts'
import { organizations } from './first/organizations.ts'
import { sessions } from './first/sessions.ts'
import { statistics } from './first/statistics.ts'
import { webhooks } from './first/webhooks.ts'
import type { Migration } from './migration.ts'

/** All tables of the first release; `schema.ts` says what their columns mean. */
export const tables: Migration = {
  name: '0001-tables',
  statements: (sql, dialect) => [
    ...organizations(sql, dialect),
    ...messages(sql, dialect),
    ...media(sql, dialect),
    ...events(sql, dialect),
    ...webhooks(sql, dialect),
    ...createCallbacks(sql, dialect),
    ...contacts(sql, dialect),
    ...keys(sql, dialect),
    ...sessions(sql, dialect),
    ...linkPages(sql, dialect),
    ...statistics(sql, dialect),
  ],
}
