import { UnreadableCallback } from '../../networks/driver/callbacks.ts'
import type { Connection } from '../../networks/driver/driver.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'
import type { Log } from '../../runtime/log.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import { WakeUp } from '../../store/wake-up.ts'
import { forgetHandled, nextCallbacks } from './callback-store.ts'

/** What became of a callback that was handed over: `again` if it will be handed over once more. */
export type Handling = 'handled' | 'again' | 'skipped'

export interface CallbackDeliveryContext {
  readonly store: Store
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in' | 'at'>
  readonly log: Log
  /** Limits how many instances handle callbacks at once, by organization, and so the memory of what is read of them. */
  readonly callbackTurns: FairSemaphore
  readonly onCallbacks: (handling: Handling, count: number) => void
  /** Which organizations have no room for what comes in. */
  readonly incomingCapacity: {
    isShut(organizationId: string): boolean
    whenOpen(organizationId: string, signal: AbortSignal): Promise<void>
  }
}

/** Where what a connection reports is stored. */
interface Storing {
  /** How much was reported that will never be stored. */
  readonly lost: number
  /** Resolves when nothing of what was reported waits to be stored. */
  stored(): Promise<unknown>
  /** From now until the returned function is called, what is reported will be reported again if it is lost. */
  repeatable?(): () => void
}

/** What the delivery needs of the runner of its instance. */
interface Parts {
  readonly id: string
  readonly organization_id: string
  /** The connection while it is open. */
  readonly connection: () => Connection | undefined
  readonly storing: () => readonly Storing[]
}

/** How many callbacks are handled together, and their bytes: the first one may have more. */
const batch = { limit: 50, bytes: 256 * 1024 }
/** How long the connection may take for one, in milliseconds. */
const timeout = 30_000
/** How often one is handed over before it is skipped. */
const mostTries = 5
/** How long the second try waits, in milliseconds; each further one waits twice as long. */
const firstDelay = 1_000

type Stored = Awaited<ReturnType<typeof nextCallbacks.run>>[number]

/**
 * Hands the stored callbacks of one instance to its connection, in order, and deletes them once everything that was reported for them
 * is stored. After a crash, those that were not deleted are handed over again (docs/decisions/0040).
 */
export class CallbackDelivery {
  readonly #context: CallbackDeliveryContext
  readonly #parts: Parts
  readonly #wakeUp: WakeUp
  #isOver = false
  /** Ends the work that is under way. */
  #working: AbortController | undefined
  #hasMore = false
  /** The callback that failed last, and how often. */
  #failing = { id: '', tries: 0 }
  /** Something was lost: one at a time shows because of which. */
  #one = false

  constructor(context: CallbackDeliveryContext, parts: Parts) {
    this.#context = context
    this.#parts = parts
    this.#wakeUp = new WakeUp(context, () => this.wake())
  }

  /** A callback was stored, or the connection opened. */
  wake(): void {
    this.#hasMore = true
    if (!this.#working && !this.#wakeUp.isSet && !this.#isOver) void this.#work()
  }

  end(): void {
    this.#isOver = true
    this.#wakeUp.cancel()
    this.#working?.abort()
  }

  async #work(): Promise<void> {
    const { log } = this.#context
    const working = new AbortController()
    this.#working = working
    try {
      while (this.#hasMore && !this.#wakeUp.isSet && !this.#isOver) {
        this.#hasMore = false
        if (await this.#handleSome(working.signal)) this.#hasMore = true
      }
    } catch (error) {
      if (!this.#isOver) {
        if (!(error instanceof StoreUnavailable))
          log.error({ err: error, instance_id: this.#parts.id }, 'could not handle callbacks')
        this.#wakeUp.afterFailure()
      }
    }
    this.#working = undefined
  }

  /** Whether there may be more. */
  async #handleSome(signal: AbortSignal): Promise<boolean> {
    const { organization_id, connection } = this.#parts
    const { callbackTurns, incomingCapacity } = this.#context
    if (!connection()?.receive) return false
    await incomingCapacity.whenOpen(organization_id, signal)
    const taken = await callbackTurns.run(organization_id, () => this.#handOverSome(), signal)
    if (!taken) return false
    try {
      return await this.#settle(taken, await taken.watch.isLost())
    } finally {
      taken.watch.end()
    }
  }

  /** Undefined if nothing waits, or the connection is gone. */
  async #handOverSome(): Promise<Taken | undefined> {
    const { id, connection, storing } = this.#parts
    const most = this.#one ? { ...batch, limit: 1 } : batch
    const callbacks = await this.#context.store.read(nextCallbacks, { instance: id, ...most })
    const present = connection()
    if (callbacks.length === 0 || !present) return undefined
    const watch = watched(storing())
    const handled: Stored[] = []
    for (const callback of callbacks) {
      const error = await this.#handOver(present, callback)
      // What an earlier connection reported while another one opened is heard by nobody.
      if (connection() !== present) break
      if (error) return { handled, watch, failed: { callback, error } }
      handled.push(callback)
    }
    return { handled, watch }
  }

  async #handOver(connection: Connection, { id, received_at, body }: Stored): Promise<Error | undefined> {
    const { alarms } = this.#context
    const { promise: late, reject } = Promise.withResolvers<void>()
    const alarm = alarms.in(timeout, () => reject(new Error('the driver took too long for a callback')))
    try {
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      await Promise.race([connection.receive?.({ id, received_at, body: bytes }), late])
      return undefined
    } catch (error) {
      return error instanceof Error ? error : new Error('the driver rejected without an error')
    } finally {
      alarm.cancel()
    }
  }

  /** Deletes what was handled; whether there may be more. */
  async #settle({ handled, failed }: Taken, isLost: boolean): Promise<boolean> {
    const [first] = handled
    if (isLost) {
      const isFull = this.#context.incomingCapacity.isShut(this.#parts.organization_id)
      const isSuspect = this.#one && !isFull
      this.#one = true
      const error = new Error('what the driver reported for a callback could not be stored')
      return isSuspect && first ? this.#failed(first, error) : this.#later(firstDelay)
    }
    this.#one = false
    await this.#forget(handled, 'handled')
    return failed ? this.#failed(failed.callback, failed.error) : handled.length > 0
  }

  /** A callback that cannot be handled does not hold up the others for ever. */
  async #failed(callback: Stored, error: Error): Promise<boolean> {
    const { log, onCallbacks } = this.#context
    const tries = this.#failing.id === callback.id ? this.#failing.tries + 1 : 1
    this.#failing = { id: callback.id, tries }
    const fields = { err: error, instance_id: this.#parts.id, callback_id: callback.id, tries }
    if (tries < mostTries && !(error instanceof UnreadableCallback)) {
      log.warn(fields, 'a callback could not be handled; trying again')
      onCallbacks('again', 1)
      return this.#later(firstDelay * 2 ** (tries - 1))
    }
    log.error(fields, 'a callback could not be handled and is skipped')
    await this.#forget([callback], 'skipped')
    return true
  }

  #later(delay: number): false {
    this.#wakeUp.in(delay)
    return false
  }

  async #forget(handled: readonly Stored[], handling: Handling): Promise<void> {
    if (handled.length === 0) return
    const ids = handled.map(({ seq, id }) => ({ seq, id }))
    await this.#context.store.transact(forgetHandled, { instance: this.#parts.id, handled: ids })
    this.#context.onCallbacks(handling, handled.length)
  }
}

interface Taken {
  readonly watch: Watch
  readonly handled: readonly Stored[]
  readonly failed?: { readonly callback: Stored; readonly error: Error }
}

/** What becomes of what is reported from the beginning of the watch on. */
interface Watch {
  /** Whether something could not be stored, once nothing waits any longer. */
  isLost(): Promise<boolean>
  end(): void
}

function watched(storing: readonly Storing[]): Watch {
  const before = lostBy(storing)
  const ends = storing.map((one) => one.repeatable?.())
  return {
    async isLost() {
      await Promise.all(storing.map((one) => one.stored()))
      return lostBy(storing) > before
    },
    end() {
      for (const end of ends) end?.()
    },
  }
}

function lostBy(storing: readonly Storing[]): number {
  return storing.reduce((sum, { lost }) => sum + lost, 0)
}
