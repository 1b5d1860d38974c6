import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInstance, startInstance } from '../../../../src/contract/operations/instance-operations.ts'
import type { Instance } from '../../../../src/contract/resources/instance.ts'
import {
  startWhatsAppCloud,
  type WhatsAppCloud,
} from '../../../simulators/whatsapp-cloud/start-whatsapp-cloud.ts'
import type { CheckedClient } from '../../http/checked-client.ts'
import { readMetrics } from '../../http/metrics.ts'
import type { Posthorn } from '../../posthorn.ts'

/** A number of a business, and the token of that business. */
export interface CloudNumber {
  readonly id: string
  readonly waba: string
  readonly token: string
}

/** An app at the far end of the Cloud API that serves the numbers of many businesses with one callback of the operator. */
export class CloudApp {
  readonly cloud: WhatsAppCloud
  readonly verifyToken = 'a-word-of-the-operator'
  /** Settings of the operator. */
  readonly environment: Readonly<Record<string, string>>
  #numbers = 0

  private constructor(cloud: WhatsAppCloud) {
    this.cloud = cloud
    this.environment = {
      POSTHORN_WHATSAPP_CLOUD_API: cloud.url,
      POSTHORN_WHATSAPP_CLOUD_APP_SECRET: cloud.appSecret,
      POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN: this.verifyToken,
    }
  }

  static async start(): Promise<CloudApp> {
    return new CloudApp(await startWhatsAppCloud())
  }

  stop(): Promise<void> {
    return this.cloud.stop()
  }

  /** A business with a number and a token of its own. */
  async number(): Promise<CloudNumber> {
    this.#numbers += 1
    const suffix = String(this.#numbers).padStart(4, '0')
    const [id, waba, token] = [`10000000100${suffix}`, `20000000100${suffix}`, `EAAtoken${suffix}`]
    await this.cloud.control('number', { id, waba, display_phone_number: `1555001${suffix}` })
    await this.cloud.control('token', { token, wabas: [waba], state: 'valid' })
    return { id, waba, token }
  }

  /** As the operator does at Meta: the URL is checked, and every account subscribed. */
  async callAt(callback: string): Promise<void> {
    await this.cloud.control('app', { callback, verify_token: this.verifyToken, subscribe: true })
  }

  /** Creates an instance without an app of its own, and returns it once it is settled. */
  async create(client: CheckedClient, name: string, number: CloudNumber): Promise<Instance> {
    const { id: phone_number_id, waba: business_account_id, token: access_token } = number
    const settings = { phone_number_id, business_account_id }
    const body = { name, network: 'whatsapp-cloud', settings, credentials: { access_token } }
    return (await client.call(createInstance, { body, waitSeconds: 20 })).body
  }

  /** Starts an instance, and returns it once it is settled. */
  async start(client: CheckedClient, name: string): Promise<Instance> {
    return (await client.call(startInstance, { params: { name }, waitSeconds: 20 })).body
  }

  /** Makes a person who can write to every number. */
  async person(): Promise<(number: CloudNumber, body: string) => Promise<void>> {
    const { user_id: person } = await this.cloud.control('person', { phone: '4915112345678' })
    return async (number, body) => {
      await this.cloud.control('act', { person, number: number.id, act: 'text', body })
    }
  }

  /** Has all that happens in there go out in one callback. */
  async together(happen: () => Promise<void>): Promise<void> {
    await this.cloud.control('settings', { hold_webhooks: true })
    await happen()
    await this.cloud.control('settings', { hold_webhooks: false })
    await this.cloud.control('flush', {})
  }
}

/** The admin key of an organization that is created for it. */
export async function adminOf(posthorn: Posthorn, organization: string): Promise<string> {
  await posthorn.createOrganization(organization)
  return (await posthorn.createKey(organization, 'admin')).key
}

/** Counts the callbacks, or parts of them, that had this result. */
export async function callbacksCounted({ url, data }: Posthorn, result: string): Promise<number> {
  const token = readFileSync(join(data, 'metrics.token'), 'utf8').trim()
  const line = new RegExp(`^posthorn_callbacks_total\\{result="${result}"\\} (\\d+)`, 'm')
  return Number(line.exec(await readMetrics(url, token))?.[1] ?? 0)
}
