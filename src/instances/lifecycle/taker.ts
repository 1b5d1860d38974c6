import { type Recovered, recoverMessages } from '../../messages/outbox/recovery/recover.ts'
import type { UnsettledPlace } from '../../messages/unsettled-places.ts'
import type { Networks } from '../../networks/driver/registry.ts'
import type { Clock } from '../../runtime/clock.ts'
import { LeaseTaken, type StoreForAll, StoreUnavailable, type Turn } from '../../store/store.ts'
import type { InstanceToRun } from '../instance.ts'
import {
  type Candidate,
  countExcess,
  countInstances,
  findFree,
  hasFreeInstances,
  listOwn,
  organizationsOf,
  takeOverInstances,
} from './take-over.ts'

interface Context {
  readonly store: Pick<StoreForAll, 'read' | 'transact'>
  readonly clock: Clock
  readonly node: { readonly id: string; readonly isAlone: boolean }
  readonly networks: Networks
  /** Returns the number of instances that the node has. */
  readonly has: () => number
  /** True if the node runs an instance. */
  readonly runs: (instance: string) => boolean
  /** Gets what was taken over, after its messages were taken up. */
  readonly took: (instances: readonly InstanceToRun[]) => void
}

/** Counts of what was taken over. */
export interface TakenOver {
  readonly instances: number
  /** Messages whose attempt was under way when the last node that ran their instance ended. */
  readonly interrupted_messages: number
}

const turn: Turn = { party: 'start' }
/** Instances that one transaction takes over, and unsettled messages that it looks at; and those that each further one looks at. */
const takenAtOnce = 200
const recoveredWithThem = 200
const recoveredAtOnce = 1_000
/**
 * Times that instances are tried to take: many nodes that start at once may wait for the organization of all of them for longer than
 * the store lets them.
 */
const attempts = 4
/** Callers who create instances while the store is away may fill no more. */
const maxUnsure = 10_000
/** The number of all instances is remembered for so many times as long as counting them took. */
const rememberedFor = 100

/** Takes instances over for a node: chooses some, takes those of them that are still free, and takes up their messages. */
export class InstanceTaker {
  readonly #context: Context
  readonly #dedupingNetworks: readonly string[]
  #total = 0
  /** When to count all instances again, on the monotonic clock. */
  #countAt = Number.NEGATIVE_INFINITY
  /** Instances, by their ids, that this node may have and does not run: it is not known whether they or their messages were taken up. */
  readonly #unsure = new Map<string, Candidate>()
  /** Resolves when what is being taken over has arrived, or could not be taken; undefined if nothing is. */
  #taking: Promise<unknown> | undefined

  constructor(context: Context) {
    this.#context = context
    this.#dedupingNetworks = [...context.networks.values()]
      .filter((driver) => driver.limits.dedupes_by_id)
      .map(({ network }) => network)
  }

  /** Takes over what the last process of the node ran. */
  async takeOwn(): Promise<TakenOver> {
    const { store, node } = this.#context
    let counts = none
    for (let after: string | undefined = ''; after !== undefined; ) {
      const args = { node: node.id, after, limit: takenAtOnce }
      const own: readonly Candidate[] = await store.read(listOwn, args, turn)
      if (own.length > 0) counts = addTakenOver(counts, await this.#take(own))
      after = own.at(-1)?.id
    }
    return counts
  }

  /**
   * Takes over what this node was given or may have; if that was nothing, what no node runs, up to the node's equal part of all
   * instances. `goesOn` is asked before each transaction.
   */
  async takeFree(goesOn: () => boolean = () => true): Promise<TakenOver> {
    let counts = none
    for (let some = this.#nextUnsure(); some.length > 0 && goesOn(); some = this.#nextUnsure())
      counts = addTakenOver(counts, await this.#take(some))
    // More may be given meanwhile, and is not to wait for a search. The next look finds what was given to no node.
    if (counts.instances > 0) return counts
    while (goesOn()) {
      const candidates = await this.#find()
      const taken = candidates.length > 0 ? await this.#take(candidates) : none
      // Others took them. Which are left, the next look shows.
      if (taken.instances === 0) break
      counts = addTakenOver(counts, taken)
    }
    return counts
  }

  /** An instance that was given to this node may have been found free before that was heard: what runs is not taken again. */
  #nextUnsure(): Candidate[] {
    for (const id of this.#unsure.keys()) if (this.#context.runs(id)) this.#unsure.delete(id)
    return [...this.#unsure.values()].slice(0, takenAtOnce)
  }

  /** Takes an instance later if this node has it, or no other: it was given to it, or the store did not say what became of it. */
  doubt(instance: Candidate): void {
    if (this.#unsure.size < maxUnsure) this.#unsure.set(instance.id, instance)
  }

  /**
   * Resolves when an instance that is being taken over has arrived; at once if it is not. An order that is stored after the instance was
   * read, and comes before it runs, would be lost: it is for this node, which does not run it yet.
   */
  async arrived(instance: string): Promise<void> {
    while (this.#taking && this.#unsure.has(instance)) await this.#taking
  }

  /** True if there is something that no node runs, as far as this one knows. */
  async isSomeFree(): Promise<boolean> {
    if (this.#unsure.size > 0) return true
    const { store, node } = this.#context
    return !node.isAlone && (await store.read(hasFreeInstances, null, turn))
  }

  /** The instances that the node has beyond its share. */
  async countExcess(): Promise<number> {
    return await this.#context.store.read(countExcess, await this.#share(), turn)
  }

  async #find(): Promise<Candidate[]> {
    const args = { ...(await this.#share()), limit: takenAtOnce }
    return await this.#context.store.read(findFree, args, turn)
  }

  async #share() {
    const { node, has } = this.#context
    const total = await this.#countAll()
    return { node: node.id, has: has(), total }
  }

  async #countAll(): Promise<number> {
    const { store, clock } = this.#context
    const begun = clock.monotonic()
    if (begun >= this.#countAt) {
      this.#total = await store.read(countInstances, null, turn)
      const ended = clock.monotonic()
      this.#countAt = ended + (ended - begun) * rememberedFor
    }
    return this.#total
  }

  /** One at a time, because looks follow each other. */
  async #take(candidates: readonly Candidate[]): Promise<TakenOver> {
    for (const candidate of candidates) this.doubt(candidate)
    const taking = this.#takeSoon(candidates)
    this.#taking = taking.catch(() => {})
    try {
      return await taking
    } finally {
      this.#taking = undefined
    }
  }

  async #takeSoon(candidates: readonly Candidate[]): Promise<TakenOver> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#takeOnce(candidates)
      } catch (error) {
        const isPassing = error instanceof StoreUnavailable && !(error instanceof LeaseTaken)
        if (!isPassing || attempt === attempts) throw error
      }
    }
  }

  async #takeOnce(candidates: readonly Candidate[]): Promise<TakenOver> {
    const { store, clock, node, took } = this.#context
    const args = { node: node.id, now: clock.now(), candidates, limit: recoveredWithThem }
    const about = { ...args, dedupingNetworks: this.#dedupingNetworks }
    const { instances, numbers, recovered } = await store.transact(takeOverInstances, about, turn)
    const others = await this.#recover(numbers, organizationsOf(instances), recovered.next)
    for (const { id } of candidates) this.#unsure.delete(id)
    took(instances)
    return { instances: instances.length, interrupted_messages: recovered.interrupted + others }
  }

  /** Takes up the messages of instances, after a place, whose attempt was under way; returns how many. */
  async #recover(
    instances: readonly number[],
    organizations: readonly string[],
    begin: UnsettledPlace | null,
  ): Promise<number> {
    const { store, clock } = this.#context
    const about = { instances, organizations, dedupingNetworks: this.#dedupingNetworks }
    let interrupted = 0
    for (let after = begin; after; ) {
      const args = { ...about, now: clock.now(), after, limit: recoveredAtOnce }
      const part: Recovered = await store.transact(recoverMessages, args, turn)
      interrupted += part.interrupted
      after = part.next
    }
    return interrupted
  }
}

const none: TakenOver = { instances: 0, interrupted_messages: 0 }

export const addTakenOver = (one: TakenOver, other: TakenOver): TakenOver => ({
  instances: one.instances + other.instances,
  interrupted_messages: one.interrupted_messages + other.interrupted_messages,
})
