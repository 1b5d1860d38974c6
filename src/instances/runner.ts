import type { InstanceStatus } from '../contract/instance.ts'
import { Dispatch, type DispatchContext } from '../messages/dispatch.ts'
import { discardQueue } from '../messages/sweep.ts'
import type { Connection, Credentials, Driver, Settings } from '../networks/driver.ts'
import type { Observation, Reason, Restriction, Resumption } from '../networks/observation.ts'
import { pacingOf } from '../networks/settings.ts'
import type { Alarm } from '../runtime/alarms.ts'
import type { Changes } from '../runtime/changes.ts'
import { backOff } from './back-off.ts'
import type { InstanceSecrets } from './credentials.ts'
import { Findings } from './findings.ts'
import {
  type ConnectionChange,
  eraseInstance,
  type InstanceToRun,
  readConnectionSecrets,
  saveCredentials,
} from './instance-store.ts'
import { type Effect, type Input, lifecycle, orderReasons } from './lifecycle.ts'
import { recordMessageObservation } from './message-observations.ts'
import { Probing } from './probing.ts'
import { logStatus } from './status-log.ts'

/** What all runners of a node share. */
export interface RunnerContext extends DispatchContext {
  readonly secrets: InstanceSecrets
  /** Told after each commit that changed an instance. */
  readonly changes: Changes
  /** Calls back when the node may open one more connection. */
  readonly admit: (instanceId: string, go: () => void) => void
  readonly erased: (instanceId: string) => void
}

const discardedAtOnce = 500
/** How long a connection must last before its next loss is treated as the first, in milliseconds. */
const steadyAfter = 60_000
/** How long a removal waits for attempts that are under way, in milliseconds. */
const removalPatience = 2_000
/** How long the end of the process waits for attempts that are under way before their connection is closed. */
const endPatience = 5_000

/**
 * Runs one instance: applies the lifecycle to what is ordered and observed, keeps every change, and does what follows.
 * It decides nothing by itself; the table in lifecycle.ts does.
 */
export class Runner {
  readonly id: string
  readonly #context: RunnerContext
  readonly #driver: Driver
  #status: InstanceStatus
  /** Counts connections; what an earlier one still reports is of no interest. */
  #generation = 0
  #connection: Connection | undefined
  #abort: AbortController | undefined
  #resumption: Resumption | undefined
  #dispatch: Dispatch | undefined
  #attempts = 0
  #alarm: Alarm | undefined
  readonly #probing: Probing
  readonly #findings: Findings
  #connectedAt = 0
  /** Set for the end of the restriction that the network put on the account. */
  #restrictionAlarm: Alarm | undefined
  /** Nothing follows any more: the process ends, or the instance is erased. */
  #over = false

  constructor(context: RunnerContext, driver: Driver, instance: InstanceToRun) {
    this.#context = context
    this.#driver = driver
    this.id = instance.id
    this.#status = instance.status
    this.#findings = new Findings(context, instance.id)
    this.#probing = new Probing(context, driver.limits, {
      probe: () => this.#probe(),
      giveUp: () => {
        this.#apply('connection-lost', {
          code: 'probe_timeout',
          detail: 'The network did not answer a probe in time.',
        })
      },
    })
  }

  get status(): InstanceStatus {
    return this.#status
  }

  /** Begins to run what was found in the store, or was just created. */
  begin(wanted: InstanceToRun['wanted']): void {
    // An order may have come first; then it has begun already.
    if (this.#generation > 0) return
    if (wanted === 'removed') void this.#undo()
    else if (wanted === 'running' && this.#status === 'connecting') this.#connect()
  }

  /** Carries out an order; resolves when what it changed is kept. */
  async order(order: 'start' | 'stop' | 'restart' | 'remove'): Promise<void> {
    if (order === 'start' || order === 'restart') this.#attempts = 0
    this.#apply(order, orderReasons[order])
    await this.#findings.kept
  }

  /** A message was accepted, or something else may be due. */
  wake(): void {
    this.#dispatch?.wake()
  }

  /** Ends for this process: settles what is under way, at most until `signal` aborts, and closes without logging out. */
  async end(signal: AbortSignal): Promise<void> {
    this.#over = true
    this.#alarm?.cancel()
    this.#dispatch?.pause()
    this.#abandonResumption()
    const aborted = abortOf(signal)
    await Promise.race([this.#dispatch?.settle(), this.#after(endPatience), aborted])
    const closing = this.#connection?.close()
    this.#forgetConnection()
    await Promise.race([closing, aborted])
    await Promise.race([this.#dispatch?.settle(), aborted])
    await this.#findings.kept
  }

  #apply(input: Input, reason: Reason | undefined, also: ConnectionChange = {}): void {
    if (this.#over) return
    const [next, ...effects] = lifecycle[this.#status][input]
    const now = this.#context.clock.now()
    if (next !== this.#status) {
      const past: ConnectionChange = { status: next, status_since: now, link: null, next_attempt_at: null }
      this.#findings.keep({
        ...past,
        reason: next === 'connected' || !reason ? null : JSON.stringify(reason),
        ...also,
      })
      if (this.#status === 'connected') this.#unopen()
      const { log } = this.#context
      logStatus(
        log,
        { instance_id: this.id, network: this.#driver.network, was: this.#status, status: next },
        reason,
      )
      this.#status = next
    } else if (Object.keys(also).length > 0) {
      this.#findings.keep(also)
    }
    for (const effect of effects) this.#perform(effect, reason)
  }

  /** Whatever comes next, this connection is not one to send through or to be probed. */
  #unopen(): void {
    this.#probing.end()
    this.#dispatch?.pause()
  }

  #perform(effect: Effect, reason: Reason | undefined): void {
    if (effect === 'connect') this.#connect()
    else if (effect === 'disconnect') this.#disconnect()
    else if (effect === 'schedule-attempt') this.#scheduleAttempt(reason)
    else if (effect === 'undo') void this.#undo()
    else void this.#erase()
  }

  #connect(): void {
    const generation = ++this.#generation
    this.#alarm?.cancel()
    this.#context.admit(this.id, () => {
      if (generation !== this.#generation) return
      this.#open(generation).catch((error) => {
        this.#context.log.error({ err: error, instance_id: this.id }, 'a connection could not be prepared')
        if (generation !== this.#generation) return
        this.#apply('connection-lost', {
          code: 'internal_error',
          detail: 'The connection could not be prepared.',
        })
      })
    })
  }

  async #open(generation: number): Promise<void> {
    const { store, secrets, clock, random, log } = this.#context
    const row = await store.read(readConnectionSecrets, { id: this.id })
    if (!row || generation !== this.#generation) return
    const settings: Settings = JSON.parse(row.settings)
    const abort = new AbortController()
    this.#abort = abort
    const resumption = this.#resumption
    if (!this.#dispatch) {
      this.#dispatch = new Dispatch(this.#context, this.#driver, this.id, pacingOf(this.#driver, settings))
      this.#restricted(row.restriction === null ? null : JSON.parse(row.restriction))
    }
    let sealed: Uint8Array = row.credentials
    this.#connection = this.#driver.connect({
      settings,
      credentials: {
        read: () => secrets.openCredentials(this.id, sealed),
        save: async (credentials: Credentials) => {
          const fresh = secrets.closeCredentials(this.id, credentials)
          const owned =
            generation === this.#generation &&
            (await store.transact(saveCredentials, { id: this.id, credentials: fresh }))
          if (!owned) throw new Error('the instance was taken over or removed')
          sealed = fresh
        },
      },
      ...(resumption ? { resumption } : {}),
      report: (observation) => {
        if (generation === this.#generation) this.#observe(observation)
      },
      signal: abort.signal,
      clock,
      random,
      log,
    })
    // Handed on only now: a driver that throws in place of a connection has not taken it.
    if (this.#resumption === resumption) this.#resumption = undefined
  }

  #observe(observation: Observation): void {
    switch (observation.kind) {
      case 'connection-opened':
        this.#opened()
        break
      case 'connection-verified':
        this.#probing.verified()
        this.#verified()
        break
      case 'connection-lost':
        this.#lost(observation.reason, observation.resumption)
        break
      case 'credentials-refused':
      case 'connection-refused':
        this.#apply(observation.kind, observation.reason)
        break
      case 'link-step':
        this.#apply('link-step', undefined, {
          link: this.#context.secrets.closeLink(this.id, observation.step),
        })
        break
      case 'link-expired':
        this.#apply('link-expired', { code: 'link_expired', detail: 'Nobody linked the account in time.' })
        break
      case 'account-known':
        this.#findings.keep({ account: accountText(observation.address, observation.display_name) })
        break
      case 'restriction':
        this.#restricted(observation.restriction)
        this.#findings.keep({
          restriction: observation.restriction && JSON.stringify(observation.restriction),
        })
        break
      default:
        recordMessageObservation(this.#context, this.id, observation, () => this.wake())
    }
  }

  /** A restriction ends at its time, also where no connection lasts until then to tell. */
  #restricted(restriction: Restriction | null): void {
    const { alarms, clock } = this.#context
    this.#dispatch?.restrict(restriction)
    this.#restrictionAlarm?.cancel()
    if (restriction === null || restriction.ends_at === null) return
    this.#restrictionAlarm = alarms.in(restriction.ends_at - clock.now(), () => {
      this.#dispatch?.restrict(null)
      this.#findings.keep({ restriction: null })
    })
  }

  #opened(): void {
    this.#verified()
    this.#connectedAt = this.#context.clock.now()
    this.#apply('connection-opened', undefined, { connected_at: this.#connectedAt })
    if (this.#status !== 'connected' || !this.#connection) return
    this.#probing.begin()
    this.#dispatch?.open(this.#connection)
  }

  /** The connection is gone by itself; its sends may go on in the next one, so it is not closed. */
  #lost(reason: Reason, resumption: Resumption | undefined): void {
    this.#resumption = resumption
    this.#connection = undefined
    this.#abort = undefined
    this.#apply('connection-lost', reason)
    if (this.#over || this.#status !== 'reconnecting') this.#abandonResumption()
  }

  #verified(): void {
    const now = this.#context.clock.now()
    const connected = this.#status === 'connected'
    // A connection that has lasted is a new beginning for the back-off.
    if (connected && now - this.#connectedAt > steadyAfter) this.#attempts = 0
    this.#findings.verified(now, connected)
  }

  /** A driver that throws has a mistake in it; that no answer comes is noticed anyway. */
  #probe(): void {
    try {
      this.#connection?.probe()
    } catch (error) {
      this.#context.log.error({ err: error, instance_id: this.id }, 'the driver failed in a probe')
    }
  }

  #disconnect(): void {
    this.#alarm?.cancel()
    const closing = this.#connection?.close()
    closing?.catch((error) =>
      this.#context.log.error({ err: error, instance_id: this.id }, 'a connection failed to close'),
    )
    this.#forgetConnection()
    if (this.#status !== 'reconnecting') this.#abandonResumption()
  }

  #forgetConnection(): void {
    this.#generation++
    this.#unopen()
    this.#abort?.abort()
    this.#connection = undefined
    this.#abort = undefined
  }

  #abandonResumption(): void {
    this.#resumption?.abandon()
    this.#resumption = undefined
  }

  #scheduleAttempt(reason: Reason | undefined): void {
    const { alarms, clock, random } = this.#context
    const delay = backOff(++this.#attempts, random(), reason?.code)
    this.#findings.keep({ next_attempt_at: clock.now() + delay })
    this.#alarm = alarms.in(delay, () => this.#apply('attempt-due', undefined))
  }

  /** Cancels what is queued and undoes at the network what is to be undone there. */
  async #undo(): Promise<void> {
    this.#alarm?.cancel()
    try {
      this.#dispatch?.pause()
      this.#abandonResumption()
      await Promise.race([this.#dispatch?.settle(), this.#after(removalPatience)])
      await this.#discardQueue()
      this.#apply((await this.#removeFromNetwork()) ? 'removal-confirmed' : 'removal-failed', undefined)
    } catch (error) {
      // At the next start it goes on.
      if (this.#over) return
      this.#context.log.error({ err: error, instance_id: this.id }, 'an instance could not be removed')
      this.#apply('removal-failed', undefined)
    }
  }

  #after(delay: number): Promise<void> {
    return new Promise((resolve) => void this.#context.alarms.in(delay, resolve))
  }

  async #discardQueue(): Promise<void> {
    const { store, clock, messageChanges } = this.#context
    for (;;) {
      const args = { instanceId: this.id, now: clock.now(), limit: discardedAtOnce }
      const ids = await store.transact(discardQueue, args)
      for (const id of ids) messageChanges.tell(id)
      if (ids.length < discardedAtOnce) return
    }
  }

  async #removeFromNetwork(): Promise<boolean> {
    const row = await this.#context.store.read(readConnectionSecrets, { id: this.id })
    if (!row || !this.#driver.mustUndo(JSON.parse(row.settings))) return true
    if (!this.#connection) await this.#open(++this.#generation)
    return (await this.#connection?.removal?.remove()) ?? true
  }

  async #erase(): Promise<void> {
    const { store, erased, changes, log } = this.#context
    try {
      await this.#findings.kept
      await store.transact(eraseInstance, { id: this.id })
      this.#over = true
      this.#restrictionAlarm?.cancel()
      this.#findings.end()
      erased(this.id)
      changes.tell(this.id)
    } catch (error) {
      log.error({ err: error, instance_id: this.id }, 'a removed instance could not be erased')
      this.#apply('removal-failed', undefined)
    }
  }
}

/** Resolves when the signal aborts, also where it has. */
function abortOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function accountText(address: string, displayName: string | undefined): string {
  return JSON.stringify({ address, display_name: displayName ?? null })
}
