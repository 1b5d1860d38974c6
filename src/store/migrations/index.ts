import { schema } from './0001-schema.ts'
import { wallOfChunks } from './0002-wall-of-chunks.ts'
import { traceOfMessages } from './0003-trace-of-messages.ts'
import { wholeConversations } from './0004-whole-conversations.ts'
import { people } from './0005-people.ts'
import { marketing } from './0006-marketing.ts'
import { marketingDefaults } from './0007-marketing-defaults.ts'
import { webhooks } from './0008-webhooks.ts'
import { sharedRates } from './0009-shared-rates.ts'
import type { Migration } from './migration.ts'

/** All steps of the schema, oldest first. */
export const migrations: readonly Migration[] = [
  schema,
  wallOfChunks,
  traceOfMessages,
  wholeConversations,
  people,
  marketing,
  marketingDefaults,
  webhooks,
  sharedRates,
]

/** The first steps of the stores that versions before the first release made; they are not taken over. */
const firstBeforeRelease = ['0001-first', '0001-tables']

/** The name of the newest step that this version knows. */
export const newestStep = (): string => migrations.at(-1)?.name ?? ''

/** A step that a store went through. */
export interface AppliedStep {
  readonly name: string
  /** 1 if versions that do not know it can use the store. */
  readonly expands: number
}

/** Why this version cannot use a store that went through these steps, as the end of a sentence; undefined if it can. */
export function whyUnfit(steps: readonly AppliedStep[]): string | undefined {
  if (steps.some(({ name }) => firstBeforeRelease.includes(name)))
    return 'was made before the first release of Posthorn'
  const known = new Set(migrations.map(({ name }) => name))
  const newer = steps.find(({ name, expands }) => expands === 0 && !known.has(name))
  return newer && `was last used by a newer Posthorn (it has the migration ${newer.name})`
}
