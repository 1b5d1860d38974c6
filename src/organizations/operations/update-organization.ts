import { handler } from '../../contract/handler.ts'
import { updateOrganization as operation } from '../../contract/operations/organization-operations.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { changeOrganization } from '../organization-store.ts'
import {
  idOfOrganization,
  noteAbout,
  type OrganizationOperationsContext,
  showOrganizations,
} from './context.ts'

export const updateOrganization = (context: OrganizationOperationsContext) =>
  handler(operation, async ({ params, body: words, audit, turn }) => {
    const { store } = context
    const id = await idOfOrganization(store, params.organization, turn)
    const note = noteAbout(id, audit())
    const changed = await store.transact(changeOrganization, { id, ...words, note }, { party: id })
    if (changed.kind === 'invalid') throw invalid(...changed.faults)
    const row = changed.kind === 'changed' ? changed.row : null
    const [body] = row ? await showOrganizations(context, [row], turn) : []
    if (!body) throw new Problem('organization_not_found')
    return { status: 200, body }
  })
