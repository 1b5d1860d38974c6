import { listOrganizations as listInStore } from '../../organizations/organization-store.ts'
import { timestamp } from '../../runtime/clock.ts'
import { command, json } from '../command.ts'
import { print, printJson, readableTime, tableOf } from '../output.ts'
import { withStore } from '../store.ts'

/** `posthorn organizations list`. */
export const listOrganizations = command({
  name: 'organizations list',
  summary: 'List the organizations.',
  options: { json },
  async run({ options }) {
    const organizations = await withStore((store) => store.read(listInStore, null))
    if (options.json)
      printJson(
        organizations.map(({ id, name, created_at }) => ({ id, name, created_at: timestamp(created_at) })),
      )
    else
      print(
        tableOf(organizations, {
          NAME: ({ name }) => name,
          CREATED: ({ created_at }) => readableTime(created_at),
          ID: ({ id }) => id,
        }),
      )
  },
})
