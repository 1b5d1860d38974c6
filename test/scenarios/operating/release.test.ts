import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { openGateway } from '../../../src/gateway/start.ts'
import { Supervisor } from '../../../src/instances/lifecycle/supervisor.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { freshFolder, startPosthorn, testConfig } from '../../kit/posthorn.ts'

test('a part that fails as the server stops keeps neither the store nor the data folder', async (t) => {
  const data = freshFolder()
  t.after(() => rmSync(data, { recursive: true, force: true }))
  const gateway = await openGateway(testConfig(data), silentLog, {
    onReplaced: () => assert.fail('nobody replaces it'),
    onStoreLost: (cause) => assert.fail(cause),
  })
  const broken = t.mock.method(Supervisor.prototype, 'end', async () => {
    throw new Error('a part failed')
  })
  await assert.rejects(gateway.stop(), /a part failed/)
  broken.mock.restore()
  const next = await startPosthorn({ data })
  await next.stop()
})
