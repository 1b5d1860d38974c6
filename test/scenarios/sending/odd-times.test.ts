import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInstance, getInstanceStatus } from '../../../src/contract/operations/instance-operations.ts'
import type { ConnectContext } from '../../../src/networks/driver/connection.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'
import { eventually } from '../../kit/play.ts'
import { startPosthorn } from '../../kit/posthorn.ts'

test('a restriction that a driver reports until a time that nobody can write is stored, and shown with its reason', async (context) => {
  const driver = sandbox()
  const restriction = { code: 'new_contacts_limited', detail: 'Wait.', scope: 'all_messages' } as const
  const connect = (given: ConnectContext) => {
    const report: ConnectContext['report'] = (observation) => {
      const stored = given.report(observation)
      if (observation.kind !== 'connection-opened') return stored
      return given.report({
        kind: 'restriction',
        restriction: { ...restriction, since: 2 ** 53, ends_at: 2 ** 53 },
      })
    }
    return driver.connect({ ...given, report })
  }
  const posthorn = await startPosthorn({ drivers: [{ ...driver, connect }] })
  context.after(() => posthorn.stop())
  const body = { name: 'odd', network: 'sandbox', settings: {}, credentials: {} }
  await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
  const shown = await eventually(
    'the restriction',
    async () => (await posthorn.admin.call(getInstanceStatus, { params: { name: 'odd' } })).body,
    (now) => now.restriction !== null,
  )
  assert.deepEqual(
    [shown.status, shown.sendable, shown.restriction?.ends_at, shown.restriction?.code],
    ['connected', false, null, restriction.code],
  )
})
