import { handler } from '../../contract/handler.ts'
import { listTemplates as operation } from '../../contract/operations/template-operations.ts'
import { keyInCursor } from '../../contract/page-cursor.ts'
import { Problem } from '../../contract/problem.ts'
import { problems } from '../../contract/problems.ts'
import { placePattern } from '../../networks/driver/abilities/templates.ts'
import { noTemplates } from '../../networks/kit/template-check.ts'
import { writeCursor } from '../../runtime/text/cursor.ts'
import { unanswered } from '../template-questions.ts'
import { type InstanceOperationsContext, readInstance } from './context.ts'

const usualLimit = 50

export const listTemplates = (context: InstanceOperationsContext) => {
  const { networks, supervisor } = context
  return handler(operation, async ({ caller, params, query, signal }) => {
    const { row } = await readInstance(context, caller.organizationId, params.name)
    if (!networks.get(row.network)?.templates) throw noTemplates(networks)
    if (row.wanted === 'removed') throw new Problem('instance_deleting')
    const { limit = usualLimit, cursor } = query
    const after = keyInCursor(cursor, placePattern)
    const answer = (await supervisor.ask(row.id, 'list-templates', { limit, after }, signal)) ?? unanswered
    switch (answer.kind) {
      case 'listed': {
        const next_cursor = answer.next === null ? null : writeCursor(answer.next)
        return { status: 200, body: { data: [...answer.templates], next_cursor } }
      }
      case 'busy':
        throw new Problem('templates_being_listed', { headers: { 'retry-after': '1' } })
      case 'setting-missing':
        throw new Problem('setting_missing', { detail: answer.detail })
      case 'rejected':
        throw new Problem('network_refused', { detail: answer.error.detail })
      case 'unanswered': {
        const detail = `${answer.detail} ${problems.instance_not_connected.explanation}`
        throw new Problem('instance_not_connected', { detail })
      }
    }
  })
}
