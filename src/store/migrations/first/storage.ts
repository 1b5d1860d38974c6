import { sql as raw } from 'kysely'
import type { Schema } from '../../schema.ts'
import type { Compilable } from '../../statement.ts'
import type { Step } from '../step.ts'

/** Vacuumed once a twentieth of the rows is dead, and not a fifth: what looks for the oldest rows passes by all that are dead. */
const grows = 'autovacuum_vacuum_scale_factor = 0.05'

/** The storage parameters of PostgreSQL for tables in which its defaults leave too much that is dead. */
const parameters: Readonly<{ [T in keyof Schema]?: string }> = {
  /*
   * A text is written when it is accepted, and again when it is sent and when it is delivered, mostly with many of its neighbours. With room
   * beside them, these changes stay in the page and change no index: of texts that are stored 64 at a time, 66 % instead of 6 %.
   */
  messages: `fillfactor = 70, ${grows}`,
  // Each message comes and goes, so its rows are few and nearly all of them dead.
  outbox:
    'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0',
  events: grows,
  message_index: grows,
  conversations: grows,
  deliveries: grows,
  delivery_attempts: grows,
}

/** Says how PostgreSQL stores and tidies tables; SQLite has nothing to say about that. */
export function storageOf(step: Step): Compilable<unknown>[] {
  if (step.dialect.name !== 'postgres') return []
  return Object.entries(parameters).map(([table, set]) => ({
    compile: () => raw`alter table ${raw.table(table)} set (${raw.raw(set)})`.compile(step.sql),
  }))
}
