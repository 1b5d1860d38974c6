import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../kit/play.ts'
import { arrival, Stage } from './forwarder.ts'
import { playKills } from './kills.ts'
import { needsRabbitmq, type Rabbitmq, startRabbitmq } from './rabbitmq.ts'

describe('events forwarded to a real RabbitMQ', { ...needsRabbitmq, timeout: 290_000 }, () => {
  let broker: Rabbitmq

  before(async () => {
    broker = await startRabbitmq()
  })

  after(() => broker?.remove())

  test('are all there, in order, over kills of each side', async (t) => {
    await broker.bind('posthorn.events')
    await playKills(t, broker)
  })

  test('wait until there is a queue for them, and are then all there with their marks', async () => {
    const name = 'other.events'
    const stage = await Stage.open()
    try {
      await stage.send(0)
      stage.forward(['--to', broker.url, '--from-oldest', '--name', name])
      const said = async () => stage.said
      await eventually('the sentence', said, (words) => /no queue of the broker is bound/.test(words))
      await broker.bind(name)
      const feed = await stage.feed()
      const received = await arrival(broker, feed.at(-1)?.id ?? '')
      const { route, marks, event } =
        received.find(({ event: { type } }) => type === 'message.sent') ?? assert.fail()
      assert.equal(route, 'trial.message.sent')
      const { type, deliveryMode, contentType, appId, headers } = marks
      assert.deepEqual(
        [type, deliveryMode, contentType, appId],
        ['message.sent', 2, 'application/json', 'posthorn'],
      )
      assert.deepEqual(headers, { sequence: event.sequence, epoch: event.epoch })
      assert.equal(await stage.endForwarder('SIGTERM'), 0)
    } finally {
      await stage.close()
    }
  })
})
