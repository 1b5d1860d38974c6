import type { Config } from '../config/config.ts'
import {
  type Holding,
  type HoldingKind,
  Memory,
  type MemoryAccount,
  type MemoryLimits,
  type MemoryScope,
} from './memory.ts'
import type { TokenRate } from './token-bucket.ts'
import { type Step, Turns, type Worker } from './turns.ts'

/** How much traffic one connection may have, in both directions together; undefined for no limit. Beyond it, reading pauses. */
export interface TrafficRates {
  readonly stanzas: TokenRate | undefined
  readonly bytes: TokenRate | undefined
}

export interface ShareOptions {
  readonly memory: MemoryLimits
  readonly traffic: TrafficRates
  /** Called for every connection that is ended because it holds too much. */
  readonly onExceeded?: (scope: MemoryScope) => void
}

/** The share of one instance in memory and in time on the thread. */
export interface Share {
  /** The party of the instance, so that parties take turns: a token without any other meaning. */
  readonly party: string
  readonly traffic: TrafficRates
  /** Counts what is held for the instance. */
  holding(kind: HoldingKind): Holding
  /** True while so much incoming data is held that no more should be read. */
  readonly crowded: boolean
  /** True while so much incoming data is held that no more should be accepted. */
  readonly full: boolean
  /** Called if the connection must end and release everything at once; null while there is none. */
  onExceeded: ((scope: MemoryScope) => void) | null
  /** Takes part in the turns. */
  join(step: Step): Worker
}

const megabyte = 1024 * 1024

/** The limits that the operator set. */
export function shareLimits(config: Config): Pick<ShareOptions, 'memory' | 'traffic'> {
  return {
    memory: {
      connection: config.POSTHORN_CONNECTION_MEMORY_MB * megabyte,
      organization: config.POSTHORN_ORGANIZATION_MEMORY_MB * megabyte,
      server: config.POSTHORN_CONNECTIONS_MEMORY_MB * megabyte,
    },
    traffic: {
      stanzas: config.POSTHORN_CONNECTION_STANZA_RATE,
      bytes: config.POSTHORN_CONNECTION_BYTE_RATE,
    },
  }
}

/** Gives every instance its share of what all of them use. */
export class Shares {
  readonly #memory: Memory
  readonly #traffic: TrafficRates
  readonly #turns = new Turns()

  constructor({ memory, traffic, onExceeded }: ShareOptions) {
    this.#memory = new Memory(memory, onExceeded)
    this.#traffic = traffic
  }

  /** How many bytes are held in all. */
  get held(): number {
    return this.#memory.held
  }

  of(organizationId: string): Share {
    return new InstanceShare(organizationId, {
      account: this.#memory.account(organizationId),
      most: this.#memory.limits.connection,
      turns: this.#turns,
      traffic: this.#traffic,
    })
  }
}

/** A class, because there is one for each instance: an object with accessors of its own takes ten times as much. */
class InstanceShare implements Share {
  readonly party: string
  readonly traffic: TrafficRates
  readonly #account: MemoryAccount
  /** What one connection may hold, in bytes. */
  readonly #most: number
  readonly #turns: Turns

  constructor(
    party: string,
    parts: {
      readonly account: MemoryAccount
      readonly most: number
      readonly turns: Turns
      readonly traffic: TrafficRates
    },
  ) {
    this.party = party
    this.traffic = parts.traffic
    this.#account = parts.account
    this.#most = parts.most
    this.#turns = parts.turns
  }

  holding(kind: HoldingKind): Holding {
    return this.#account.holding(kind)
  }

  get crowded(): boolean {
    return this.#account.incoming > this.#most / 2
  }

  get full(): boolean {
    return this.#account.incoming > this.#most * 0.75
  }

  get onExceeded(): Share['onExceeded'] {
    return this.#account.onExceeded
  }

  set onExceeded(listener: Share['onExceeded']) {
    this.#account.onExceeded = listener
  }

  join(step: Step): Worker {
    return this.#turns.join(this.party, step)
  }
}
