import type { InstanceStatus } from '../../contract/resources/instance.ts'
import { Dispatch } from '../../messages/outbox/dispatch/dispatch.ts'
import type { Resumption } from '../../networks/driver/abilities/resumption.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import type { Observation, Reason, Restriction } from '../../networks/driver/observation.ts'
import { pacingOf, replyWindowOf } from '../../networks/driver/settings.ts'
import { abortOf } from '../../runtime/abort.ts'
import type { Share } from '../../runtime/limits/share.ts'
import { SealBroken } from '../../runtime/secrets/seal.ts'
import { CallbackDelivery } from '../callbacks/callback-delivery.ts'
import { ConnectionRecorder } from '../connection/connection-recorder.ts'
import type { ConnectionChange } from '../connection/connection-store.ts'
import { InstanceConnections } from '../connection/connections.ts'
import { NextAttempt } from '../connection/next-attempt.ts'
import { Probing } from '../connection/probing.ts'
import { RestrictionTimer } from '../connection/restriction-timer.ts'
import { SettingsFollower } from '../connection/settings-follower.ts'
import { accountText, type InstanceToRun, restrictionText } from '../instance.ts'
import { InstanceLinking } from '../linking/linking.ts'
import { orderReasons, ourReasons } from '../reasons.ts'
import { NewsKeeper } from '../reports/account-news.ts'
import { IncomingBuffer } from '../reports/incoming-buffer.ts'
import { MessageObservations } from '../reports/message-observations.ts'
import {
  type ConnectionObservation,
  isAboutMessage,
  isIncoming,
  isNews,
} from '../reports/observation-kinds.ts'
import { endTimeout } from './end-timeout.ts'
import { type Input, isUnderway, type LifecycleEffect, lifecycle } from './lifecycle.ts'
import { erase, undo } from './removal.ts'
import type { RunnerContext } from './runner-context.ts'
import { noteStatus } from './status-log.ts'

/** Runs one instance: applies the table in lifecycle.ts to what is ordered and observed, and does what follows. */
export class Runner {
  readonly id: string
  readonly organization: string
  /** When this node took it over, on the monotonic clock. */
  readonly takenAt: number
  readonly #context: RunnerContext
  readonly #driver: Driver
  readonly instance: Pick<InstanceToRun, 'id' | 'organization_id' | 'epoch' | 'network'>
  /** Known once a connection was opened. */
  #replyWindow: number | null = null
  #status: InstanceStatus
  readonly #connections: InstanceConnections
  #linking: InstanceLinking | undefined
  /** The instance's share of what all instances use. */
  readonly #share: Share
  #dispatch: Dispatch | undefined
  readonly #nextAttempt: NextAttempt
  readonly #probing: Probing
  readonly #recorder: ConnectionRecorder
  /** Created when the first message comes: of ten thousand instances, few receive messages at a time. */
  #messageObservations: MessageObservations | undefined
  #incomingBuffer: IncomingBuffer | undefined
  readonly #news: NewsKeeper
  #settings: SettingsFollower | undefined
  readonly #restriction: RestrictionTimer
  /** Present if the network has callbacks. */
  readonly callbacks: CallbackDelivery | undefined
  /** The reason why the connection through which something was to be undone is gone. */
  #lastFailure: Reason | undefined
  /** Nothing follows: the process ends, or the instance is erased. */
  #over = false

  constructor(context: RunnerContext, driver: Driver, instance: InstanceToRun) {
    this.#context = context
    this.#driver = driver
    this.id = instance.id
    this.organization = instance.organization_id
    this.takenAt = context.clock.monotonic()
    const { id, organization_id, epoch, network } = instance
    this.instance = { id, organization_id, epoch, network }
    this.#status = instance.status
    this.#share = context.shares.of(instance.organization_id)
    const listener = {
      observe: (observation: Observation) => this.#observe(observation),
      caughtUp: (signal: AbortSignal) => this.#incoming.caughtUp(signal),
    }
    this.#connections = new InstanceConnections(context, driver, instance, listener, this.#share)
    this.#news = new NewsKeeper(context, instance, this.#share)
    this.#nextAttempt = new NextAttempt(context, () => this.#apply('attempt-due', undefined))
    this.#recorder = new ConnectionRecorder(context, instance, driver)
    const restrict = (restriction: Restriction | null) => this.#dispatch?.restrict(restriction)
    const ended = () => this.#recorder.keep({ restriction: null })
    this.#restriction = new RestrictionTimer(context.alarms, { restrict, ended })
    const giveUp = () => this.#apply('connection-lost', ourReasons.probeTimeout)
    this.#probing = new Probing(context, driver.limits, { probe: () => this.#connections.probe(), giveUp })
    this.callbacks =
      driver.callbacks &&
      new CallbackDelivery(context, {
        ...this.instance,
        connection: () => this.connection,
        repeatable: () => this.#incoming.repeatable(),
      })
  }

  /** True if nothing is being sent for it. */
  get isIdle(): boolean {
    return this.#dispatch?.isIdle ?? true
  }

  get status(): InstanceStatus {
    return this.#status
  }

  get linking(): InstanceLinking {
    this.#linking ??= new InstanceLinking(this.#connections, {
      status: () => this.#status,
      connection: () => this.connection,
      begin: () => this.order('link'),
      apply: (input, reason, found) => {
        this.#apply(input, reason, found)
        return this.#recorder.kept
      },
    })
    return this.#linking
  }

  get settings(): SettingsFollower {
    this.#settings ??= new SettingsFollower(this.#context, {
      id: this.id,
      driver: this.#driver,
      status: () => this.#status,
      connection: () => this.connection,
      dispatch: () => this.#dispatch,
      pause: () => this.#unopen(),
      apply: (input) => {
        this.#nextAttempt.beginAnew()
        this.#apply(input, orderReasons.change)
        return this.#recorder.kept
      },
    })
    return this.#settings
  }

  get #observations(): MessageObservations {
    this.#messageObservations ??= new MessageObservations(
      this.#context,
      this.id,
      this.#share.holding('incoming'),
      () => this.wake(),
    )
    return this.#messageObservations
  }

  get #incoming(): IncomingBuffer {
    const to = { ...this.instance, replyWindow: this.#replyWindow, isGroup: this.#driver.isGroup }
    this.#incomingBuffer ??= new IncomingBuffer(this.#context, to, this.#share, (why) =>
      this.#apply('connection-lost', why === 'quota' ? ourReasons.incomingQuota : ourReasons.messagesMissed),
    )
    return this.#incomingBuffer
  }

  /** Begins to run what was found in the store, or was just created. */
  begin(wanted: InstanceToRun['wanted']): void {
    // An order may have come first; then it has begun already.
    if (this.#connections.begun) return
    if (wanted === 'removed') void this.#undo()
    else if (wanted === 'running' && this.#status === 'connecting') this.#connect()
  }

  /** Carries out an order; resolves when the change is stored. */
  async order(order: 'start' | 'stop' | 'restart' | 'link' | 'remove'): Promise<void> {
    if (order !== 'stop' && order !== 'remove') this.#nextAttempt.beginAnew()
    this.#apply(order === 'link' ? 'restart' : order, orderReasons[order])
    await this.#recorder.kept
  }

  /** A message was accepted, or something else may be due. */
  wake(): void {
    this.#dispatch?.wake()
  }

  /** The connection, while it is open. */
  get connection(): DriverConnection | undefined {
    return this.#status === 'connected' ? this.#connections.present : undefined
  }

  /** Another instance has the account now. */
  loseAccount(): void {
    if (this.#status !== 'deleting') this.#apply('connection-refused', ourReasons.accountTaken)
  }

  /** Ends for this process: settles what is under way, at most until `signal` aborts, and closes without logging out. */
  async end(signal: AbortSignal, { isHandedOver = false } = {}): Promise<void> {
    this.#over = true
    this.callbacks?.end()
    this.#nextAttempt.cancel()
    this.#unopen()
    this.#connections.abandonResumption()
    const aborted = abortOf(signal)
    const timeout = endTimeout(this.#driver.limits, isHandedOver)
    const late = new Promise<void>((resolve) => void this.#context.alarms.in(timeout, resolve))
    await Promise.race([this.#dispatch?.settle(), late, aborted])
    await Promise.race([this.#connections.close(), aborted])
    await Promise.race([this.#dispatch?.settle(), aborted])
    this.#messageObservations?.end()
    await Promise.race([this.#news.end(), aborted])
    await Promise.race([this.#incomingBuffer?.end(), aborted])
    await this.#recorder.kept
    this.#recorder.end()
  }

  #apply(input: Input, reason: Reason | undefined, found: ConnectionChange = {}): void {
    if (this.#over) return
    const [next, ...effects] = lifecycle[this.#status][input]
    const also = { ...this.#plan(effects), ...found }
    if (next !== this.#status) {
      const now = this.#context.clock.now()
      const past: ConnectionChange = { status: next, status_since: now, link: null, next_attempt_at: null }
      const why = next === 'connected' || !reason ? null : JSON.stringify(reason)
      this.#recorder.keep({ ...past, reason: why, ...also })
      if (this.#status === 'connected') this.#unopen()
      const change = { instance_id: this.id, network: this.#driver.network, was: this.#status, status: next }
      noteStatus(this.#context, change, reason)
      this.#status = next
      if (!isUnderway(next) && next !== 'awaiting_link') this.#connections.forgetLink()
    } else if (Object.keys(also).length > 0) this.#recorder.keep(also)
    for (const effect of effects) this.#perform(effect)
  }

  /** Forgets or schedules the next attempt; its time is stored together with the status. */
  #plan(effects: readonly LifecycleEffect[]): ConnectionChange {
    if (effects.includes('disconnect')) this.#nextAttempt.cancel()
    return effects.includes('schedule-attempt') ? { next_attempt_at: this.#nextAttempt.schedule() } : {}
  }

  /** Stops sending through this connection, and probing it. */
  #unopen(): void {
    this.#probing.end()
    this.#dispatch?.pause()
  }

  #perform(effect: LifecycleEffect): void {
    if (effect === 'connect') this.#connect()
    else if (effect === 'disconnect') this.#disconnect()
    else if (effect === 'undo') void this.#undo()
    else if (effect === 'erase') void this.#erase()
  }

  #connect(): void {
    this.#open().catch((error) => {
      this.#context.log.error({ err: error, instance_id: this.id }, 'could not prepare a connection')
      if (error instanceof SealBroken) this.#apply('credentials-refused', ourReasons.credentialsUnreadable)
      else this.#apply('connection-lost', ourReasons.notPrepared)
    })
  }

  #open(): Promise<void> {
    return this.#connections.open((settings, restriction) => {
      this.#replyWindow = replyWindowOf(this.#driver, settings)
      this.#incomingBuffer?.begin()
      const pacing = pacingOf(this.#driver, settings)
      if (this.#dispatch) return this.#dispatch.repace(pacing)
      this.#dispatch = new Dispatch(this.#context, this.#driver, {
        ...this.instance,
        pacing,
        linkedAt: () => this.#recorder.linkedAt,
        replyWindow: this.#replyWindow,
        endConnection: () => this.#apply('connection-lost', ourReasons.answersMissing),
      })
      this.#restriction.set(restriction)
    })
  }

  /** Resolves as `ConnectContext.report`. */
  #observe(observation: Observation): Promise<boolean> {
    if (isAboutMessage(observation)) return this.#observations.take(observation)
    if (isIncoming(observation)) return this.#incoming.take(observation)
    if (isNews(observation)) return this.#news.take(observation)
    this.#follow(observation)
    // If the store has failed, the recorder tries again by itself.
    return this.#recorder.kept.then(() => true)
  }

  /** Follows what is observed about the connection or the account. */
  #follow(observation: ConnectionObservation): void {
    switch (observation.kind) {
      case 'connection-opened':
        this.#opened()
        break
      case 'connection-verified':
        this.#probing.verified()
        this.#verified()
        break
      case 'connection-lost':
        this.#nextAttempt.lost(observation.takenOver === true)
        this.#lost(observation.reason, observation.resumption)
        break
      case 'credentials-refused':
      case 'connection-refused':
        this.#apply(observation.kind, observation.reason)
        break
      case 'link-step':
        this.#apply('link-step', undefined, {
          link: this.#context.secrets.closeLink(this.id, observation.step),
          linkNotice: { kind: observation.step.kind, expires_at: observation.step.expires_at },
        })
        break
      case 'link-expired':
        this.#apply(observation.kind, ourReasons.linkExpired)
        break
      case 'account-known':
        this.#recorder.keep({ account: accountText(observation) })
        break
      case 'restriction':
        this.#restriction.set(observation.restriction)
        this.#recorder.keep({ restriction: restrictionText(observation.restriction) })
    }
  }

  #opened(): void {
    this.#verified()
    this.#nextAttempt.opened()
    this.#apply('connection-opened', undefined, { connected_at: this.#context.clock.now() })
    const connection = this.#connections.present
    if (this.#status !== 'connected' || !connection) return
    this.#probing.begin()
    this.#dispatch?.open(connection)
    this.callbacks?.wake()
  }

  #lost(reason: Reason, resumption: Resumption | undefined): void {
    this.#connections.lose(resumption)
    this.#lastFailure = reason
    this.#apply('connection-lost', reason)
    if (this.#over || this.#status !== 'reconnecting') this.#connections.abandonResumption()
  }

  #verified(): void {
    const connected = this.#status === 'connected'
    this.#recorder.verified(connected, this.#incomingBuffer?.nothingMissing ?? false)
  }

  #disconnect(): void {
    this.#unopen()
    this.#connections.close().catch((error) => {
      this.#context.log.error({ err: error, instance_id: this.id }, 'could not close a connection')
    })
    if (this.#status !== 'connecting') this.#connections.withdraw()
    if (this.#status !== 'reconnecting') this.#connections.abandonResumption()
  }

  async #undo(): Promise<void> {
    this.#nextAttempt.cancel()
    this.#dispatch?.pause()
    this.#connections.withdraw()
    this.#connections.abandonResumption()
    this.#lastFailure = undefined
    try {
      const confirmed = await undo(this.#context, {
        id: this.id,
        driver: this.#driver,
        settled: this.#dispatch?.settle(),
        connection: async () => {
          if (!this.#connections.present) await this.#open()
          return this.#connections.present
        },
      })
      if (confirmed) this.#apply('removal-confirmed', undefined)
      else this.#removalFailed(this.#lastFailure ?? ourReasons.removalUnconfirmed)
    } catch (error) {
      // The next node continues it.
      if (this.#over) return
      this.#context.log.error({ err: error, instance_id: this.id }, 'could not remove an instance')
      // Nothing can be undone at the network without them, however often it is tried.
      if (error instanceof SealBroken) this.#apply('credentials-refused', ourReasons.credentialsUnreadable)
      else this.#removalFailed(ourReasons.notRemoved)
    }
  }

  #removalFailed(reason: Reason): void {
    this.#apply('removal-failed', reason, { reason: JSON.stringify(reason) })
  }

  async #erase(): Promise<void> {
    const { erased, instanceChanges, log } = this.#context
    try {
      await this.#recorder.kept
      await erase(this.#context, this.id)
      this.#over = true
      this.callbacks?.end()
      this.#restriction.end()
      this.#recorder.end()
      this.#messageObservations?.end()
      void this.#incomingBuffer?.end()
      erased(this.id)
      instanceChanges.notify(this.id)
    } catch (error) {
      log.error({ err: error, instance_id: this.id }, 'could not erase a removed instance')
      this.#removalFailed(ourReasons.notRemoved)
    }
  }
}
