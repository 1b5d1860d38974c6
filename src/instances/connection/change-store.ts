import type { AuditNote } from '../../contract/resources/audit.ts'
import type { InstanceStatus } from '../../contract/resources/instance.ts'
import { keepAudit } from '../../organizations/audit-log.ts'
import { type StoreFunctions, transaction } from '../../store/store.ts'
import { appendInstanceEvents } from '../instance-events.ts'
import { columns } from '../instance-store.ts'
import { addLabels, retireLabels } from '../labels.ts'

/** The parts of an instance that callers may change, as JSON texts. */
export interface InstanceChange {
  readonly settings: string
  readonly metadata: string
  readonly marketing_words: string | null
}

interface ChangeArgs {
  readonly organization: string
  readonly id: string
  readonly before: InstanceChange
  readonly after: InstanceChange
  /** True if the instance connects anew for it. */
  readonly reconnects: boolean
  readonly now: number
  readonly audit?: AuditNote | undefined
}

/** Result of a change; `overtaken` if the instance was changed by another request since `before` was read. */
export type InstanceChangeResult = 'changed' | 'not_found' | 'deleting' | 'overtaken'

const parts = ['settings', 'metadata', 'marketing_words'] as const satisfies (keyof InstanceChange)[]

/** Statuses that other settings may help against, if the instance is wanted running. */
const helped: readonly InstanceStatus[] = ['logged_out', 'failed']

/**
 * Changes settings and labels, if they are still as they were read. An instance that was given up and is to connect anew begins
 * to; its queue is not touched. A change of nothing is only noted in the audit log.
 */
export const changeInstance = transaction(
  'instances.change',
  async (tx, args: ChangeArgs): Promise<InstanceChangeResult> => {
    const { organization, id, before, after, now } = args
    const own = tx.sql
      .selectFrom('instances')
      .where('id', '=', id)
      .where('organization_id', '=', organization)
    const row = await tx.first(
      own.select(['wanted', 'status', 'settings', 'metadata', 'marketing_words', 'labels_id']),
    )
    if (!row) return 'not_found'
    if (row.wanted === 'removed') return 'deleting'
    if (parts.some((part) => row[part] !== before[part])) return 'overtaken'
    await keepAudit(tx, args.audit)
    const isRelabelled = after.metadata !== before.metadata
    if (parts.every((part) => after[part] === before[part])) return 'changed'
    const begins = args.reconnects && row.wanted === 'running' && helped.includes(row.status)
    const status = begins ? { status: 'connecting' as const, status_since: now, reason: null } : {}
    const labelled = { organization_id: organization, metadata: after.metadata }
    const labels = isRelabelled ? { labels_id: await addLabels(tx, labelled) } : {}
    const change = tx.sql
      .updateTable('instances')
      .set({ ...after, ...status, ...labels, updated_at: now })
      .where('id', '=', id)
      .returning(columns)
    const changed = await tx.all(change)
    await appendInstanceEvents(tx, changed, 'instance.updated', now)
    if (begins) await appendInstanceEvents(tx, changed, 'instance.status_changed', now)
    if (isRelabelled) await retireLabels(tx, { id: row.labels_id, organization, now })
    return 'changed'
  },
)

export const changeFunctions: StoreFunctions = { reads: [], transactions: [changeInstance] }
