import type { Changes } from '../runtime/changes.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Seal } from '../runtime/secrets/seal.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'
import type { StoreForAll } from '../store/store.ts'
import { Asks, type Perform } from './asks.ts'
import type { NodeLease } from './node-lease.ts'
import type { Peers } from './peers.ts'
import { Successors } from './successors.ts'

/** The subject of a word between nodes; an id goes with it. A word may be lost: its hearers also look by themselves. */
export type Topic =
  /** An instance has something to send, or callbacks to handle; its node has changed it. */
  | 'due'
  | 'callbacks'
  | 'instance'
  /** An organization has new events or deliveries. */
  | 'organization'
  /** Events of an organization say less than they did, because a person was forgotten. */
  | 'emptied'
  /** The node that delivers the events of an organization has something to do. */
  | 'webhooks'
  /** Instances of a network are about to be given away. */
  | 'coming'
  /** An instance is free: its node has given it away, to a node if it could name one: `INSTANCE:ORGANIZATION:NODE`, or `INSTANCE`. */
  | 'free'
  /** A key was revoked. */
  | 'key'
  /** A key has made requests: `KEY:NUMBER`. */
  | 'rate'
  /** Callers follow those who type in an organization: its id. A person types there: an encoded notice. */
  | 'listening'
  | 'typing'
  /** A file of this direction is to be fetched. */
  | 'file'
  /** A node is asked for something; an ask is answered. */
  | 'asked'
  | 'answered'

/** Carries words between the processes on a store. */
export interface Channel {
  /** True if the words of others come, as far as it knows. */
  readonly works: boolean
  send(word: string): void
  end(): Promise<void>
}

/** Opens the channel; `hear` is called with the words of others. */
export type OpenChannel = (hear: (word: string) => void) => Channel

/** Does what follows when other nodes tell this one something. */
export interface Listener {
  hear(topic: Exclude<Topic, 'asked' | 'answered'>, id: string): void
  readonly perform: Perform
  /** Looks for everything of which others may have told it. */
  look(): Promise<void>
  /** Wakes what waits for something that no node tells about, and that has happened. */
  wakeWaiting(): Promise<void>
}

/** An instance that this node has given away. */
interface Given {
  readonly id: string
  readonly organization_id: string
}

interface Context {
  readonly store: StoreForAll
  readonly node: NodeLease
  readonly peers: Peers
  readonly seal: Pick<Seal, 'open' | 'close'>
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in'>
  readonly log: Log
  /** Announces answers, by the id of their ask. */
  readonly answers: Changes
  /** Undefined if no other node can share the store. */
  readonly openChannel: OpenChannel | undefined
}

/** Milliseconds between two looks for what others ask, and of those who wait; and between two looks for all else while the channel works, or no other runs. */
const lookEvery = 500
const lookEveryWithChannel = 5_000

/** The other nodes, as this one tells and asks them. A node that is alone tells and looks for nothing. */
export class OtherNodes {
  readonly #context: Context
  readonly #asks: Asks
  readonly #successors: Successors
  #channel: Channel | undefined
  #listener: Listener | undefined
  #lookedAt = 0
  /** True if words came at the last look. */
  #worked = false
  #ended = false

  constructor(context: Context) {
    this.#context = context
    this.#successors = new Successors(context)
    this.#asks = new Asks({ ...context, tell: (topic, id) => this.tell(topic, id) })
  }

  begin(listener: Listener): void {
    this.#listener = listener
    this.#channel = this.#context.openChannel?.((word) => this.#hear(word))
    if (this.#context.openChannel) this.#lookLater()
  }

  async end(): Promise<void> {
    this.#ended = true
    await this.#channel?.end()
  }

  tell(topic: Topic, id: string): void {
    if (this.#channel && this.#context.peers.exist) this.#channel.send(`${topic} ${id}`)
  }

  /** As `Supervisor.ask`, for an instance that this node does not run. */
  ask(instance: string, task: string, argument: unknown, signal: AbortSignal): Promise<unknown> {
    return this.#asks.ask(instance, task, argument, signal)
  }

  /** True if words reach other nodes. */
  get hasHearers(): boolean {
    return this.#channel?.works === true && this.#context.peers.exist
  }

  wake(instance: string): void {
    this.tell('due', instance)
  }

  wakeCallbacks(instance: string): void {
    this.tell('callbacks', instance)
  }

  /** Learns which nodes are to get what this one gives away from now on, and tells the others of which networks that is. */
  prepareHandOver(networks: Iterable<string>): Promise<void> {
    for (const network of networks) this.tell('coming', network)
    return this.#successors.count()
  }

  gave({ id, organization_id }: Given): void {
    const successor = this.#successors.next()
    this.tell('free', successor === undefined ? id : `${id}:${organization_id}:${successor}`)
  }

  #hear(word: string): void {
    const [topic, id = ''] = word.split(' ', 2) as [Topic, string?]
    if (topic === 'answered') this.#context.answers.notify(id)
    else if (topic !== 'asked') this.#listener?.hear(topic, id)
    else if (id === this.#context.node.id) this.#takeAsks()
  }

  #takeAsks(): void {
    const perform = this.#listener?.perform
    if (perform) void this.#asks.take(perform)
  }

  #lookLater(): void {
    if (!this.#ended)
      this.#context.alarms.in(lookEvery, () => void this.#look().finally(() => this.#lookLater()))
  }

  async #look(): Promise<void> {
    const { peers, node, clock, log } = this.#context
    if (!node.trusted) return
    if (peers.exist) await this.#lookForOthers()
    const now = clock.monotonic()
    const works = this.#channel?.works ?? false
    // Words that came to nothing before the channel worked are made up for by one more look. Those that have gone may have left something, too.
    const isRare = (works && this.#worked) || !peers.exist
    this.#worked = works
    if (now - this.#lookedAt < (isRare ? lookEveryWithChannel : lookEvery)) return
    this.#lookedAt = now
    await this.#listener
      ?.look()
      .catch((err) => log.error({ err }, 'could not look for what other nodes have left'))
  }

  /** Looks for what those who run want from this node, and have done for those who wait here. */
  async #lookForOthers(): Promise<void> {
    this.#takeAsks()
    this.#context.answers.wakeAll()
    await this.#listener
      ?.wakeWaiting()
      .catch((err) => this.#context.log.error({ err }, 'could not look for what others have done'))
  }
}
