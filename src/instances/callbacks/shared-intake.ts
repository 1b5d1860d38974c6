import { hash } from 'node:crypto'
import {
  type CallbackPart,
  type CallbackRequest,
  type CallbackVerification,
  type SharedCallbacks,
  UnreadableCallback,
} from '../../networks/driver/abilities/callbacks.ts'
import { newId } from '../../runtime/ids.ts'
import type { InstanceContext } from '../context.ts'
import {
  type CallbackLimits,
  type CallbackRoom,
  type CallbackStored,
  keepCallback,
} from './callback-store.ts'
import { type Claimant, findClaimants } from './claim-store.ts'
import { findKeptParts, type KeptPart, rememberKeptParts } from './kept-parts.ts'

/**
 * Times that a part is given to the next instance while its account or group moves from one to another. Then the network
 * repeats it.
 */
const maxMoves = 3

/** Result of a part: `unclaimed` if no instance has claimed its account or group, `repeated` if it is stored already. */
export type PartResult = CallbackStored | 'unclaimed' | 'repeated'

/** The parts of the server that callbacks are taken in with. */
export type IntakeParts = Pick<InstanceContext, 'store' | 'clock' | 'log'> & {
  readonly limits: CallbackLimits
  readonly supervisor: {
    /** Has an instance handle its callbacks, on whichever node it runs. */
    wakeCallbacks(instanceId: string): void
  }
  readonly metrics: {
    /** Counts the results of the parts of callbacks at the URL of the operator. */
    countCallbacks(result: PartResult, count: number): void
  }
}

/** The URL of the operator for one network. */
export interface SharedTarget {
  readonly network: string
  readonly shared: SharedCallbacks
}

/** The part of a callback that one instance gets. */
interface Share extends Claimant {
  readonly body: Buffer
  /** Of the body. */
  readonly digest: string
}

interface KeptShare extends Share {
  readonly result: CallbackStored
}

/** Takes what networks post to the URL of the operator: each part is stored for the instance that has claimed what it is about. */
export class SharedIntake {
  readonly #context: IntakeParts

  constructor(context: IntakeParts) {
    this.#context = context
  }

  /** As `CallbackIntake.receive`. */
  async receive(
    target: SharedTarget,
    request: CallbackRequest,
    onVerified: () => void,
  ): Promise<CallbackVerification | { readonly kind: 'full' }> {
    const verification = target.shared.verify(request)
    if (verification.kind !== 'refused') onVerified()
    if (verification.kind !== 'keep') return verification
    const shares = await this.#sharesOf(target.network, this.#partsIn(target, request.rawBody))
    const limits = isMixed(shares) ? twice(this.#context.limits) : this.#context.limits
    const kept = await this.#keepAll(target.network, await this.#new(shares), limits)
    const byResult = Map.groupBy(kept, ({ result }) => result)
    for (const [result, { length }] of byResult) this.#context.metrics.countCallbacks(result, length)
    if (!byResult.has('full') && !byResult.has('gone')) return verification
    await this.#remember(byResult.get('kept') ?? [])
    return { kind: 'full' }
  }

  #partsIn({ shared, network }: SharedTarget, body: Buffer): readonly CallbackPart[] {
    try {
      return shared.split(body)
    } catch (error) {
      if (!(error instanceof UnreadableCallback)) throw error
      // However often the network repeats it, it stays the same.
      this.#context.log.error({ err: error, network }, 'could not parse a callback for many accounts')
      return []
    }
  }

  async #sharesOf(network: string, parts: readonly CallbackPart[]): Promise<Share[]> {
    const { store, metrics } = this.#context
    const names = parts.map(({ about, name }) => ({ about, name }))
    const claimants = names.length === 0 ? [] : await store.read(findClaimants, { network, names })
    const byName = Map.groupBy(claimants, keyOf)
    const unclaimed = parts.filter((part) => !byName.has(keyOf(part)))
    if (unclaimed.length > 0) metrics.countCallbacks('unclaimed', unclaimed.length)
    return parts.flatMap((part) => {
      const { body } = part
      const digest = hash('sha256', body, 'base64url')
      return (byName.get(keyOf(part)) ?? []).map((claimant) => ({ ...claimant, body, digest }))
    })
  }

  /** Without those that were stored when the network posted the same before. */
  async #new(shares: readonly Share[]): Promise<readonly Share[]> {
    if (shares.length < 2) return shares
    const { store, metrics } = this.#context
    const known = await store.read(findKeptParts, { parts: shares.map(partOf) })
    if (known.length === 0) return shares
    metrics.countCallbacks('repeated', known.length)
    const keys = new Set(known.map(({ instance, digest }) => `${instance} ${digest}`))
    return shares.filter(({ instanceId, digest }) => !keys.has(`${instanceId} ${digest}`))
  }

  /** Remembers the stored parts of a callback that the network will repeat. */
  async #remember(kept: readonly Share[]): Promise<void> {
    const { store, clock, limits } = this.#context
    if (kept.length === 0) return
    const parts = kept.map(partOf)
    await store.transact(rememberKeptParts, { parts, limit: limits.instance.count, now: clock.now() })
  }

  /** Stores them for those who have claimed what they are about when they are stored, and not only when that was looked up. */
  async #keepAll(
    network: string,
    shares: readonly Share[],
    limits: CallbackLimits,
  ): Promise<readonly KeptShare[]> {
    const settled: KeptShare[] = []
    const has = new Set<string>()
    for (let next = shares, moves = 0; ; moves++) {
      const kept = await Promise.all(next.map((share) => this.#keep(share, limits)))
      const gone = kept.filter(({ result }) => result === 'gone')
      if (gone.length === 0 || moves === maxMoves) return [...settled, ...kept]
      for (const share of kept.filter(({ result }) => result !== 'gone')) {
        settled.push(share)
        has.add(nameOf(share))
      }
      const parts = new Map(gone.map((share) => [keyOf(share), share]))
      const found = await this.#sharesOf(network, [...parts.values()])
      next = found.filter((share) => !has.has(nameOf(share)))
    }
  }

  async #keep(share: Share, limits: CallbackLimits): Promise<KeptShare> {
    const { store, clock, supervisor } = this.#context
    const { instanceId, body, about, name } = share
    const result = await store.transact(
      keepCallback,
      {
        id: newId('cb'),
        instanceId,
        receivedAt: clock.now(),
        // A copy: what goes to another thread takes the whole piece of memory with it that it is a part of.
        body: Uint8Array.from(body),
        limits,
        claimed: { about, name },
      },
      { party: share.organizationId },
    )
    if (result === 'kept') supervisor.wakeCallbacks(instanceId)
    return { ...share, result }
  }
}

function partOf({ instanceId: instance, digest }: Share): KeptPart {
  return { instance, digest }
}

function keyOf({ about, name }: Pick<CallbackPart, 'about' | 'name'>): string {
  return `${about} ${name}`
}

/** Of what an instance gets, of one callback. */
function nameOf(share: Share): string {
  return `${share.instanceId} ${keyOf(share)}`
}

/** True if a callback is for several instances: if one of them had no room, the network would repeat it for all. */
function isMixed(shares: readonly Share[]): boolean {
  return new Set(shares.map(({ instanceId }) => instanceId)).size > 1
}

function twice({ instance, organization }: CallbackLimits): CallbackLimits {
  const double = ({ count, bytes }: CallbackRoom) => ({ count: 2 * count, bytes: 2 * bytes })
  return { instance: double(instance), organization: double(organization) }
}
