import type {
  AuditMethods,
  ContactsMethods,
  ConversationsMethods,
  EventsMethods,
  GroupsMethods,
  InstancesMethods,
  KeysMethods,
  MadeMethods,
  MessagesMethods,
  NetworksMethods,
  NodesMethods,
  OrganizationsMethods,
  QuotasMethods,
  ServerMethods,
  ServiceMethods,
  StatisticsMethods,
  WebhooksMethods,
} from './contract/methods.ts'
import { operations } from './contract/operations.ts'
import type { Event, EventType, Message, SendMedia, StreamedEventType } from './contract/types.ts'
import {
  type EventFeed,
  type FollowOptions,
  followEvents,
  type ProcessOptions,
  processEvents,
} from './follow.ts'
import type { OperationRow } from './operation.ts'
import type { PosthornOptions, SendOptions } from './options.ts'
import { type Page, Pages } from './pages.ts'
import { sendMedia, type UploadedMedia } from './send-media.ts'
import { Transport } from './transport.ts'
import { type ReachableStatus, type WaitForOptions, waitFor } from './wait-for.ts'

export interface MessageMethods extends MessagesMethods {
  /**
   * Sends a file: a `document`, an `image` or `audio`, with a caption if you like. Give the content as `file`, or a `url` from which the
   * server fetches it.
   */
  sendMedia(media: SendMedia | UploadedMedia, options?: SendOptions): Promise<Message>
  /**
   * Waits until a message is `sent`, `delivered` or `read`. Throws an `OutcomeError` if it came to another end, and a
   * `PosthornTimeoutError` after `timeoutMs`.
   */
  waitFor(
    message: Pick<Message, 'id' | 'instance'>,
    status: ReachableStatus,
    options?: WaitForOptions,
  ): Promise<Message>
}

export interface EventMethods extends EventsMethods {
  /** Follows the events as they happen. It reconnects where it was, and throws an `EventGapError` if events were missed. */
  follow<T extends StreamedEventType = EventType>(options?: FollowOptions<T>): EventFeed<T>
  /** Passes each event to `handle` at least once, over restarts of your program, too. */
  process(handle: (event: Event) => Promise<void> | void, options: ProcessOptions): Promise<void>
}

/** A client of one Posthorn server. */
export class Posthorn implements MadeMethods {
  readonly instances: InstancesMethods
  readonly messages: MessageMethods
  readonly conversations: ConversationsMethods
  readonly contacts: ContactsMethods
  readonly groups: GroupsMethods
  readonly events: EventMethods
  readonly webhooks: WebhooksMethods
  readonly networks: NetworksMethods
  readonly quotas: QuotasMethods
  readonly statistics: StatisticsMethods
  readonly audit: AuditMethods
  readonly keys: KeysMethods
  readonly organizations: OrganizationsMethods
  readonly server: ServerMethods
  readonly nodes: NodesMethods
  readonly service: ServiceMethods

  constructor(options: PosthornOptions) {
    const transport = new Transport(options)
    const made = methodsOf(transport)
    this.instances = made.instances
    this.messages = {
      ...made.messages,
      sendMedia: (media, sendOptions) => sendMedia(transport, media, sendOptions),
      waitFor: (message, status, waitOptions) => waitFor(transport, message, status, waitOptions),
    }
    this.conversations = made.conversations
    this.contacts = made.contacts
    this.groups = made.groups
    this.events = {
      ...made.events,
      follow: (followOptions = {}) => followEvents(transport, followOptions),
      process: (handle, processOptions) => processEvents(transport, handle, processOptions),
    }
    this.webhooks = made.webhooks
    this.networks = made.networks
    this.quotas = made.quotas
    this.statistics = made.statistics
    this.audit = made.audit
    this.keys = made.keys
    this.organizations = made.organizations
    this.server = made.server
    this.nodes = made.nodes
    this.service = made.service
  }
}

/** The methods of the table. Their types are made from the contract together with it. */
function methodsOf(transport: Transport): MadeMethods {
  const groups = Object.entries(operations).map(([resource, rows]) => {
    const methods = Object.entries(rows as Readonly<Record<string, OperationRow>>).map(
      ([name, row]) => [name, methodOf(transport, row, `${resource}.${name}`)] as const,
    )
    return [resource, Object.fromEntries(methods)] as const
  })
  return Object.fromEntries(groups) as unknown as MadeMethods
}

/** A method takes the parameters of its path, then its query or body if it has one, and then options. */
function methodOf(
  transport: Transport,
  operation: OperationRow,
  name: string,
): (...given: unknown[]) => unknown {
  const [, template, flags] = operation
  return (...given) => {
    const path = template.replace(/\{(\w+)\}/g, (_, parameter: string) =>
      segmentOf(given.shift(), parameter, name),
    )
    const input = /[qb]/.test(flags) ? (given.shift() as Record<string, unknown> | undefined) : undefined
    const options = given.shift() as SendOptions | undefined
    if (flags.includes('p')) {
      return new Pages((cursor) => {
        const query = cursor === undefined ? input : { ...input, cursor }
        return transport.send({ operation, path, query, options }) as Promise<Page<unknown>>
      })
    }
    const part = flags.includes('q') ? { query: input } : { body: input }
    return transport.send({ operation, path, ...part, options })
  }
}

/** A parameter as a segment of a path. URLs swallow empty segments and dots, and the request would reach another operation. */
function segmentOf(value: unknown, parameter: string, method: string): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) {
    throw new TypeError(`${method} needs the ${parameter} as a text that is neither empty nor dots.`)
  }
  return encodeURIComponent(value)
}
