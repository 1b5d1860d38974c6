import { isOrganizationName } from '../../organizations/organization-name.ts'
import { createOrganization as createInStore } from '../../organizations/organization-store.ts'
import { newId } from '../../runtime/ids.ts'
import { command, json, Refusal, WrongUsage } from '../command.ts'
import { explain, print, printJson } from '../output.ts'
import { withStore } from '../store.ts'

/** `posthorn organizations create`. */
export const createOrganization = command({
  name: 'organizations create',
  summary: 'Create an organization. Each API key belongs to one organization, and cannot see the others.',
  operands: ['NAME'],
  options: { json },
  async run({ operands: [name = ''], options }) {
    if (!isOrganizationName(name))
      throw new WrongUsage(
        `"${name}" cannot name an organization; use 1 to 63 of a-z, 0-9, _ and -, with a letter or digit first`,
      )
    const organization = { id: newId('org'), name, created_at: Date.now() }
    if (!(await withStore((store) => store.transact(createInStore, organization))))
      throw new Refusal(
        `there is an organization "${name}" already; \`npx posthorn organizations list\` shows all`,
      )
    if (options.json)
      printJson({ ...organization, created_at: new Date(organization.created_at).toISOString() })
    else print(`The organization ${name} was created.`)
    explain(`Its first key: npx posthorn keys create --organization ${name} --role admin`)
  },
})
