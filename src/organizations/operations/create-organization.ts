import { handler } from '../../contract/handler.ts'
import { createOrganization as operation } from '../../contract/operations/organization-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { newId } from '../../runtime/ids.ts'
import { renderOrganization } from '../organization.ts'
import { createOrganization as create } from '../organization-store.ts'
import { noActivity } from '../overview/organization-activity.ts'
import { nothingUsed } from '../usage.ts'
import { noteAbout, type OrganizationOperationsContext } from './context.ts'

export const createOrganization = ({ store, clock, quotas }: OrganizationOperationsContext) =>
  handler(operation, async ({ body, audit, turn }) => {
    const organization = { id: newId('org'), name: body.name, created_at: clock.now() }
    const note = noteAbout(organization.id, audit())
    if (!(await store.transact(create, { ...organization, note }, turn)))
      throw new Problem('organization_name_taken')
    return {
      status: 201,
      body: renderOrganization(
        { ...organization, ...nothingUsed, marketing_defaults: null },
        quotas,
        noActivity,
      ),
    }
  })
