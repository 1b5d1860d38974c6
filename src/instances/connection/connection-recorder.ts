import type { InstanceStatus } from '../../contract/resources/instance.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import { WakeUp } from '../../store/wake-up.ts'
import type { InstanceContext } from '../context.ts'
import type { InstanceToRun } from '../instance.ts'
import { type ConnectionChange, recordConnection, recordVerified } from './connection-store.ts'

type Context = Pick<InstanceContext, 'store' | 'clock' | 'alarms' | 'log' | 'instanceChanges'>

/** Milliseconds between two stored verifications, at least; the status never shows a later one than was seen. */
const verifiedKeptEvery = 5_000

const nothing: ConnectionChange = {}

/** In these, the account is not linked; the next connection shows that it is again. */
const unlinked: readonly (InstanceStatus | undefined)[] = ['awaiting_link', 'logged_out']

/** Stores what a runner finds out about its instance, in the order in which it happened, and wakes those who wait for it. */
export class ConnectionRecorder {
  readonly #context: Context
  readonly #id: string
  readonly #isLinkedByPerson: boolean
  #linkedAt: number | null
  /** The last write. */
  #kept: Promise<unknown> = Promise.resolve()
  /** Everything that was found out and may not be stored yet, to be stored together after the store failed. */
  #found: ConnectionChange = nothing
  /** Created when the store fails. */
  #wakeUp: WakeUp | undefined
  /** The time when the network last answered, and that of the last answer that is stored; on the monotonic clock. */
  #verified = Number.NEGATIVE_INFINITY
  #verifiedKept = Number.NEGATIVE_INFINITY

  constructor(
    context: Context,
    { id, linked_at }: Pick<InstanceToRun, 'id' | 'linked_at'>,
    { linking }: Pick<Driver, 'linking'>,
  ) {
    this.#context = context
    this.#id = id
    this.#linkedAt = linked_at
    this.#isLinkedByPerson = linking !== undefined
  }

  /** Resolves when everything so far is stored, or the store has failed. */
  get kept(): Promise<unknown> {
    return this.#kept
  }

  /** The time when the account was last linked, in milliseconds since the epoch; null if it is not, or needs no link. */
  get linkedAt(): number | null {
    return this.#linkedAt
  }

  keep(found: ConnectionChange): void {
    const linkedAt = this.#linkedAfter(found.status)
    const change = linkedAt === this.#linkedAt ? found : { ...found, linked_at: linkedAt }
    this.#linkedAt = linkedAt
    this.#found = { ...this.#found, ...change }
    this.#write(change)
  }

  #linkedAfter(status: InstanceStatus | undefined): number | null {
    if (unlinked.includes(status)) return null
    if (status !== 'connected' || !this.#isLinkedByPerson) return this.#linkedAt
    return this.#linkedAt ?? this.#context.clock.now()
  }

  /**
   * The network answered just now. This is stored now and then if `alone`, and with the next change otherwise. `nothingMissing`
   * is true if all messages that came until now are stored.
   */
  verified(alone: boolean, nothingMissing: boolean): void {
    const { store, clock, log } = this.#context
    this.#verified = clock.monotonic()
    if (!alone || this.#verified - this.#verifiedKept < verifiedKeptEvery) return
    this.#verifiedKept = this.#verified
    store.transact(recordVerified, { id: this.#id, at: clock.now(), nothingMissing }).catch((error) => {
      log.error({ err: error, instance_id: this.#id }, 'could not store a verification')
    })
  }

  /** Gives up what could not be stored: nothing is left, or another runner knows better by now. */
  end(): void {
    this.#wakeUp?.cancel()
  }

  #write(change: ConnectionChange): void {
    const { store, clock, instanceChanges, log } = this.#context
    const now = clock.now()
    const verifiedAgo = clock.monotonic() - this.#verified
    const verifiedAt = this.#verified > this.#verifiedKept ? Math.round(now - verifiedAgo) : null
    this.#verifiedKept = this.#verified
    const kept = store.transact(recordConnection, { id: this.#id, change, verifiedAt, now })
    const over = kept.then(
      () => {
        // Once it failed, a later success leaves out what failed before.
        if (this.#kept === over && !this.#wakeUp?.isSet) this.#found = nothing
        instanceChanges.notify(this.#id)
      },
      (error) => {
        log.error({ err: error, instance_id: this.#id }, 'could not store a change of an instance')
        this.#wakeUp ??= new WakeUp(this.#context, () => this.#write(this.#found))
        this.#wakeUp.afterFailure()
      },
    )
    this.#kept = over
  }
}
