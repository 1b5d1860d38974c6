import { events } from './first/events.ts'
import { instances } from './first/instances.ts'
import { messages } from './first/messages.ts'
import { organizations } from './first/organizations.ts'
import { storageOf } from './first/storage.ts'
import { wallsOf } from './first/walls.ts'
import type { Migration } from './migration.ts'

/** All tables of the first release, the walls in them, and how they are stored; `tables/` says what their columns mean. */
export const schema: Migration = {
  name: '0001-schema',
  kind: 'expands',
  statements: (step) =>
    [organizations, instances, messages, events, wallsOf, storageOf].flatMap((part) => part(step)),
}
