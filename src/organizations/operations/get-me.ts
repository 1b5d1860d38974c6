import { handler } from '../../contract/handler.ts'
import { getMe as operation } from '../../contract/operations/key-operations.ts'
import { unauthenticated } from '../../contract/problem.ts'
import { readOwnKey } from '../key-store.ts'
import { renderKey } from '../keys.ts'
import type { OrganizationOperationsContext } from './context.ts'

export const getMe = ({ store, version }: OrganizationOperationsContext) =>
  handler(operation, async ({ caller, turn }) => {
    if (!caller)
      return { status: 200, body: { kind: 'operator' as const, organization: null, key: null, version } }
    const row = await store.read(readOwnKey, { id: caller.keyId }, turn)
    if (!row) throw unauthenticated()
    const organization = { id: row.organization_id, name: row.organization }
    return { status: 200, body: { kind: 'key' as const, organization, key: renderKey(row), version } }
  })
