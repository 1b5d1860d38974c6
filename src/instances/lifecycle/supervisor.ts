import type { Readable } from 'node:stream'
import type { KeptFile } from '../../media/store/media-store.ts'
import { expireMessages } from '../../messages/outbox/sweep/sweep.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Rate } from '../../runtime/config/setting-values.ts'
import type { Alarm } from '../../runtime/timers/alarms.ts'
import type { StoreForAll, Turn } from '../../store/store.ts'
import { TurnsOf } from '../../store/turns-of.ts'
import { Admission } from '../connection/admission.ts'
import type { InstanceToRun } from '../instance.ts'
import { cancelQueue } from './cancel-queue.ts'
import { erase } from './removal.ts'
import { Runner } from './runner.ts'
import type { RunnerContext } from './runner-context.ts'
import { type Candidate, type Elsewhere, releaseInstance } from './take-over.ts'
import { addTakenOver, InstanceTaker, type TakenOver } from './taker.ts'
import {
  type InstanceOrder,
  instanceTasks,
  newAskers,
  type TaskArgument,
  type TaskContext,
  type TaskName,
  type TaskResult,
} from './tasks.ts'

type Context = Omit<RunnerContext, 'store' | 'openFile' | 'admission' | 'erased' | 'accountLost'> & {
  readonly store: StoreForAll
  /** The node that this process runs. */
  readonly node: { readonly id: string; readonly isAlone: boolean; readonly trusted: boolean }
  /** The nodes that run, this one among them. */
  readonly peers: { readonly running: readonly unknown[] }
  /** The instances that other nodes run. */
  readonly elsewhere: Elsewhere
  /** True if this node gives up the messages of all organizations that have expired. */
  readonly isOnDuty: () => boolean
  /** Opens the bytes of a stored file for reading, in this turn. */
  readonly openFile: (file: KeptFile, turn: Turn) => Readable
  /** The rate at which connections to networks may be opened; undefined for no limit. */
  readonly connectRate: Rate | undefined
}

type Task = (runner: Runner, argument: unknown, context: TaskContext) => Promise<unknown>

/** Of what is done to its end, even if its caller has gone. */
const never = new AbortController().signal

/** The turns for giving up messages that have expired, and for giving instances away: not behind all that waits for an organization. */
const expiring: Turn = { party: 'expiry' }
const releasing: Turn = { party: 'nodes' }

const sweepEvery = 1_000
const expiredAtOnce = 200
const takeEvery = 1_000
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
  readonly #askers: Omit<TaskContext, 'signal'>
  readonly #taker: InstanceTaker
  /** Instances of networks that this build does not speak, and their organizations. They are not run. */
  readonly #withoutDriver = new Map<string, string>()
  /** Instances that were taken over and have not begun yet. */
  #taken: InstanceToRun[] = []
  /** The next look for more; undefined during one. */
  #nextLook: Alarm | undefined
  /** Something was given away during a look. */
  #looksAgain = false
  /** True if the result of a sweep was lost: it may have been committed, and may have freed lanes that were not woken. */
  #sweptUnheard = false
  /** Milliseconds by which the clock was ahead of the time that passes, at the last look. */
  #clockOffset: number
  #ended = false

  constructor(context: Context) {
    this.#context = context
    const nodes = () => Math.max(1, context.peers.running.length)
    this.#admission = new Admission(context.connectRate, { ...context, nodes })
    this.#clockOffset = offsetOf(context.clock)
    this.#runnerContext = {
      ...context,
      admission: this.#admission,
      erased: (id) => this.#drop(id),
      accountLost: (id) => void this.#loseAccount(id),
    }
    this.#askers = newAskers(context)
    this.#taker = new InstanceTaker({
      ...context,
      has: () => this.#runners.size + this.#withoutDriver.size,
      runs: (id) => this.#isHere(id),
      took: (instances) => {
        // An instance that comes while this process ends would not end with it, and is free once the process has left.
        for (const instance of this.#ended ? [] : instances) this.#admitRunner(instance)
        this.#taken.push(...instances)
      },
    })
  }

  /**
   * Takes over what this node ran before, and what no other node runs. To be awaited before anything is served: until
   * then, the store says what the last process saw.
   */
  async takeOver(): Promise<TakenOver> {
    return addTakenOver(await this.#taker.takeOwn(), await this.#taker.takeFree())
  }

  /** Begins to run what was taken over, and to look for more. */
  begin(): void {
    this.#runTaken()
    this.#sweepLater()
    this.#takeLater()
  }

  #runTaken(): void {
    for (const { id, wanted } of this.#taken.splice(0)) {
      this.#runners.get(id)?.begin(wanted)
      if (wanted === 'removed') void this.#forget(id)
    }
  }

  #takeLater(): void {
    if (this.#ended) return
    const delay = this.#looksAgain ? 0 : takeEvery
    this.#looksAgain = false
    this.#nextLook = this.#context.alarms.in(delay, () => void this.#takeFree())
  }

  /** Takes over what another node has given to this one. */
  takeGiven(instance: Candidate): void {
    if (this.#ended || this.#isHere(instance.id)) return
    this.#taker.doubt(instance)
    this.takeFree()
  }

  /** Looks for more now: another node has given something away. */
  takeFree(): void {
    if (this.#ended) return
    this.#looksAgain = this.#nextLook === undefined
    if (this.#looksAgain) return
    this.#nextLook?.cancel()
    void this.#takeFree()
  }

  /** Takes over what another node has left behind, and what this one may have without running it. */
  async #takeFree(): Promise<void> {
    this.#nextLook = undefined
    try {
      if (!this.#ended && (await this.#taker.isSomeFree())) {
        const { instances } = await this.#taker.takeFree(() => {
          this.#runTaken()
          return !this.#ended
        })
        if (instances > 0) this.#context.log.info({ instances }, 'instances were taken over')
      }
    } catch (error) {
      this.#context.log.error({ err: error }, 'could not look for instances to take over')
    }
    this.#runTaken()
    this.#takeLater()
  }

  /** Counts the instances that this node has beyond its share. */
  countExcess(): Promise<number> {
    return this.#taker.countExcess()
  }

  /** The instances that this node runs, those first that can be given to another node with the least harm. */
  releasable(): { readonly id: string; readonly takenAt: number; readonly isIdle: boolean }[] {
    const all = [...this.#runners.values()].filter(({ status }) => status !== 'awaiting_link')
    return all.sort((a, b) => Number(b.isIdle) - Number(a.isIdle) || a.takenAt - b.takenAt)
  }

  /** The networks of the instances that this node runs. */
  get networks(): ReadonlySet<string> {
    return new Set([...this.#runners.values()].map(({ instance }) => instance.network))
  }

  /** Lets another node run an instance, when all that was under way for it has ended. */
  async release(id: string, signal: AbortSignal): Promise<void> {
    const runner = this.#runners.get(id)
    if (!runner) return
    await runner.end(signal, { isHandedOver: true })
    this.#drop(id)
    const { store, node } = this.#context
    const released = { id, organization: runner.organization, node: node.id }
    try {
      await store.transact(releaseInstance, released, releasing)
      this.#context.elsewhere.gave({ id, organization_id: runner.organization })
    } catch (error) {
      this.doubt(id, runner.organization)
      throw error
    }
  }

  #drop(id: string): void {
    const runner = this.#runners.get(id)
    if (runner) this.#askers.pictures.forget(runner)
    this.#runners.delete(id)
  }

  /** Runs an instance if this node has it after all, or no other: the store did not say what became of it. */
  doubt(id: string, organization: string): void {
    this.#taker.doubt({ id, organization_id: organization })
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

  /** Carries out an order that is stored, on whichever node; resolves when the change is stored as well. */
  async order(instanceId: string, order: InstanceOrder): Promise<void> {
    await this.ask(instanceId, 'order', order)
  }

  /**
   * Has the runner of an instance do something, on whichever node it runs. Resolves with undefined if the instance is gone, or its network
   * has no driver; rejects with `NodeSilent` if the node does not answer.
   */
  async ask<T extends TaskName>(
    instance: string,
    task: T,
    argument: TaskArgument<T>,
    signal: AbortSignal = never,
  ): Promise<TaskResult<T> | undefined> {
    if (task === 'order') await this.#taker.arrived(instance)
    const result = this.#isHere(instance)
      ? await this.perform(instance, task, argument, signal)
      : await this.#context.elsewhere.ask(instance, task, argument, signal)
    return result as TaskResult<T> | undefined
  }

  /** Performs a task, by its name, with the runner of an instance; undefined if this node does not run it. */
  async perform(
    instance: string,
    task: string,
    argument: unknown,
    signal: AbortSignal = never,
  ): Promise<unknown> {
    if (task === 'order') await this.#taker.arrived(instance)
    if (this.#withoutDriver.has(instance)) {
      if (task === 'order' && argument === 'remove') await this.#forget(instance)
      return undefined
    }
    const runner = this.#runners.get(instance)
    const perform = instanceTasks[task as TaskName] as Task | undefined
    return runner && (await perform?.(runner, argument, { ...this.#askers, signal }))
  }

  #isHere(instance: string): boolean {
    return this.#runners.has(instance) || this.#withoutDriver.has(instance)
  }

  /** Has an instance look for what is due, on whichever node it runs. */
  wake(instance: string): void {
    const runner = this.#runners.get(instance)
    if (runner) runner.wake()
    else this.#context.elsewhere.wake(instance)
  }

  /** The same for its callbacks. */
  wakeCallbacks(instance: string): void {
    const runner = this.#runners.get(instance)
    if (runner) runner.callbacks?.wake()
    else this.#context.elsewhere.wakeCallbacks(instance)
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

  /** Another instance has the account now. A node that does not hear it finds out when its network says so. */
  async #loseAccount(id: string): Promise<void> {
    await this.ask(id, 'lose-account', null).catch((err) =>
      this.#context.log.warn({ err, instance_id: id }, 'could not tell an instance that it lost its account'),
    )
  }

  /**
   * Ends for this process: settles what is under way and closes all connections without logging out. `isHandedOver`: other nodes take each
   * instance over as soon as its own work has ended; what cannot be given to them is free when this process leaves.
   */
  async end(signal: AbortSignal, { isHandedOver = false } = {}): Promise<void> {
    this.#ended = true
    this.#nextLook?.cancel()
    this.#admission.end()
    const ending = [...this.#runners.values()].map((runner) =>
      isHandedOver ? this.release(runner.id, signal) : runner.end(signal),
    )
    const ended = await Promise.allSettled(ending)
    if (!isHandedOver) for (const end of ended) if (end.status === 'rejected') throw end.reason
  }

  #sweepLater(): void {
    if (!this.#ended) this.#context.alarms.in(sweepEvery, () => void this.#sweep())
  }

  /** Gives up the messages whose time is over. */
  async #sweep(): Promise<void> {
    const { store, clock, log, messageChanges, forgetFiles, isOnDuty } = this.#context
    try {
      for (let isMore = isOnDuty(); isMore && !this.#ended; ) {
        const part = { now: clock.now(), limit: expiredAtOnce }
        const { expired, more } = await store.transact(expireMessages, part, expiring)
        for (const { id, instanceId } of expired) {
          messageChanges.notify(id)
          this.wake(instanceId)
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
