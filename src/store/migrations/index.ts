import { first } from './0001-first.ts'
import { media } from './0002-media.ts'
import { events } from './0003-events.ts'
import { smallFiles } from './0004-small-files.ts'
import { quotas } from './0005-quotas.ts'
import { epochs } from './0006-epochs.ts'
import { webhookBacklog } from './0007-webhook-backlog.ts'
import { accounts } from './0008-accounts.ts'
import { relations } from './0008-relations.ts'
import { keysAndAudit } from './0009-keys-and-audit.ts'
import type { Migration } from './migration.ts'

/** All steps of the schema, oldest first. */
export const migrations: readonly Migration[] = [
  first,
  media,
  events,
  smallFiles,
  quotas,
  epochs,
  webhookBacklog,
  accounts,
  relations,
  keysAndAudit,
]
