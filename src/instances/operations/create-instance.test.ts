import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { networksOf } from '../../networks/driver/registry.ts'
import { sandbox } from '../../networks/sandbox/driver.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { createInstance } from './create-instance.ts'

test('an instance that may have been created is run if it was: its node has it', async () => {
  const created: string[] = []
  const doubted: string[] = []
  const operation = createInstance({
    ...new FakeTime(),
    networks: networksOf([sandbox()]),
    ...{ defaultNetwork: 'sandbox', instanceLimit: 10, node: { id: 'node_one' } },
    secrets: { closeCredentials: () => new Uint8Array() },
    store: {
      async transact(_: unknown, { instance }: { instance: { id: string } }) {
        created.push(instance.id)
        throw new StoreUnavailable('the connection was lost')
      },
    },
    supervisor: { doubt: (id: string) => doubted.push(id) },
  } as never)
  const caller = { organizationId: 'org_a' }
  const call = { caller, body: { name: 'shop' }, turn: { party: 'org_a' }, audit: () => null }
  await assert.rejects(operation.handle(call as never), StoreUnavailable)
  assert.equal(created.length, 1)
  assert.deepEqual(doubted, created)
})
