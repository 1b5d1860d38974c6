import { setTimeout as wait } from 'node:timers/promises'
import { getInstance } from '../../src/contract/operations/instance-operations.ts'
import { listAttempts } from '../../src/contract/operations/message-history-operations.ts'
import { createWebhook, getWebhook } from '../../src/contract/operations/webhook-operations.ts'
import type { Event } from '../../src/contract/resources/event.ts'
import type { Message } from '../../src/contract/resources/message.ts'
import { type Received, WebhookReceiver } from '../kit/far-ends/webhook-receiver.ts'
import type { CheckedClient } from '../kit/http/checked-client.ts'
import { eventually, everythingListed } from '../kit/play.ts'
import type { DeliveredEvent, Fate } from './check/story.ts'
import { insisting } from './insisting.ts'

/** Receives all events, in the order of each instance; takes its time, and stumbles a few times at an event that it first sees. */
export class ChaosReceiver {
  readonly #receiver: WebhookReceiver
  readonly #webhook: string
  readonly #refused: ReadonlySet<Received>

  private constructor(receiver: WebhookReceiver, webhook: string, refused: ReadonlySet<Received>) {
    this.#receiver = receiver
    this.#webhook = webhook
    this.#refused = refused
  }

  static async listenTo(admin: CheckedClient, random: () => number): Promise<ChaosReceiver> {
    const seen = new Set<string>()
    const refused = new Set<Received>()
    const receiver = await WebhookReceiver.start(async (received, response) => {
      const { id } = received.event
      const isStumble = seen.size > 20 && refused.size < 3 && !seen.has(id)
      seen.add(id)
      if (isStumble) refused.add(received)
      await wait(random() * 20)
      response.writeHead(isStumble ? 500 : 204).end()
    })
    const body = { url: receiver.url, ordering: 'per_instance' } as const
    const created = await admin.call(createWebhook, { body })
    return new ChaosReceiver(receiver, created.body.id, refused)
  }

  /** The events that came, in their order. */
  get delivered(): DeliveredEvent[] {
    return this.#receiver.received.flatMap((received) => {
      const accepted = !this.#refused.has(received)
      return received.events.map((event) => deliveredEvent(event, accepted))
    })
  }

  /** The number of events that it has not got yet. */
  async pending(admin: CheckedClient): Promise<number> {
    const { body } = await insisting(() => admin.call(getWebhook, { params: { webhook: this.#webhook } }))
    return body.pending
  }

  stop(): Promise<void> {
    return this.#receiver.stop()
  }
}

function deliveredEvent(event: Event, accepted: boolean): DeliveredEvent {
  const { id, sequence, type } = event
  const data = event.data as {
    instance?: { name: string; reason?: { code: string } | null }
    message?: { id: string }
  }
  return {
    ...{ id, sequence, type, body: JSON.stringify(event), accepted },
    ...(data.instance && { instance: data.instance.name }),
    ...(data.instance?.reason && { reason: data.instance.reason.code }),
    ...(data.message && { message: data.message.id }),
  }
}

interface Resting {
  readonly instances: readonly string[]
  readonly receiver: ChaosReceiver | undefined
  /** Resolves when the nodes have handled all that networks had to tell. */
  readonly told: () => Promise<unknown>
  /** Milliseconds in which something must happen, for as long as not all is over. */
  readonly within: number
}

/** Waits until a count is 0. Rejects if it stays the same for so long: a machine that is busy with other things takes its time. */
async function comesToNone(count: () => Promise<number>, within: number): Promise<void> {
  for (let last = await count(); last !== 0; ) {
    const before = last
    last = await eventually('fewer', count, (now) => now !== before, within)
  }
}

/** Waits until everything that was accepted has left and was told. What did not in time, the checker finds. */
export async function settled(
  admin: CheckedClient,
  { instances, receiver, told, within }: Resting,
): Promise<void> {
  const depthOf = (name: string) => async () =>
    (await insisting(() => admin.call(getInstance, { params: { name } }))).body.queue.depth
  await Promise.allSettled(instances.map((name) => comesToNone(depthOf(name), within)))
  await Promise.race([told(), wait(within, undefined, { ref: false })])
  if (!receiver) return
  await comesToNone(() => insisting(() => receiver.pending(admin)), within).catch(() => {})
}

/** Reads what the nodes say about all messages. */
export async function fatesOf(admin: CheckedClient): Promise<Fate[]> {
  const messages = await insisting(() => everythingListed(admin, { direction: 'outbound', limit: 200 }))
  return Promise.all(messages.map((message) => fateOf(admin, message)))
}

async function fateOf(
  admin: CheckedClient,
  { id, instance, status, network_message_id }: Message,
): Promise<Fate> {
  const fate = { id, instance, status, networkMessageId: network_message_id }
  if (status !== 'unknown') return { ...fate, attempts: [] }
  const { body } = await insisting(() => admin.call(listAttempts, { params: { id } }))
  const at = (moment: string | null, otherwise: number) => (moment ? Date.parse(moment) : otherwise)
  const attempts = body.data.map(({ started_at, ended_at }) => ({
    from: at(started_at, 0),
    until: at(ended_at, Date.now()),
  }))
  return { ...fate, attempts }
}
