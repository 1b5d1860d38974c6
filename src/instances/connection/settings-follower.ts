import type { InstanceStatus } from '../../contract/resources/instance.ts'
import type { Dispatch } from '../../messages/outbox/dispatch/dispatch.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import { pacingOf } from '../../networks/driver/settings.ts'
import type { InstanceContext } from '../context.ts'
import { readConnectionSecrets } from './connection-store.ts'

type Context = Pick<InstanceContext, 'store' | 'alarms'>

/** Parts of the instance's runner that following changed settings needs. */
interface Following {
  readonly id: string
  readonly driver: Driver
  status(): InstanceStatus
  /** The connection, while it is open. */
  connection(): DriverConnection | undefined
  dispatch(): Dispatch | undefined
  /** No further message leaves until the next connection is open. */
  pause(): void
  /** Resolves when the change is stored. */
  apply(input: 'restart' | 'attempt-due'): Promise<unknown>
}

/** Milliseconds that attempts under way may take before their connection is closed. */
const settleTimeout = 5_000

/** Has an instance follow its settings after they were changed in the store. */
export class SettingsFollower {
  readonly #context: Context
  readonly #instance: Following
  #readings = 0

  constructor(context: Context, instance: Following) {
    this.#context = context
    this.#instance = instance
  }

  /**
   * Connects anew; resolves when that has begun. Messages that are being sent are finished first, for a few seconds at most,
   * so that no attempt becomes uncertain. If the connection ends meanwhile, the next one has the settings anyway. A
   * connection that was lost keeps what it can resume. Does nothing if the instance is not wanted connected.
   */
  async reconnect(): Promise<void> {
    const { connection, dispatch, pause, status, apply } = this.#instance
    const before = connection()
    if (before) {
      pause()
      const late = Promise.withResolvers<void>()
      const alarm = this.#context.alarms.in(settleTimeout, late.resolve)
      await Promise.race([dispatch()?.settle(), late.promise])
      alarm.cancel()
      if (connection() !== before) return
    }
    const now = status()
    if (now === 'stopped' || now === 'deleting') return
    await apply(now === 'reconnecting' ? 'attempt-due' : 'restart')
  }

  /** Sends at the pace of the settings from now on. Rejects if the store cannot be read. */
  async repace(): Promise<void> {
    const { id, driver, dispatch } = this.#instance
    const reading = ++this.#readings
    const row = await this.#context.store.read(readConnectionSecrets, { id })
    // A later call has read newer settings.
    if (row && reading === this.#readings) dispatch()?.repace(pacingOf(driver, JSON.parse(row.settings)))
  }
}
