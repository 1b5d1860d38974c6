import { type Role, roles } from '../../contract/operation.ts'
import { createApiKey, type NewApiKey } from '../../organizations/key-store.ts'
import { newApiKey } from '../../organizations/keys.ts'
import { findOrganization } from '../../organizations/organization-store.ts'
import { timestamp } from '../../runtime/clock.ts'
import { newId } from '../../runtime/ids.ts'
import type { Store } from '../../store/store.ts'
import { command, json, Refusal, WrongUsage } from '../command.ts'
import { expiryOf, nameOf, parseInstanceNames } from '../key-limits.ts'
import { explain, print, printJson } from '../output.ts'
import { withStore } from '../store.ts'

/** `posthorn keys create`. The key is shown this once: the store keeps only a digest of it. */
export const createKey = command({
  name: 'keys create',
  summary: 'Create an API key and show it once.',
  options: {
    organization: {
      type: 'string',
      value: 'NAME',
      required: true,
      description: 'The organization that the key belongs to.',
    },
    role: {
      type: 'string',
      value: 'admin|send|read',
      required: true,
      description: 'The rights of the key: everything, sending and reading, or reading.',
    },
    name: {
      type: 'string',
      value: 'NAME',
      description: 'A name for the key, such as "Order system".',
    },
    expires: {
      type: 'string',
      value: 'TIME',
      description:
        'When the key expires, such as 90d, 12h or 2027-01-31T00:00:00Z. By default, it is valid until it is revoked.',
    },
    instances: {
      type: 'string',
      value: 'NAMES',
      description: 'The only instances that the key can use, such as shop,desk. By default, all instances.',
    },
    json,
  },
  async run({ options }) {
    const { organization } = options
    const role = roles.find((candidate) => candidate === options.role)
    if (!role) throw new WrongUsage(`--role is one of admin, send and read, not "${options.role}"`)
    const id = newId('key')
    const { key, digest, hint } = newApiKey()
    const now = Date.now()
    const expires_at = expiryOf(options.expires, now)
    const instances = parseInstanceNames(options.instances)
    const instance_names = instances && JSON.stringify(instances)
    const name = nameOf(options.name)
    const row = { id, name, digest, hint, role, created_at: now, expires_at, instance_names }
    await withStore((store) => storeKey(store, organization, row))
    if (options.json)
      printJson({ id, organization, name, role, key, expires_at: timestamp(expires_at), instances })
    else show(id, organization, role, key)
  },
})

async function storeKey(
  store: Store,
  organization: string,
  row: Omit<NewApiKey, 'organization_id'>,
): Promise<void> {
  const owner = await store.read(findOrganization, { name: organization })
  if (!owner)
    throw new Refusal(
      `there is no organization "${organization}"; create it with \`npx posthorn organizations create ${organization}\``,
    )
  const created = await store.transact(createApiKey, { key: { ...row, organization_id: owner.id } })
  if (created.kind === 'limit_reached')
    throw new Refusal(
      `"${organization}" has as many keys as an organization may have; revoke unused ones with \`npx posthorn keys revoke\``,
    )
}

/** The key stands alone on standard output, so that `KEY=$(posthorn keys create …)` takes it and nothing else. */
function show(id: string, organization: string, role: Role, key: string): void {
  explain(`The ${role} key of ${organization}, shown only this once; to revoke it, use its id, ${id}:`)
  print(key)
}
