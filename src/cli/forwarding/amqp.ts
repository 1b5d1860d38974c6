import type { Event } from '../../contract/resources/event.ts'
import {
  type Broker,
  confirmTimeout,
  connectTimeout,
  type Published,
  routeOf,
  type Target,
  Unrouted,
} from './broker.ts'

/** The library, as far as it is used here: an installation may be without it, and then without its types. */
interface AmqpLibrary {
  connect(url: string, options: object): Promise<AmqpConnection>
}
interface AmqpConnection {
  createConfirmChannel(): Promise<AmqpChannel>
  on(event: 'error' | 'close', listener: (error?: Error) => void): void
  close(): Promise<void>
}
interface AmqpChannel {
  assertExchange(name: string, type: string, options: object): Promise<unknown>
  publish(
    exchange: string,
    routingKey: string,
    content: Buffer,
    options: object,
    onConfirmed: (error: Error | null) => void,
  ): boolean
  on(event: 'error' | 'close', listener: (error?: Error) => void): void
  on(event: 'return', listener: (message: { properties: { messageId?: string } }) => void): void
}

/** The package of the library. Not written into the import, so that the compiler does not look for it. */
export const amqpPackage: string = 'amqplib'

/** Seconds between signs of life; a broker that gives none for twice as long is given up. */
const heartbeat = 15

/** Connects to an AMQP 0-9-1 broker, such as RabbitMQ, and declares a durable topic exchange there. */
export async function connectAmqp(target: Target): Promise<Broker> {
  const { connect }: AmqpLibrary = await import(amqpPackage)
  const url = new URL(target.url)
  if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(heartbeat))
  const clientProperties = { connection_name: 'posthorn events forward' }
  const connection = await connect(url.href, { timeout: connectTimeout, clientProperties })
  return AmqpBroker.open(connection, target)
}

class AmqpBroker implements Broker {
  readonly #connection: AmqpConnection
  readonly #target: Target
  #channel: AmqpChannel | undefined
  #lost: Error | undefined
  #onLost: (() => void) | undefined
  /** Ids of events that no queue was bound for; the broker sends them back before it confirms them. */
  readonly #returned = new Set<string>()

  private constructor(connection: AmqpConnection, target: Target) {
    this.#connection = connection
    this.#target = target
  }

  static async open(connection: AmqpConnection, target: Target): Promise<AmqpBroker> {
    const broker = new AmqpBroker(connection, target)
    broker.#watch(connection)
    try {
      const channel = await connection.createConfirmChannel()
      broker.#watch(channel)
      channel.on('return', ({ properties: { messageId } }) => {
        if (messageId !== undefined) broker.#returned.add(messageId)
      })
      await channel.assertExchange(target.name, 'topic', { durable: true })
      broker.#channel = channel
      return broker
    } catch (error) {
      await broker.close()
      throw error
    }
  }

  #watch(part: Pick<AmqpConnection, 'on'>): void {
    const lose = (error?: Error) => {
      this.#lost ??= error ?? new Error('the connection to the broker was closed')
      this.#onLost?.()
    }
    part.on('error', lose)
    part.on('close', lose)
  }

  async publish(events: readonly Event[]): Promise<Published> {
    this.#returned.clear()
    const faults = new Map<number, Error | null>()
    const { promise, resolve } = Promise.withResolvers<void>()
    const timeout = setTimeout(() => {
      this.#lost ??= new Error('the broker did not confirm in time')
      resolve()
    }, confirmTimeout)
    this.#onLost = resolve
    try {
      events.forEach((event, index) => {
        this.#send(event, (fault) => {
          faults.set(index, fault)
          if (faults.size === events.length) resolve()
        })
      })
      if (!this.#lost) await promise
    } catch (error) {
      // The library throws if the channel is closed already.
      this.#lost ??= error as Error
    } finally {
      clearTimeout(timeout)
      this.#onLost = undefined
    }
    const confirmed = events.findIndex((_, index) => faults.get(index) !== null)
    if (confirmed < 0) return { confirmed: events.length }
    const fault = faults.get(confirmed) ?? this.#lost ?? new Error('the broker did not confirm an event')
    return { confirmed, fault }
  }

  /** Calls `then` with null once the broker keeps the event, or with the reason why it does not. */
  #send(event: Event, then: (fault: Error | null) => void): void {
    const { name, dropsUnrouted } = this.#target
    const route = routeOf(event)
    const unrouted = new Unrouted(
      `no queue of the broker is bound to the exchange ${name} for ${route}; bind one, for example with the routing key #, choose ` +
        'events with --types or --instances, or let them be lost with --drop-unrouted',
    )
    this.#channel?.publish(name, route, Buffer.from(JSON.stringify(event)), propertiesOf(event), (error) => {
      const isReturned = this.#returned.delete(event.id) && !dropsUnrouted
      then(error ?? (isReturned ? unrouted : null))
    })
  }

  async close(): Promise<void> {
    await this.#connection.close().catch(() => undefined)
  }
}

function propertiesOf({ id, type, sequence, epoch, timestamp }: Event) {
  return {
    messageId: id,
    type,
    contentType: 'application/json',
    persistent: true,
    mandatory: true,
    appId: 'posthorn',
    timestamp: Math.floor(Date.parse(timestamp) / 1000),
    headers: { sequence, epoch },
  }
}
