import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { arrival, compare, Stage } from './forwarder.ts'
import type { TestBroker } from './test-broker.ts'

/** Rounds of kills: `npm run test:long` tries longer. */
export const rounds = Number(process.env.POSTHORN_TEST_KILLS ?? 5) >= 100 ? 5 : 1

/** The broker is killed once in a round, the forwarder twice, the server once. */
const killsOf = (count: number) => 4 * count

/** Events that one kill may double: a page of the forwarder. */
const pageLimit = 100

/** Kills the broker, the forwarder and the server in turn while events flow, and then counts. */
export async function playKills(t: TestContext, broker: TestBroker): Promise<void> {
  const stage = await Stage.open()
  const words = ['--to', broker.url, '--from-oldest']
  let isOver = false
  let sending: Promise<void> | undefined
  try {
    stage.forward(words)
    sending = stage.keepSending(() => isOver)
    for (let round = 0; round < rounds; round++) {
      await stage.sends(20)
      await broker.kill()
      await stage.sends(20)
      // With events that it has read and could not publish.
      await stage.endForwarder('SIGKILL')
      stage.forward(words)
      await stage.sends(20)
      await broker.start()
      await stage.sends(20)
      await stage.endForwarder('SIGKILL')
      await stage.sends(20)
      stage.forward(words)
      await stage.sends(20)
      await stage.killServer()
      await stage.sends(20)
    }
    isOver = true
    await sending
    const last = stage.accepted
    await stage.send(last)
    const feed = await settledFeed(stage)
    const received = await arrival(broker, feed.at(-1)?.id ?? assert.fail('there are no events'))
    assert.equal(await stage.endForwarder('SIGTERM'), 0)
    const doubled = compare(received, feed)
    t.diagnostic(
      `${feed.length} events, ${killsOf(rounds)} kills: none missing, in order, ${doubled} doubled`,
    )
    assert.ok(doubled <= killsOf(rounds) * pageLimit, `${doubled} events are doubled`)
    assert.ok(feed.length > 100 * rounds)
  } finally {
    isOver = true
    await sending?.catch(() => undefined)
    await stage.close()
  }
}

/** The feed once nothing follows any more: each text was accepted and is sent. */
async function settledFeed(stage: Stage) {
  const sentIn = (feed: Awaited<ReturnType<Stage['feed']>>) =>
    feed.filter(({ type }) => type === 'message.sent').length
  for (;;) {
    const feed = await stage.feed()
    const unknown = feed.filter(({ type }) => type === 'message.unknown').length
    if (sentIn(feed) + unknown >= stage.accepted) return feed
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
