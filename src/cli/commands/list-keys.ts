import { type ListedKey, listApiKeys } from '../../organizations/key-store.ts'
import { instancesOf } from '../../organizations/keys.ts'
import { listOrganizations as organizationsIn } from '../../organizations/organization-store.ts'
import { timestamp } from '../../runtime/clock.ts'
import type { Store } from '../../store/store.ts'
import { type Command, json, Refusal } from '../command.ts'
import { print, printJson, printTable, printTime } from '../output.ts'
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
    else print(printTable([...titles], keys.map(rowOf)))
    return undefined
  },
}

const titles = [
  'ID',
  'ORGANIZATION',
  'NAME',
  'ROLE',
  'KEY',
  'INSTANCES',
  'CREATED',
  'LAST USED',
  'EXPIRES',
  'REVOKED',
] as const

async function keysOf(store: Store, organization: string | null): Promise<ListedKey[]> {
  const keys = await store.read(listApiKeys, { organization })
  if (keys.length > 0 || organization === null) return keys
  const known = await store.read(organizationsIn, null)
  if (known.some(({ name }) => name === organization)) return keys
  throw new Refusal(
    `there is no organization "${organization}"; \`npx posthorn organizations list\` lists them`,
  )
}

function described(key: ListedKey) {
  const { id, organization, name, role, hint, created_at, last_used_at, expires_at, revoked_at } = key
  return {
    id,
    organization,
    name,
    role,
    begins_with: `phk_${hint}`,
    instances: instancesOf(key),
    created_at: timestamp(created_at),
    last_used_at: timestamp(last_used_at),
    expires_at: timestamp(expires_at),
    revoked_at: timestamp(revoked_at),
  }
}

function rowOf(key: ListedKey): string[] {
  const { id, organization, name, role, hint, created_at, last_used_at, expires_at, revoked_at } = key
  const instances = instancesOf(key)?.join(',') ?? 'all'
  const times = [created_at, last_used_at, expires_at, revoked_at]
  const columns = times.map((at) => (at === null ? '-' : printTime(at)))
  return [id, organization, name ?? '-', role, `phk_${hint}…`, instances, ...columns]
}
