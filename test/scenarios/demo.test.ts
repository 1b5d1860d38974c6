import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const demo = new URL('../../demo/demo.ts', import.meta.url).pathname

describe('npm run demo', { concurrency: 2 }, () => {
  for (const [network, last] of [
    ['telegram', 'message.sent'],
    ['whatsapp-cloud', 'message.read'],
  ] as const) {
    test(`${network}: shows a conversation both ways`, async () => {
      const { stdout } = await run(process.execPath, [demo, network, '--end'], { timeout: 120_000 })
      assert.match(stdout, /message\.received +"Hello, is my order on its way\?"/)
      assert.match(stdout, new RegExp(`${last.replace('.', '\\.')} +"It left this morning\\."`))
    })
  }

  test('says how it is used if the network is unknown', async () => {
    await assert.rejects(run(process.execPath, [demo, 'pigeons']), /telegram \| whatsapp-cloud/)
  })
})
