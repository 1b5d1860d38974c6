import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call } from '../../../contract/handler.ts'
import type { Operation } from '../../../contract/operation.ts'
import type { InstanceConnectivity } from '../../../contract/resources/instance.ts'
import type { LinkStep } from '../../../networks/driver/abilities/linking.ts'
import { Changes } from '../../../runtime/changes.ts'
import type { InstanceOperationsContext } from '../context.ts'
import { getLink } from './get-link.ts'

/** An instance that waits for a person, with a step that lasts until `now` is 1,000. */
function setUp() {
  const state = { now: 0, step: { kind: 'qr', value: 'first', expires_at: 1_000 } as LinkStep }
  const instanceChanges = new Changes()
  const [id, name] = ['inst_1', 'shop']
  const now = { status: 'awaiting_link', status_since: 0, wanted: 'running', queue_depth: 0 } as const
  const nothing = { reason: null, restriction: null, account: null, next_attempt_at: null } as const
  const never = { linked_at: null, connected_at: null, last_verified_at: null } as const
  const row = { id, name, ...now, ...nothing, ...never }
  const { handle } = getLink({
    instanceChanges,
    clock: { now: () => state.now },
    reader: { find: async () => ({ row, oldest: null, link: new Uint8Array([1]) }) },
    secrets: { openLink: () => state.step },
  } as unknown as InstanceOperationsContext)
  const read = async (waitMs = 0) => {
    const reply: unknown = await handle({
      caller: { organizationId: 'org_1' },
      params: { name: 'shop' },
      mediaType: 'application/json',
      waitMs,
      signal: new AbortController().signal,
    } as unknown as Call<Operation>)
    return reply as { readonly body: InstanceConnectivity }
  }
  return { state, instanceChanges, read }
}

test('a step that has expired is not shown, however late the network sends the next one', async () => {
  const { state, read } = setUp()
  assert.equal((await read()).body.link?.value, 'first')
  state.now = 1_000
  await assert.rejects(read(), { code: 'no_link_step', message: /has expired, and the next one follows/ })
})

test('whoever waits while the step has expired gets the next one', async () => {
  const { state, instanceChanges, read } = setUp()
  state.now = 1_000
  const waiting = read(60_000)
  state.step = { kind: 'qr', value: 'second', expires_at: 2_000 }
  instanceChanges.notify('inst_1')
  const reply = await waiting
  assert.equal(reply.body.link?.value, 'second')
})
