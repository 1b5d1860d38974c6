import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../test/kit/fake-time.ts'
import type { Caller } from '../contract/handler.ts'
import { operations } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { StoreForAll, Turn } from '../store/store.ts'
import { AuditTrail } from './audit-trail.ts'

test('what keys were refused is noted in the turns of their own organizations', () => {
  const parties: string[] = []
  const store = {
    transact: async (_: unknown, __: unknown, { party }: Turn) => void parties.push(party),
  } as unknown as StoreForAll
  const trail = new AuditTrail(store, new FakeTime().clock)
  const deleting = operations.find(({ id }) => id === 'deleteInstance')
  assert.ok(deleting)
  for (const organizationId of ['org_one', 'org_two']) {
    const caller: Caller = {
      organizationId,
      keyId: `key_of_${organizationId}`,
      keyHint: 'a3f9',
      role: 'read',
      instances: null,
    }
    const auditEntry = trail.begin(deleting, caller, { id: 'req_1', params: { name: 'one' } }, undefined)
    assert.ok(auditEntry)
    for (let repeated = 0; repeated < 3; repeated++) trail.refused(auditEntry, new Problem('forbidden'))
  }
  assert.deepEqual(parties, ['org_one', 'org_two'])
})
