import {
  type ApiKey,
  listApiKeys,
  listOrganizations as organizationsIn,
} from '../../organizations/organization-store.ts'
import { timestamp } from '../../runtime/clock.ts'
import type { Store } from '../../store/store.ts'
import { type Command, json, Refusal } from '../command.ts'
import { moment, print, printJson, table } from '../output.ts'
import { withStore } from '../store.ts'

/** `posthorn keys list`: everything about the keys but the keys. */
export const listKeys: Command = {
  name: 'keys list',
  summary: 'List the API keys, including revoked ones.',
  operands: [],
  options: {
    organization: { type: 'string', value: 'NAME', description: 'Only those of this organization.' },
    json,
  },
  async run({ options }) {
    const organization = options.organization === undefined ? null : String(options.organization)
    const keys = await withStore((store) => keysOf(store, organization))
    if (options.json) printJson(keys.map(described))
    else print(table([...titles], keys.map(rowOf)))
    return undefined
  },
}

const titles = [
  'ID',
  'ORGANIZATION',
  'ROLE',
  'KEY',
  'INSTANCES',
  'CREATED',
  'LAST USED',
  'EXPIRES',
  'REVOKED',
] as const

async function keysOf(store: Store, organization: string | null): Promise<ApiKey[]> {
  const keys = await store.read(listApiKeys, { organization })
  if (keys.length > 0 || organization === null) return keys
  const known = await store.read(organizationsIn, null)
  if (known.some(({ name }) => name === organization)) return keys
  throw new Refusal(
    `there is no organization "${organization}"; \`npx posthorn organizations list\` shows those there are`,
  )
}

function described(key: ApiKey) {
  const { id, organization, role, hint, created_at, last_used_at, expires_at, revoked_at } = key
  return {
    id,
    organization,
    role,
    begins_with: `phk_${hint}`,
    instances: limitOf(key),
    created_at: timestamp(created_at),
    last_used_at: timestamp(last_used_at),
    expires_at: timestamp(expires_at),
    revoked_at: timestamp(revoked_at),
  }
}

function rowOf(key: ApiKey): string[] {
  const { id, organization, role, hint, created_at, last_used_at, expires_at, revoked_at } = key
  const instances = limitOf(key)?.join(',') ?? 'all'
  const times = [created_at, last_used_at, expires_at, revoked_at]
  const columns = times.map((at) => (at === null ? '-' : moment(at)))
  return [id, organization, role, `phk_${hint}…`, instances, ...columns]
}

function limitOf({ instance_names }: ApiKey): string[] | null {
  return instance_names === null ? null : (JSON.parse(instance_names) as string[])
}
