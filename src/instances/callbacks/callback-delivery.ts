import { type CallbackReported, UnreadableCallback } from '../../networks/driver/abilities/callbacks.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { WakeUp } from '../../store/wake-up.ts'
import type { InstanceContext } from '../context.ts'
import { forgetHandled, nextCallbacks } from './callback-store.ts'

/** Outcome of handing over a callback: `again` if it will be handed over once more. */
export type Handling = 'handled' | 'again' | 'skipped'

type Context = Pick<InstanceContext, 'store' | 'clock' | 'alarms' | 'log' | 'callbackTurns'> & {
  readonly metrics: { countCallbacks(handling: Handling, count: number): void }
  /** The organizations that have no room for incoming messages. */
  readonly incomingCapacity: {
    isShut(organizationId: string): boolean
    whenOpen(organizationId: string, signal: AbortSignal): Promise<void>
  }
}

/** Parts of the instance's runner that the delivery needs. */
interface Parts {
  readonly id: string
  readonly organization_id: string
  /** The connection while it is open. */
  readonly connection: () => DriverConnection | undefined
  /** Lets messages without room come again from now until the returned function is called: the connection can stay. */
  readonly repeatable: () => () => void
}

/** Callbacks that are handled together, and their bytes: the first one may have more. */
const batch = { limit: 50, bytes: 256 * 1024 }
/** Milliseconds that the connection may take for one callback. */
const timeout = 30_000
/** Times that a callback is handed over before it is skipped. */
const maxTries = 5
/** Milliseconds before the second try; each further one waits twice as long. */
const firstDelay = 1_000

type Stored = Awaited<ReturnType<typeof nextCallbacks.run>>[number]

/**
 * Hands the stored callbacks of one instance to its connection, in order, and deletes them once everything that was reported for them
 * is stored. After a crash, those that were not deleted are handed over again (docs/decisions/0040).
 */
export class CallbackDelivery {
  readonly #context: Context
  readonly #parts: Parts
  /** Created when something has to wait: of ten thousand instances, hardly any does. */
  #wakeUp: WakeUp | undefined
  #isOver = false
  /** Ends the work that is under way. */
  #working: AbortController | undefined
  #hasMore = false
  /** The callback that failed last, and its tries. */
  #failing: { readonly id: string; readonly tries: number } | undefined

  constructor(context: Context, parts: Parts) {
    this.#context = context
    this.#parts = parts
  }

  /** A callback was stored, or the connection opened. */
  wake(): void {
    this.#hasMore = true
    if (!this.#working && !this.#waits && !this.#isOver) void this.#work()
  }

  get #waits(): boolean {
    return this.#wakeUp?.isSet === true
  }

  #waiting(): WakeUp {
    this.#wakeUp ??= new WakeUp(this.#context, () => this.wake())
    return this.#wakeUp
  }

  end(): void {
    this.#isOver = true
    this.#wakeUp?.cancel()
    this.#working?.abort()
  }

  async #work(): Promise<void> {
    const { log } = this.#context
    const working = new AbortController()
    this.#working = working
    try {
      while (this.#hasMore && !this.#waits && !this.#isOver) {
        this.#hasMore = false
        if (await this.#handleSome(working.signal)) this.#hasMore = true
      }
    } catch (error) {
      if (!this.#isOver) {
        if (!(error instanceof StoreUnavailable))
          log.error({ err: error, instance_id: this.#parts.id }, 'could not handle callbacks')
        this.#waiting().afterFailure()
      }
    }
    this.#working = undefined
  }

  /** Handles some callbacks; resolves with true if there may be more. */
  async #handleSome(signal: AbortSignal): Promise<boolean> {
    const { organization_id, connection, repeatable } = this.#parts
    const { callbackTurns, incomingCapacity } = this.#context
    if (!connection()?.receive) return false
    await incomingCapacity.whenOpen(organization_id, signal)
    const handing = { end: () => {} }
    const begin = () => {
      handing.end = repeatable()
    }
    try {
      const handed = await callbackTurns.run(organization_id, () => this.#handOverSome(begin), signal)
      return handed ? await this.#settle(handed) : false
    } finally {
      handing.end()
    }
  }

  /** Undefined if nothing waits, or the connection is gone. `begin` is called before the first one. */
  async #handOverSome(begin: () => void): Promise<HandedOver | undefined> {
    const { id, connection } = this.#parts
    const callbacks = await this.#context.store.read(nextCallbacks, { instance: id, ...batch })
    const present = connection()
    if (callbacks.length === 0 || !present) return undefined
    begin()
    const reported: Reported[] = []
    for (const callback of callbacks) {
      const outcome = await this.#handOver(present, callback)
      // The reports of an earlier connection are ignored once another one opens.
      if (connection() !== present) break
      if (outcome instanceof Error)
        return { connection: present, reported, failed: { callback, error: outcome } }
      reported.push({ callback, isStored: outcome.stored })
    }
    return { connection: present, reported }
  }

  async #handOver(
    connection: DriverConnection,
    { id, received_at, body }: Stored,
  ): Promise<CallbackReported | Error> {
    const { alarms } = this.#context
    const late = Promise.withResolvers<never>()
    const alarm = alarms.in(timeout, () => late.reject(new Error('the driver took too long for a callback')))
    try {
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      const reported = connection.receive?.({ id, received_at, body: bytes })
      return (await Promise.race([reported, late.promise])) ?? new Error('the driver takes no callbacks')
    } catch (error) {
      return error instanceof Error ? error : new Error('the driver rejected without an error')
    } finally {
      alarm.cancel()
    }
  }

  /** Deletes the callbacks of which everything is stored; whether there may be more. */
  async #settle({ connection, reported, failed }: HandedOver): Promise<boolean> {
    const settled = await Promise.all(
      reported.map(async ({ callback, isStored }) => ({ callback, isStored: await isStored })),
    )
    const handled = settled.filter(({ isStored }) => isStored).map(({ callback }) => callback)
    await this.#forget(handled, 'handled')
    const lost = settled.find(({ isStored }) => !isStored)
    if (lost) {
      const isFull = this.#context.incomingCapacity.isShut(this.#parts.organization_id)
      // Without room, or without the connection, it is not the fault of the callback.
      if (isFull || this.#parts.connection() !== connection) return this.#later(firstDelay)
      return this.#failed(
        lost.callback,
        new Error('what the driver reported for a callback could not be stored'),
      )
    }
    return failed ? this.#failed(failed.callback, failed.error) : handled.length > 0
  }

  /** A callback that cannot be handled does not hold up the others for ever. */
  async #failed(callback: Stored, error: Error): Promise<boolean> {
    const { log, metrics } = this.#context
    const tries = this.#failing?.id === callback.id ? this.#failing.tries + 1 : 1
    this.#failing = { id: callback.id, tries }
    const fields = { err: error, instance_id: this.#parts.id, callback_id: callback.id, tries }
    if (tries < maxTries && !(error instanceof UnreadableCallback)) {
      log.warn(fields, 'a callback could not be handled; trying again')
      metrics.countCallbacks('again', 1)
      return this.#later(firstDelay * 2 ** (tries - 1))
    }
    log.error(fields, 'a callback could not be handled and is skipped')
    await this.#forget([callback], 'skipped')
    return true
  }

  #later(delay: number): false {
    this.#waiting().in(delay)
    return false
  }

  async #forget(handled: readonly Stored[], handling: Handling): Promise<void> {
    if (handled.length === 0) return
    const ids = handled.map(({ seq, id }) => ({ seq, id }))
    await this.#context.store.transact(forgetHandled, { instance: this.#parts.id, handled: ids })
    this.#context.metrics.countCallbacks(handling, handled.length)
  }
}

/** A callback that was handed over, and whether everything that was reported for it is stored. */
interface Reported {
  readonly callback: Stored
  readonly isStored: Promise<boolean>
}

interface HandedOver {
  readonly connection: DriverConnection
  readonly reported: readonly Reported[]
  readonly failed?: { readonly callback: Stored; readonly error: Error }
}
