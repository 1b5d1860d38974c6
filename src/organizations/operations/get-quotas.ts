import { handler } from '../../contract/handler.ts'
import { getQuotas as operation } from '../../contract/operations/quota-operations.ts'
import { readUsage } from '../usage.ts'
import type { OrganizationOperationsContext } from './context.ts'

export const getQuotas = ({ store, quotas }: OrganizationOperationsContext) =>
  handler(operation, async ({ caller }) => {
    const usage = await store.read(readUsage, { organization: caller.organizationId })
    return {
      status: 200,
      body: {
        file_bytes: render(usage.file_bytes, quotas.file_bytes),
        unsettled_messages: render(usage.unsettled_messages, quotas.unsettled_messages),
        incoming_messages: render(usage.incoming_messages, quotas.incoming_messages),
      },
    }
  })

function render(used: number, limit: number | null) {
  return { used, limit, remaining: limit === null ? null : Math.max(0, limit - used) }
}
