import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { createWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import type { Event } from '../../../src/contract/resources/event.ts'
import { kills, seed } from '../../kit/crash/kills.ts'
import { PersistentSender } from '../../kit/crash/persistent-sender.ts'
import {
  isVerified,
  type Received,
  type Reception,
  WebhookReceiver,
} from '../../kit/far-ends/webhook-receiver.ts'
import { assertCounted } from '../../kit/http/counted-events.ts'
import { eventually } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { randomOf } from '../../kit/random.ts'

const random = randomOf(seed)

const data = freshFolder()
let server: PosthornProcess
let receivers: WebhookReceiver[] = []

const start = () => spawnPosthorn(data, { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' })

before(async () => {
  server = await start()
})
after(async () => {
  await server.end('SIGKILL')
  for (const receiver of receivers) await receiver.stop()
  rmSync(data, { recursive: true, force: true })
})

/** Takes its time, so that a kill finds attempts under way, and stumbles now and then at an event that it first sees. */
function clumsy(): Reception {
  const seen = new Set<string>()
  let stumbles = 3
  return async ({ event }, response) => {
    const isStumble = !seen.has(event.id) && random() < 0.02 && stumbles-- > 0
    seen.add(event.id)
    await wait(random() * 20)
    response.writeHead(isStumble ? 500 : 204).end()
  }
}

async function register(ordering: 'none' | 'per_instance', batch = 1) {
  const receiver = await WebhookReceiver.start(clumsy())
  receivers = [...receivers, receiver]
  const { body } = await server.admin.call(createWebhook, { body: { url: receiver.url, ordering, batch } })
  return { receiver, secret: body.secret }
}

/** The number of the last event, from the server's own books. */
function lastEvent(): number {
  const database = new DatabaseSync(join(data, 'posthorn.db'), { readOnly: true })
  try {
    return Number(database.prepare('select last_event from organizations').get()?.last_event)
  } finally {
    database.close()
  }
}

/** The events in the order in which each came first. */
function firsts(received: readonly Received[]): Event[] {
  const seen = new Set<string>()
  return received.flatMap(({ events }) => events).filter(({ id }) => !seen.has(id) && seen.add(id))
}

/** True if every number that the server has given out came. */
function hasAll(received: readonly Received[]): boolean {
  return firsts(received).length === lastEvent()
}

function messageIn(event: Event): string | undefined {
  return event.type === 'message.queued' ? (event.data as { message: { id: string } }).message.id : undefined
}

function instanceIn(event: Event): string {
  return (event.data as { instance: { name: string } }).instance.name
}

test('the server is killed at random moments, and every event arrives, signed, in order where it is to', async (context) => {
  const names = ['first', 'second', 'third']
  const [loose, ordered] = [await register('none'), await register('per_instance')]
  const batched = [await register('none', 10), await register('per_instance', 10)]
  const all = [loose, ordered, ...batched]
  for (const name of names) await server.admin.call(createInstance, { body: { name }, waitSeconds: 10 })
  const lines = names.flatMap((instance) =>
    ['ana', 'ben', 'cem'].map((who) => ({ instance, to: `${who}@reads.sandbox`, patient: true })),
  )
  const sender = new PersistentSender(server, lines)
  for (let kill = 0; kill < kills; kill++) {
    const before = sender.acknowledged.length
    await wait(30 + random() * 900)
    // A moment may be too short for anything on a busy machine; every other kill finds something that can be lost.
    const isMore = (count: number) => kill % 2 === 0 || count > before
    await eventually('a message to be acknowledged', async () => sender.acknowledged.length, isMore)
    await server.end('SIGKILL')
    server = await start()
    sender.moveTo(server)
  }
  await sender.finish()
  for (const { receiver } of all) await receiver.until('every event', hasAll)
  const counted = await assertCounted(server.admin, firsts(loose.receiver.received))
  assert.equal(counted.accepted, firsts(loose.receiver.received).filter(messageIn).length)
  await server.end('SIGTERM')

  for (const { receiver, secret } of all) {
    const { received } = receiver
    const events = firsts(received)
    context.diagnostic(
      `seed ${seed}: ${kills} kills, ${sender.acknowledged.length} messages, ${events.length} events, ${received.length} requests`,
    )
    const queued = new Set(events.map(messageIn))
    assert.ok(sender.acknowledged.every(({ id }) => queued.has(id)))
    for (const each of received) {
      assert.ok(isVerified(each, secret))
      if ([loose, ordered].some((one) => one.receiver === receiver))
        assert.equal(each.headers['webhook-id'], each.event.id)
      else assert.match(String(each.headers['webhook-id']), /^bat_/)
    }
    for (const [, same] of Map.groupBy(received, ({ headers }) => headers['webhook-id']))
      assert.equal(new Set(same.map(({ body }) => body)).size, 1, 'the same each time')
  }
  assert.ok(batched.every(({ receiver }) => receiver.received.some(({ events }) => events.length > 1)))
  const inOrder = [ordered, batched[1] ?? ordered].flatMap(({ receiver }) => [
    ...Map.groupBy(firsts(receiver.received), instanceIn).values(),
  ])
  for (const own of inOrder) {
    const sequences = own.map(({ sequence }) => sequence)
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
    )
  }
})
