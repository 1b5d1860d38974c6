import { handler } from '../../contract/handler.ts'
import { getQuotas as operation } from '../../contract/operations/quota-operations.ts'
import type { QuotaName } from '../../contract/statuses.ts'
import { readUsage } from '../usage.ts'
import type { OrganizationOperationsContext } from './context.ts'

export const getQuotas = ({ store, quotas }: OrganizationOperationsContext) =>
  handler(operation, async ({ caller }) => {
    const usage = await store.read(readUsage, { organization: caller.organizationId })
    const shown = (name: QuotaName) => render(usage[name], quotas[name])
    return {
      status: 200,
      body: {
        file_bytes: shown('file_bytes'),
        unsettled_messages: shown('unsettled_messages'),
        incoming_messages: shown('incoming_messages'),
        waiting_callbacks: shown('waiting_callbacks'),
        waiting_callback_bytes: shown('waiting_callback_bytes'),
      },
    }
  })

function render(used: number, limit: number | null) {
  return { used, limit, remaining: limit === null ? null : Math.max(0, limit - used) }
}
