import type { Event } from '../../contract/resources/event.ts'

/** The result of a publication. */
export interface Published {
  /** The number of events, from the first one on, that the broker has confirmed to keep. */
  readonly confirmed: number
  /** Why the next one was not confirmed; undefined if all were. */
  readonly fault?: Error
}

/** An open connection to a broker. */
export interface Broker {
  /** Publishes the events in their order, and waits until the broker has confirmed each of them. */
  publish(events: readonly Event[]): Promise<Published>
  /** Closes the connection. Never throws. */
  close(): Promise<void>
}

/** The place at a broker that events are published to. */
export interface Target {
  readonly url: URL
  /** The name of the exchange, or the beginning of the subjects. */
  readonly name: string
  /** True if events that no queue is bound for may be lost. */
  readonly dropsUnrouted: boolean
}

/** The broker cannot take the event because it has no place to go there. The connection is in order. */
export class Unrouted extends Error {
  override readonly name = 'Unrouted'
}

/** Milliseconds until the broker must have confirmed what was published, and must have answered a connection. */
export const confirmTimeout = 30_000
export const connectTimeout = 5_000

/** The instance of an event, as a word of its routing key or subject; `-` if the event is about none. */
export function instanceWord({ data }: Event): string {
  const { instance } = data as { readonly instance?: { readonly name: string } }
  return instance?.name ?? '-'
}

/** The words by which consumers choose events: `shop.message.received`. Names of instances have no dots. */
export function routeOf(event: Event): string {
  return `${instanceWord(event)}.${event.type}`
}

/** A target for people: without what it holds in secret. */
export function shownTarget({ url, name }: Target): string {
  return `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname} (${name})`
}
