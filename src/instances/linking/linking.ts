import type { InstanceStatus } from '../../contract/resources/instance.ts'
import type { AnswerOutcome, LinkWay, LogOutOutcome } from '../../networks/driver/abilities/linking.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import type { Reason } from '../../networks/driver/observation.ts'
import type { ConnectionChange } from '../connection/connection-store.ts'
import type { InstanceConnections } from '../connection/connections.ts'
import { ourReasons } from '../reasons.ts'

/** The instance whose account is linked, as its runner knows it. */
interface LinkedInstance {
  status(): InstanceStatus
  /** The connection, while it is open. */
  connection(): DriverConnection | undefined
  /** Begins a link attempt; resolves when the change is stored. */
  begin(): Promise<void>
  /** Moves it on; resolves when the change is stored. */
  apply(input: 'stop' | 'logout-confirmed', reason: Reason, found?: ConnectionChange): Promise<unknown>
}

/** The statuses in which a person can still decline: there is nothing to end in the others, or it is linked. */
const declinable: readonly InstanceStatus[] = ['connecting', 'awaiting_link', 'reconnecting', 'stopped']

/** Actions of people on the link between an instance and its account: make it, answer questions meanwhile, and end it. */
export class InstanceLinking {
  readonly #connections: InstanceConnections
  readonly #instance: LinkedInstance
  /** However many ask for it at the same time, the network is asked once. */
  #loggingOut: Promise<LogOutOutcome | undefined> | undefined

  constructor(connections: InstanceConnections, instance: LinkedInstance) {
    this.#connections = connections
    this.#instance = instance
  }

  /** Begins to link the account in this way; false if it is connected by now. Resolves when the change is stored. */
  async begin(way: LinkWay): Promise<boolean> {
    const status = this.#instance.status()
    if (status === 'connected') return false
    this.#connections.linkBy(way, status === 'logged_out')
    await this.#instance.begin()
    return true
  }

  /** Passes on what a person answered to the present link step; `not_asked` if it asks nothing. */
  async answer(answer: string): Promise<AnswerOutcome> {
    if (this.#instance.status() !== 'awaiting_link') return { kind: 'not_asked' }
    return (await this.#connections.present?.linking?.answer?.(answer)) ?? { kind: 'not_asked' }
  }

  /**
   * Ends the link attempt, because the person who was asked to link the account does not want to. An instance that is stopped already
   * says so from then on. Resolves when the change is stored.
   */
  async decline(): Promise<void> {
    if (!declinable.includes(this.#instance.status())) return
    const reason = ourReasons.linkDeclined
    await this.#instance.apply('stop', reason, { reason: JSON.stringify(reason), isTold: true })
  }

  /** Unlinks the account at the network; undefined while the instance is not connected. Resolves when the change is stored. */
  logOut(): Promise<LogOutOutcome | undefined> {
    this.#loggingOut ??= this.#logOut().finally(() => {
      this.#loggingOut = undefined
    })
    return this.#loggingOut
  }

  async #logOut(): Promise<LogOutOutcome | undefined> {
    const connection = this.#instance.connection()
    const outcome = await connection?.linking?.logOut()
    // If another connection was opened meanwhile, that one shows what has become of the account.
    const isLast = (this.#connections.present ?? connection) === connection
    if (outcome === 'confirmed' && isLast)
      await this.#instance.apply('logout-confirmed', ourReasons.loggedOutByRequest)
    return outcome
  }
}
