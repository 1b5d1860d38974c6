import { Problem } from '../../../contract/problem.ts'
import type { Driver } from '../../../networks/driver/driver.ts'
import type { Networks } from '../../../networks/driver/registry.ts'
import { replyWindowOf } from '../../../networks/driver/settings.ts'
import type { StoreForAll } from '../../../store/store.ts'
import { findSender } from './find-sender.ts'

/** The part of an instance that a message needs. It never changes while the instance lives. */
export interface SendingInstance {
  readonly instanceId: string
  readonly instanceName: string
  readonly driver: Driver
  /** Milliseconds in which a person who wrote may be answered; null for any time. */
  readonly replyWindow: number | null
}

const rememberedAtMost = 100_000

/**
 * Finds the instance that a message is to leave through. What was found is remembered, because every message asks; that
 * the instance is still there is asserted by the transaction that accepts the message, which has it forgotten if not.
 */
export class Senders {
  readonly #store: StoreForAll
  readonly #networks: Networks
  readonly #known = new Map<string, SendingInstance>()

  constructor(store: StoreForAll, networks: Networks) {
    this.#store = store
    this.#networks = networks
  }

  async find(organization: string, name: string): Promise<SendingInstance> {
    const key = `${organization} ${name}`
    const known = this.#known.get(key)
    if (known) return known
    const row = await this.#store.read(findSender, { organization, name }, { party: organization })
    const driver = row && this.#networks.get(row.network)
    if (!driver) throw new Problem('instance_not_found')
    const replyWindow = replyWindowOf(driver, JSON.parse(row.settings))
    const sender: SendingInstance = { instanceId: row.id, instanceName: name, driver, replyWindow }
    if (this.#known.size >= rememberedAtMost) this.#known.clear()
    this.#known.set(key, sender)
    return sender
  }

  /** The instance was gone when a message was to be accepted; its name may mean another by now. */
  forget(organization: string, name: string): void {
    this.#known.delete(`${organization} ${name}`)
  }
}
