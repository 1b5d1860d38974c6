import { type ListedKey, listApiKeys } from '../../organizations/key-store.ts'
import { instancesOf } from '../../organizations/keys.ts'
import { listOrganizations as organizationsIn } from '../../organizations/organization-store.ts'
import { timestamp } from '../../runtime/clock.ts'
import type { Store } from '../../store/store.ts'
import { command, json, Refusal } from '../command.ts'
import { type Cells, print, printJson, readableTime, tableOf } from '../output.ts'
import { withStore } from '../store.ts'

/** `posthorn keys list`: everything about the keys but the keys. */
export const listKeys = command({
  name: 'keys list',
  summary: 'List the API keys, including revoked ones.',
  options: {
    organization: { type: 'string', value: 'NAME', description: 'Only those of this organization.' },
    json,
  },
  async run({ options }) {
    const keys = await withStore((store) => keysOf(store, options.organization ?? null))
    if (options.json) printJson(keys.map(described))
    else print(tableOf(keys, columns))
  },
})

const columns: Cells<ListedKey> = {
  ID: ({ id }) => id,
  ORGANIZATION: ({ organization }) => organization,
  NAME: ({ name }) => name ?? '-',
  ROLE: ({ role }) => role,
  KEY: ({ hint }) => `phk_${hint}…`,
  INSTANCES: (key) => instancesOf(key)?.join(',') ?? 'all',
  CREATED: ({ created_at }) => readableTime(created_at),
  'LAST USED': ({ last_used_at }) => readableTime(last_used_at),
  EXPIRES: ({ expires_at }) => readableTime(expires_at),
  REVOKED: ({ revoked_at }) => readableTime(revoked_at),
}

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
