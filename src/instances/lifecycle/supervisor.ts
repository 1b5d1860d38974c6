import type { Readable } from 'node:stream'
import type { KeptFile } from '../../media/store/media-store.ts'
import { type Recovered, recoverMessages } from '../../messages/outbox/recovery/recover.ts'
import { expireMessages } from '../../messages/outbox/sweep/sweep.ts'
import { firstPlace, type UnsettledPlace } from '../../messages/unsettled-places.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Rate } from '../../runtime/config/setting-values.ts'
import type { StoreForAll, Turn } from '../../store/store.ts'
import { TurnsOf } from '../../store/turns-of.ts'
import { Admission } from '../connection/admission.ts'
import { type InstanceToRun, type TakenOverPart, takeOverInstances } from '../instance-store.ts'
import { cancelQueue } from './cancel-queue.ts'
import { erase } from './removal.ts'
import { Runner } from './runner.ts'
import type { RunnerContext } from './runner-context.ts'

type Context = Omit<RunnerContext, 'store' | 'openFile' | 'admission' | 'erased' | 'accountLost'> & {
  readonly store: StoreForAll
  /** Opens the bytes of a stored file for reading, in this turn. */
  readonly openFile: (file: KeptFile, turn: Turn) => Readable
  /** The rate at which connections to networks may be opened; undefined for no limit. */
  readonly connectRate: Rate | undefined
}

/** Counts of what was found in the store at the start. */
export interface TakenOver {
  readonly instances: number
  /** Messages whose attempt was under way when the server before ended. */
  readonly interrupted_messages: number
}

/**
 * Turns for the start, when no organization is served yet, and for giving up the messages of all organizations that have
 * expired.
 */
const starting: Turn = { party: 'start' }
const expiring: Turn = { party: 'expiry' }

const sweepEvery = 1_000
const expiredAtOnce = 200
/** Unsettled messages, and instances, that one transaction looks at when a server starts. */
const recoveredAtOnce = 1_000
const takenOverAtOnce = 200
/** Milliseconds that the clock may stray before it counts as set. */
const clockTolerance = 1_000

/** All instances of this node: takes them over at the start, runs them, and ends with them. */
export class Supervisor {
  readonly #context: Context
  readonly #runnerContext: Omit<RunnerContext, 'store' | 'openFile'>
  /** By organization. */
  readonly #contexts = new Map<string, RunnerContext>()
  readonly #runners = new Map<string, Runner>()
  readonly #admission: Admission
  /** Instances of networks that this build does not speak, and their organizations. They are not run. */
  readonly #withoutDriver = new Map<string, string>()
  /** Instances that were taken over and have not begun yet. */
  #taken: InstanceToRun[] = []
  /** True if the result of a sweep was lost: it may have been committed, and may have freed lanes that were not woken. */
  #sweptUnheard = false
  /** Milliseconds by which the clock was ahead of the time that passes, at the last look. */
  #clockOffset: number
  #ended = false

  constructor(context: Context) {
    this.#context = context
    this.#admission = new Admission(context.connectRate, context)
    this.#clockOffset = offsetOf(context.clock)
    this.#runnerContext = {
      ...context,
      admission: this.#admission,
      erased: (id) => this.#runners.delete(id),
      accountLost: (id) => this.#runners.get(id)?.loseAccount(),
    }
  }

  /**
   * Takes over every instance and every interrupted message of the store. To be awaited before anything is served: until
   * then, the store says what the previous server saw.
   */
  async takeOver(): Promise<TakenOver> {
    const { store, clock, networks } = this.#context
    const dedupingNetworks = [...networks.values()]
      .filter((driver) => driver.limits.dedupes_by_id)
      .map(({ network }) => network)
    let interrupted = 0
    for (let after: UnsettledPlace | null = firstPlace; after; ) {
      const args = { now: clock.now(), dedupingNetworks, after, limit: recoveredAtOnce }
      const part: Recovered = await store.transact(recoverMessages, args, starting)
      interrupted += part.interrupted
      after = part.next
    }
    const taken: InstanceToRun[] = []
    for (let after: string | null = ''; after !== null; ) {
      const part: TakenOverPart = await store.transact(
        takeOverInstances,
        { now: clock.now(), after, limit: takenOverAtOnce },
        starting,
      )
      taken.push(...part.instances)
      after = part.next
    }
    for (const instance of taken) this.#admitRunner(instance)
    this.#taken = taken
    return { instances: taken.length, interrupted_messages: interrupted }
  }

  /** Begins to run what was taken over. */
  begin(): void {
    for (const { id, wanted } of this.#taken.splice(0)) {
      this.#runners.get(id)?.begin(wanted)
      if (wanted === 'removed') void this.#forget(id)
    }
    this.#sweepLater()
  }

  /** Takes an instance under care that was just created, and runs it. */
  adopt(instance: InstanceToRun): void {
    this.#admitRunner(instance)?.begin(instance.wanted)
  }

  #admitRunner(instance: InstanceToRun): Runner | undefined {
    const driver = this.#context.networks.get(instance.network)
    if (!driver) {
      this.#withoutDriver.set(instance.id, instance.organization_id)
      this.#context.log.error(
        { instance_id: instance.id, network: instance.network },
        'no driver for the network of an instance',
      )
      return undefined
    }
    const runner = new Runner(this.#contextOf(instance.organization_id), driver, instance)
    this.#runners.set(instance.id, runner)
    return runner
  }

  /** Returns the context of an organization's instances: their work is done in its turns. */
  #contextOf(organization: string): RunnerContext {
    const known = this.#contexts.get(organization)
    if (known) return known
    const { store, openFile } = this.#context
    const context: RunnerContext = {
      ...this.#runnerContext,
      store: new TurnsOf(store, organization),
      openFile: (file) => openFile(file, { party: organization }),
    }
    this.#contexts.set(organization, context)
    return context
  }

  /** Carries out an order; resolves when the change is stored. */
  async order(instanceId: string, order: 'start' | 'stop' | 'restart' | 'remove'): Promise<void> {
    await this.#runners.get(instanceId)?.order(order)
    if (order === 'remove') await this.#forget(instanceId)
  }

  /** Removes an instance if it is not run for want of a driver. What it made at its network, if anything, stays there. */
  async #forget(id: string): Promise<void> {
    const organization = this.#withoutDriver.get(id)
    if (organization === undefined) return
    const context = this.#contextOf(organization)
    const { instanceChanges, log } = context
    try {
      await cancelQueue(context, id)
      await erase(context, id)
      this.#withoutDriver.delete(id)
      log.warn(
        { instance_id: id },
        'an instance was removed without its driver; nothing was undone at its network',
      )
      instanceChanges.notify(id)
    } catch (error) {
      // The next order, or the next start, continues it.
      log.error({ err: error, instance_id: id }, 'could not remove an instance')
    }
  }

  /** Undefined for an instance that is gone, or whose network has no driver in this build. */
  runnerOf(instanceId: string): Runner | undefined {
    return this.#runners.get(instanceId)
  }

  /** Counts the instances of each status, for the metrics. */
  countByStatus(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { status } of this.#runners.values()) counts.set(status, (counts.get(status) ?? 0) + 1)
    return counts
  }

  /** Ends for this process: settles what is under way and closes all connections without logging out. */
  async end(signal: AbortSignal): Promise<void> {
    this.#ended = true
    this.#admission.end()
    await Promise.all([...this.#runners.values()].map((runner) => runner.end(signal)))
  }

  #sweepLater(): void {
    if (!this.#ended) this.#context.alarms.in(sweepEvery, () => void this.#sweep())
  }

  /** Gives up the messages whose time is over. */
  async #sweep(): Promise<void> {
    const { store, clock, log, messageChanges, forgetFiles } = this.#context
    try {
      for (let isMore = true; isMore && !this.#ended; ) {
        const part = { now: clock.now(), limit: expiredAtOnce }
        const { expired, more } = await store.transact(expireMessages, part, expiring)
        for (const { id, instanceId } of expired) {
          messageChanges.notify(id)
          this.#runners.get(instanceId)?.wake()
        }
        if (expired.length > 0) forgetFiles()
        isMore = more
      }
      if (this.#sweptUnheard || this.#clockWasSet())
        for (const runner of this.#runners.values()) runner.wake()
      this.#sweptUnheard = false
    } catch (error) {
      this.#sweptUnheard = true
      log.error({ err: error }, 'could not expire messages')
    }
    this.#sweepLater()
  }

  /** Alarms count the time that passes. A clock that was set, or went on while the machine slept, is ahead of them. */
  #clockWasSet(): boolean {
    const offset = offsetOf(this.#context.clock)
    const set = Math.abs(offset - this.#clockOffset) > clockTolerance
    if (set) this.#clockOffset = offset
    return set
  }
}

function offsetOf(clock: Clock): number {
  return clock.now() - clock.monotonic()
}
