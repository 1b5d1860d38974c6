import { isStored } from '../../messages/inbox/inbox.ts'
import type { CallbackRequest, Claim, InstanceCallbacks } from '../../networks/driver/abilities/callbacks.ts'
import type { CaughtUp } from '../../networks/driver/abilities/catching-up.ts'
import type { LinkWay } from '../../networks/driver/abilities/linking.ts'
import type { Resumption } from '../../networks/driver/abilities/resumption.ts'
import type { SealedCredentials, Settings } from '../../networks/driver/account.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import type { Observation, Restriction } from '../../networks/driver/observation.ts'
import type { Share } from '../../runtime/limits/share.ts'
import type { CallbackUrls } from '../callbacks/callback-urls.ts'
import type { BindingResult } from '../callbacks/claim-store.ts'
import type { InstanceContext } from '../context.ts'
import { ConnectionKeys } from '../keys/connection-keys.ts'
import { ourReasons } from '../reasons.ts'
import { contestAccount } from './account-claim.ts'
import type { Admission, Applicant } from './admission.ts'
import { readConnectionSecrets, saveCredentials } from './connection-store.ts'
import { withSoundTimes } from './sound-times.ts'

type Context = Pick<
  InstanceContext,
  | 'store'
  | 'secrets'
  | 'http'
  | 'clock'
  | 'alarms'
  | 'random'
  | 'log'
  | 'keyLimit'
  | 'keyTurns'
  | 'typingNotices'
> & {
  readonly admission: Pick<Admission, 'ask' | 'withdraw'>
  readonly callbackUrls: Pick<CallbackUrls, 'of' | 'isAbandoned'>
  /** Called when an instance has lost its account to another. */
  readonly accountLost: (instanceId: string) => void
}

/** Called before a connection is opened, with what is stored about it. */
type Prepare = (settings: Settings, restriction: Restriction | null) => void

/** The listener to the connections of an instance. */
interface Listener {
  /** Resolves as `ConnectContext.report`. */
  observe(observation: Observation): Promise<boolean>
  /** As `StoredMessages.upTo`; `signal` aborts when the connection that asks is over. */
  caughtUp(signal: AbortSignal): Promise<CaughtUp | null>
}

/**
 * The connections of one instance, one after the other. Only the last one is heard. The resumption of a lost one goes to the
 * next.
 */
export class InstanceConnections {
  readonly #context: Context
  readonly #driver: Driver
  readonly #instance: Applicant & { readonly epoch: number }
  readonly #listener: Listener
  readonly #share: Share
  /** Counts what was ordered; a connection of an earlier order is of no interest. */
  #generation = 0
  #present: DriverConnection | undefined
  #abort: AbortController | undefined
  #resumption: Resumption | undefined
  /** Of the last connection that was begun. */
  #keys: ConnectionKeys | undefined
  /** The way in which a person wants to link the account, and true if the credentials are known to be worth nothing. */
  #link: { readonly way: LinkWay; readonly refused: boolean } | undefined

  constructor(
    context: Context,
    driver: Driver,
    { id, organization_id, epoch }: Applicant & { readonly epoch: number },
    listener: Listener,
    share: Share,
  ) {
    this.#context = context
    this.#share = share
    this.#driver = driver
    this.#instance = { id, organization_id, epoch }
    this.#listener = listener
  }

  get present(): DriverConnection | undefined {
    return this.#present
  }

  /** True if a connection was ever ordered. */
  get begun(): boolean {
    return this.#generation > 0
  }

  /**
   * Links the account in this way, from the next connection on. `refused`: that connection does so with any credentials,
   * because the network has refused them.
   */
  linkBy(way: LinkWay, refused: boolean): void {
    this.#link = { way, refused }
  }

  /** Forgets the way to link: the account is linked, or no person links it any longer. */
  forgetLink(): void {
    this.#link = undefined
  }

  /**
   * Opens the next one when the node admits it. Rejects when it cannot be prepared, with `SealBroken` if that is because the
   * credentials do not open; resolves, or never settles, when
   * something else was ordered meanwhile.
   */
  async open(prepare: Prepare): Promise<void> {
    const generation = ++this.#generation
    await new Promise<void>((admitted) =>
      this.#context.admission.ask(this.#instance, admitted, this.#driver.connectWeight),
    )
    try {
      if (generation === this.#generation) await this.#open(generation, prepare)
    } catch (error) {
      if (generation === this.#generation) throw error
    }
  }

  async #open(generation: number, prepare: Prepare): Promise<void> {
    const { store, secrets, http, clock, random, log } = this.#context
    const { id } = this.#instance
    // Otherwise the next connection might read who owned the keys before that.
    await this.#keys?.settled()
    const row = await store.read(readConnectionSecrets, { id })
    if (!row || generation !== this.#generation) return
    const settings: Settings = JSON.parse(row.settings)
    // Credentials that cannot be opened are reported before the network sees the connection, and not as a failed login.
    const credentials = secrets.openCredentials(id, row.credentials)
    const restriction: Restriction | null = row.restriction === null ? null : JSON.parse(row.restriction)
    prepare(settings, restriction)
    const abort = new AbortController()
    this.#abort = abort
    const resumption = this.#resumption
    this.#keys = new ConnectionKeys(this.#context, {
      instance: id,
      organization: this.#instance.organization_id,
      before: row.key_owner,
      isPresent: () => generation === this.#generation,
      seal: () => secrets.keySeal(id),
    })
    const link = this.#wayToLink(settings, credentials)
    this.#present = this.#driver.connect({
      instance: id,
      epoch: this.#instance.epoch,
      settings,
      credentials: secrets.access(id, row.credentials, async (before, credentials) => {
        if (generation !== this.#generation) return false
        return await store.transact(saveCredentials, { id, before, credentials })
      }),
      keys: this.#keys,
      ...(this.#driver.callbacks && {
        callbacks: this.#callbacksOf(generation, row.shared_callback === 1, abort.signal),
      }),
      ...(resumption ? { resumption } : {}),
      ...(link ? { link } : {}),
      ...(restriction ? { restriction } : {}),
      report: async (observation) =>
        generation === this.#generation && this.#listener.observe(withSoundTimes(observation, clock.now())),
      wantsTyping: () => this.#context.typingNotices.isWanted(this.#instance.organization_id),
      stored: {
        upTo: () => this.#listener.caughtUp(abort.signal),
        has: (networkMessageId) => this.#isStored(networkMessageId),
      },
      signal: abort.signal,
      share: this.#share,
      http: http.of(this.#share.party),
      clock,
      random,
      log,
    })
    // Passed on only now: a driver that throws instead of connecting has not used it.
    if (this.#resumption === resumption) this.#resumption = undefined
  }

  #wayToLink(settings: Settings, credentials: SealedCredentials): LinkWay | undefined {
    if (!this.#link) return undefined
    const { way, refused } = this.#link
    if (!refused && this.#driver.linking?.isLinked(settings, credentials)) return undefined
    this.#link = { way, refused: false }
    return way
  }

  async #isStored(networkMessageId: string): Promise<boolean> {
    const { store, log } = this.#context
    const { id: instanceId } = this.#instance
    try {
      return await store.read(isStored, { instanceId, networkMessageId })
    } catch (error) {
      log.error({ err: error, instance_id: instanceId }, 'could not read whether a message is stored')
      return false
    }
  }

  #callbacksOf(generation: number, isShared: boolean, signal: AbortSignal): InstanceCallbacks {
    return {
      url: this.#context.callbackUrls.of(this.#driver, this.#instance.id),
      isAbandoned: (url, request) => this.#isAbandoned(url, request),
      ...(isShared && { claim: (claim) => this.#claim(generation, claim, signal) }),
    }
  }

  async #isAbandoned(url: string, request: CallbackRequest): Promise<boolean> {
    const { callbackUrls, log } = this.#context
    try {
      return await callbackUrls.isAbandoned(this.#driver, url, request)
    } catch (error) {
      log.error(
        { err: error, instance_id: this.#instance.id },
        'could not read the instances of a callback URL',
      )
      return false
    }
  }

  /** Resolves with true if the instance has the account now; otherwise ends the connection. */
  async #claim(generation: number, claim: Claim, signal: AbortSignal): Promise<boolean> {
    const { accountLost, log } = this.#context
    const { id: instance } = this.#instance
    let claimed: BindingResult = { kind: 'gone' }
    try {
      const { id, organization_id: organization } = this.#instance
      const claimant = { driver: this.#driver, instance: id, organization, signal }
      claimed = await contestAccount(this.#context, claimant, claim)
    } catch (error) {
      log.error({ err: error, instance_id: instance }, 'could not store the claim of an account')
    }
    if (claimed.kind === 'claimed' && claimed.from !== null) accountLost(claimed.from)
    if (generation !== this.#generation) return false
    if (claimed.kind === 'claimed') return true
    void this.#present?.close()
    if (claimed.kind === 'taken')
      void this.#listener.observe({ kind: 'connection-refused', reason: ourReasons.accountTaken })
    else void this.#listener.observe({ kind: 'connection-lost', reason: ourReasons.notPrepared })
    return false
  }

  /** A driver that throws has a mistake in it; that no answer comes is noticed anyway. */
  probe(): void {
    try {
      this.#present?.probe()
    } catch (error) {
      this.#context.log.error({ err: error, instance_id: this.#instance.id }, 'the driver failed in a probe')
    }
  }

  /** The instance needs no connection, and no longer waits to be admitted. */
  withdraw(): void {
    this.#context.admission.withdraw(this.#instance)
  }

  /** The present one is gone by itself. Its sends may go on in the next one, so it is not closed. */
  lose(resumption: Resumption | undefined): void {
    this.#resumption = resumption
    this.#present = undefined
    this.#abort = undefined
  }

  /** No connection will follow that could take up what the last one left behind. */
  abandonResumption(): void {
    this.#resumption?.abandon()
    this.#resumption = undefined
  }

  /** Closes the present one, or the one that is being opened; nothing is heard from it again. Resolves when it is gone. */
  async close(): Promise<void> {
    const closing = this.#present?.close()
    this.#generation++
    this.#abort?.abort()
    this.#present = undefined
    this.#abort = undefined
    await closing
  }
}
