import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { eventually } from '../kit/play.ts'
import { arrival, Stage } from './forwarder.ts'
import { playKills } from './kills.ts'
import { needsNats, startNats } from './nats-server.ts'

describe('events forwarded to a real NATS server', needsNats, () => {
  test('are all there, in order, over kills of each side', { timeout: 280_000 }, async (t) => {
    const broker = await startNats()
    try {
      await playKills(t, broker)
    } finally {
      await broker.remove()
    }
  })

  test('begin with the next one, and go on where a forwarder ended', { timeout: 120_000 }, async () => {
    const broker = await startNats({ token: 'a-token-of-nats' })
    const stage = await Stage.open()
    try {
      const file = `${stage.cursor}.url`
      writeFileSync(file, broker.url.replace('nats://', 'nats://a-token-of-nats@'))
      await stage.send(0)
      const { length: before } = await stage.feed()
      stage.forward(['--to-file', file])
      await eventually('a cursor', async () => stage.hasCursor(), Boolean)
      await stage.send(1)
      const feed = await stage.feed()
      const received = await arrival(broker, feed.at(-1)?.id ?? '')
      assert.ok(received.every(({ event }) => event.sequence > before))
      assert.equal(await stage.endForwarder('SIGTERM'), 0)
      assert.ok(!stage.said.includes('a-token-of-nats'))
    } finally {
      await stage.close()
      await broker.remove()
    }
  })
})
