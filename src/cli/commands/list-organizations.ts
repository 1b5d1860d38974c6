import { listOrganizations as listInStore } from '../../organizations/organization-store.ts'
import { type Command, json } from '../command.ts'
import { print, printJson, printTable, printTime } from '../output.ts'
import { withStore } from '../store.ts'

/** `posthorn organizations list`. */
export const listOrganizations: Command = {
  name: 'organizations list',
  summary: 'List the organizations.',
  operands: [],
  options: { json },
  async run({ options }) {
    const organizations = await withStore((store) => store.read(listInStore, null))
    if (options.json) {
      printJson(
        organizations.map(({ id, name, created_at }) => ({
          id,
          name,
          created_at: new Date(created_at).toISOString(),
        })),
      )
    } else {
      const rows = organizations.map(({ name, created_at, id }) => [name, printTime(created_at), id])
      print(printTable(['NAME', 'CREATED', 'ID'], rows))
    }
    return undefined
  },
}
