import type { Organization as Shown } from '../contract/operations/organization-operations.ts'
import type { Quotas as ShownQuotas } from '../contract/operations/quota-operations.ts'
import type { QuotaName } from '../contract/statuses.ts'
import { timestamp } from '../runtime/clock.ts'
import { renderWords } from './marketing-words.ts'
import type { OrganizationRow } from './organization-store.ts'
import type { QuotaUsage, Usage } from './usage.ts'

/** An organization as the operator sees it. */
export function renderOrganization(
  row: OrganizationRow,
  quotas: QuotaUsage,
  activity: Pick<Shown, 'instances' | 'last_24_hours'>,
): Shown {
  const { id, name, created_at, marketing_defaults } = row
  const usage = renderUsage(row, quotas)
  return {
    id,
    name,
    created_at: timestamp(created_at),
    usage,
    ...activity,
    ...renderWords(marketing_defaults),
  }
}

/** Returns an organization's use of its quotas. */
export function renderUsage(usage: Usage, quotas: QuotaUsage): ShownQuotas {
  const shown = (name: QuotaName) => render(usage[name], quotas[name])
  return {
    file_bytes: shown('file_bytes'),
    stored_bytes: shown('stored_bytes'),
    unsettled_messages: shown('unsettled_messages'),
    incoming_messages: shown('incoming_messages'),
    waiting_callbacks: shown('waiting_callbacks'),
    waiting_callback_bytes: shown('waiting_callback_bytes'),
  }
}

function render(used: number, limit: number | null) {
  return { used, limit, remaining: limit === null ? null : Math.max(0, limit - used) }
}
