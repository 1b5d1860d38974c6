import assert from 'node:assert/strict'
import type { SealedCredentials } from '../../../../src/networks/driver/account.ts'
import type { Driver } from '../../../../src/networks/driver/driver.ts'
import type {
  Observation,
  ObservationKind,
  Restriction,
} from '../../../../src/networks/driver/observation.ts'
import { whatsappCloud } from '../../../../src/networks/whatsapp-cloud/driver.ts'
import { startCallbackReceiver } from '../../../simulators/whatsapp-cloud/callback-receiver.ts'
import type { NewPerson } from '../../../simulators/whatsapp-cloud/control.ts'
import {
  startWhatsAppCloud,
  type WhatsAppCloud,
} from '../../../simulators/whatsapp-cloud/start-whatsapp-cloud.ts'
import { eventually } from '../../play.ts'
import { ObservedConnection, type ObservedOptions } from '../observed-connection.ts'

/** A person at the far end. */
export interface CloudPerson {
  /** As Posthorn writes it. */
  readonly address: string
  readonly user_id: string
}

/** The driver of the Cloud API at its far end, which calls back to this process. */
export class CloudDriver {
  readonly cloud: WhatsAppCloud
  readonly driver: Driver
  readonly credentials: SealedCredentials
  readonly settings: { readonly phone_number_id: string; readonly business_account_id: string }
  readonly #callbacks: Awaited<ReturnType<typeof startCallbackReceiver>>
  #people = 0
  #handled = 0

  private constructor(cloud: WhatsAppCloud, callbacks: Awaited<ReturnType<typeof startCallbackReceiver>>) {
    this.cloud = cloud
    this.#callbacks = callbacks
    this.driver = whatsappCloud({
      baseUrl: cloud.url,
      timeouts: { question: 2_000, answer: 2_000, confirmation: 500 },
    })
    this.settings = { phone_number_id: cloud.number, business_account_id: cloud.waba }
    this.credentials = {
      access_token: cloud.token,
      app_secret: cloud.appSecret,
      verify_token: callbacks.verifyToken,
    }
  }

  static async start(): Promise<CloudDriver> {
    const cloud = await startWhatsAppCloud()
    const callbacks = await startCallbackReceiver(cloud.appSecret)
    await cloud.control('app', {
      callback: callbacks.url,
      verify_token: callbacks.verifyToken,
      subscribe: true,
    })
    return new CloudDriver(cloud, callbacks)
  }

  /** Ends everything, and fails if the far end has called back with something that its own schemas refuse. */
  async stop(): Promise<void> {
    const deliveries = await this.cloud.control('webhooks', {})
    await this.#callbacks.stop()
    await this.cloud.stop()
    assert.deepEqual(
      deliveries.flatMap(({ schema_faults }) => schema_faults),
      [],
    )
  }

  connect(
    changes: {
      readonly settings?: object
      readonly credentials?: object
      readonly restriction?: Restriction
    } & Pick<ObservedOptions, 'isStored'> = {},
  ): ObservedConnection {
    return new ObservedConnection(this.driver, {
      restriction: changes.restriction,
      ...(changes.isStored && { isStored: changes.isStored }),
      settings: { ...this.settings, ...changes.settings },
      credentials: { ...this.credentials, ...changes.credentials },
    })
  }

  async open(options: Pick<ObservedOptions, 'isStored'> = {}): Promise<ObservedConnection> {
    const connection = this.connect(options)
    await connection.sees('caught-up')
    return connection
  }

  /** Makes a person with a phone who wrote just now, unless said otherwise. */
  async person(wishes: NewPerson = {}): Promise<CloudPerson> {
    this.#people += 1
    const phone = `49151${String(10_000_000 + this.#people)}`
    const { user_id } = await this.cloud.control('person', { phone, wrote_ago: 1_000, ...wishes })
    return { address: `+${phone}`, user_id }
  }

  /** Hands the callbacks that came since the last time to a connection; returns what it reported for them. */
  async handOver(to: ObservedConnection): Promise<Observation[]> {
    await this.cloud.control('webhooks', {})
    const before = to.observations.length
    for (const { body } of this.#callbacks.received.slice(this.#handled)) {
      this.#handled += 1
      await to.connection.receive?.({
        id: `cb_${this.#handled}`,
        received_at: Date.now(),
        body: Buffer.from(body),
      })
    }
    return to.observations.slice(before)
  }

  /** Counts the messages that the far end has taken. */
  async taken(): Promise<number> {
    return (await this.cloud.control('taken', {})).length
  }
}

/** Resolves with the end of a connection, once it comes. */
export async function endOf(connection: ObservedConnection): Promise<[ObservationKind, string]> {
  const ends: readonly ObservationKind[] = ['connection-lost', 'credentials-refused', 'connection-refused']
  const [end] = await eventually(
    'the end of the connection',
    async () => connection.observations.filter((seen) => ends.includes(seen.kind)),
    ({ length }) => length > 0,
  )
  assert.ok(end && 'reason' in end)
  return [end.kind, end.reason.code]
}
