import { bounds } from '../config/bounds.ts'
import type { Config } from '../config/config.ts'
import {
  type BudgetScope,
  type ByteAccount,
  ByteBudget,
  type ByteLimits,
  type Holding,
  type HoldingKind,
} from './byte-budget.ts'
import { FairRate, type RateMember } from './fair-rate.ts'
import type { Rates } from './token-bucket.ts'
import { Traffic, type TrafficRates } from './traffic.ts'
import { Turns, type Worker, type WorkStep } from './turns.ts'

/**
 * Rates at which the instances of one organization together may take in data; `messages` counts those that are stored.
 * Beyond a rate, the instances take turns.
 */
export type OrganizationRates = TrafficRates & Rates<'messages'>

/** An organization reached what it may take in. */
export interface ReachedRate {
  readonly organizationId: string
  readonly limit: keyof OrganizationRates
  /** True if it did so for the first time in a minute. */
  readonly isNews: boolean
}

export interface ShareOptions {
  readonly memory: ByteLimits
  readonly traffic: TrafficRates
  readonly organization: OrganizationRates
  /** Called for every connection that is ended because it holds too much. */
  readonly onExceeded?: (scope: BudgetScope) => void
  /** Called when instances of an organization begin to wait for their turns. */
  readonly onReached?: (reached: ReachedRate) => void
}

/** The share of one instance in memory and in time on the thread. */
export interface Share {
  /** The party of the instance, so that parties take turns: a token without any other meaning. */
  readonly party: string
  /** Counts what is held for the instance. */
  holding(kind: HoldingKind): Holding
  /** True while so much incoming data is held that no more should be read. */
  readonly crowded: boolean
  /** True while so much incoming data is held that no more should be accepted. */
  readonly full: boolean
  /** Called if the connection must end and release everything at once; null while there is none. */
  onExceeded: ((scope: BudgetScope) => void) | null
  /** Takes part in the turns. */
  join(step: WorkStep): Worker
  /**
   * Joins the traffic of the organization for one connection. `wake` is called when it may go on after it had to wait for
   * others.
   */
  joinTraffic(wake?: () => void): Traffic
  /** Takes part in the incoming messages that the organization may have stored. */
  joinIncoming(): RateMember<'messages'>
}

const megabyte = 1024 * 1024

/** The limits that the operator set. */
export function shareLimits(config: Config): Pick<ShareOptions, 'memory' | 'traffic' | 'organization'> {
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
    organization: {
      stanzas: bounds.organizationStanzas.value,
      bytes: bounds.organizationBytes.value,
      messages: config.POSTHORN_ORGANIZATION_INCOMING_RATE,
    },
  }
}

/**
 * Rates that the instances of an organization share. They stay, so that what is owed is not forgotten when its connections
 * end.
 */
interface OrganizationShare {
  readonly traffic: FairRate<keyof TrafficRates>
  readonly incoming: FairRate<'messages'>
}

/** Milliseconds for which it is no news that an organization reached a limit. */
const knownFor = 60_000

/** Gives every instance its share of what all of them use. */
export class Shares {
  readonly #budget: ByteBudget
  readonly #options: ShareOptions
  readonly #turns = new Turns()
  readonly #organizations = new Map<string, OrganizationShare>()

  constructor(options: ShareOptions) {
    this.#budget = new ByteBudget(options.memory, options.onExceeded)
    this.#options = options
  }

  /** Bytes held in all. */
  get held(): number {
    return this.#budget.held
  }

  of(organizationId: string): Share {
    return new InstanceShare(this.#budget.account(organizationId), {
      maxBytes: this.#budget.limits.connection,
      turns: this.#turns,
      traffic: this.#options.traffic,
      organization: () => this.#organizationOf(organizationId),
    })
  }

  #organizationOf(organizationId: string): OrganizationShare {
    const known = this.#organizations.get(organizationId)
    if (known) return known
    const { organization, onReached } = this.#options
    const { stanzas, bytes, messages } = organization
    let toldAt = Number.NEGATIVE_INFINITY
    const reached = (limit: keyof OrganizationRates) => {
      const now = performance.now()
      const isNews = now - toldAt >= knownFor
      if (isNews) toldAt = now
      onReached?.({ organizationId, limit, isNews })
    }
    const own: OrganizationShare = {
      traffic: new FairRate<keyof TrafficRates>({ stanzas, bytes }, reached),
      incoming: new FairRate<'messages'>({ messages }, reached),
    }
    this.#organizations.set(organizationId, own)
    return own
  }
}

interface ShareParts {
  /** Bytes that one connection may hold. */
  readonly maxBytes: number
  readonly turns: Turns
  readonly traffic: TrafficRates
  readonly organization: () => OrganizationShare
}

/** A class, because there is one for each instance: an object with accessors of its own takes ten times as much. */
class InstanceShare implements Share {
  readonly party: string
  readonly #account: ByteAccount
  readonly #parts: ShareParts

  constructor(account: ByteAccount, parts: ShareParts) {
    this.party = account.organizationId
    this.#account = account
    this.#parts = parts
  }

  holding(kind: HoldingKind): Holding {
    return this.#account.holding(kind)
  }

  get crowded(): boolean {
    return this.#account.incoming > this.#parts.maxBytes / 2 || this.#account.isPressed
  }

  get full(): boolean {
    return this.#account.incoming > this.#parts.maxBytes * 0.75
  }

  get onExceeded(): Share['onExceeded'] {
    return this.#account.onExceeded
  }

  set onExceeded(listener: Share['onExceeded']) {
    this.#account.onExceeded = listener
  }

  join(step: WorkStep): Worker {
    return this.#parts.turns.join(this.party, step)
  }

  joinTraffic(wake?: () => void): Traffic {
    return new Traffic(this.#parts.traffic, this.#parts.organization().traffic.join(wake))
  }

  joinIncoming(): RateMember<'messages'> {
    return this.#parts.organization().incoming.join()
  }
}
