import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createInstance,
  getInstance,
  getInstanceStatus,
  replaceCredentials,
  startInstance,
} from '../../../../src/contract/operations/instance-operations.ts'
import { sendMediaMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { InstanceConnectivity, InstanceStatus } from '../../../../src/contract/resources/instance.ts'
import type { MediaKind, Message } from '../../../../src/contract/resources/message.ts'
import {
  startWhatsAppCloud,
  type WhatsAppCloud,
} from '../../../simulators/whatsapp-cloud/start-whatsapp-cloud.ts'
import { eventually } from '../../play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../posthorn.ts'

const verify_token = 'a-word-of-our-own'

/** A business number at the far end, the instance of that number, and what its token is. */
export interface CloudNumber {
  readonly id: string
  /** The business account. */
  readonly waba: string
  readonly instance: string
  readonly token: string
  /** The credentials with this token. */
  credentials(token: string): Record<string, string>
}

/** A file as it is sent. */
export interface SentFile {
  readonly instance: string
  readonly to: string
  readonly kind: MediaKind
  readonly filename: string
  readonly bytes: Uint8Array
  readonly voice?: boolean
}

/** A Posthorn that talks to a simulated Meta, with as many numbers as a play needs, and a web server with files. */
export class CloudStage {
  readonly cloud: WhatsAppCloud
  posthorn: Posthorn
  readonly #files = new Map<string, Uint8Array>()
  readonly #web = createServer((request, response) => {
    const bytes = this.#files.get(request.url ?? '')
    if (bytes) response.end(bytes)
    else response.writeHead(404).end()
  })
  #count = 0

  private constructor(cloud: WhatsAppCloud, posthorn: Posthorn) {
    this.cloud = cloud
    this.posthorn = posthorn
    this.#web.listen(0, '127.0.0.1')
  }

  static async start(): Promise<CloudStage> {
    const cloud = await startWhatsAppCloud()
    const posthorn = await startPosthorn({
      data: freshFolder(),
      environment: { POSTHORN_WHATSAPP_CLOUD_API: cloud.url, POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.1/32' },
    })
    return new CloudStage(cloud, posthorn)
  }

  async stop(): Promise<void> {
    await this.posthorn.stop()
    this.#web.close()
    await this.cloud.stop()
  }

  /** A number with a token of its own and an account of its own, whose callbacks come to its instance. */
  async number(): Promise<CloudNumber> {
    this.#count += 1
    const [id, waba] = [`${500_000_000_000_000 + this.#count}`, `${600_000_000_000_000 + this.#count}`]
    const [token, instance] = [`EAAtoken${this.#count}`, `shop-${this.#count}`]
    const display_phone_number = `1555${1_000_000 + this.#count}`
    await this.cloud.control('number', { id, waba, display_phone_number })
    await this.cloud.control('token', { token, wabas: [waba], state: 'valid' })
    await this.cloud.control('template', { waba, name: 'welcome' })
    const { appSecret: app_secret } = this.cloud
    const credentials = (access_token: string) => ({ access_token, app_secret, verify_token })
    const { body } = await this.posthorn.admin.call(createInstance, {
      body: {
        name: instance,
        network: 'whatsapp-cloud',
        settings: { phone_number_id: id, business_account_id: waba },
        credentials: credentials(token),
      },
      waitSeconds: 20,
    })
    assert.equal(body.status, 'connected', JSON.stringify(body.reason))
    const override_callback_uri = `${this.posthorn.url}${body.callback_url}`
    const answer = await fetch(`${this.cloud.url}/v26.0/${waba}/subscribed_apps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ override_callback_uri, verify_token }),
    })
    assert.equal(answer.status, 200, await answer.text())
    return { id, waba, instance, token, credentials }
  }

  /** Makes a person who wrote to every number just now; returns the address. */
  async person(): Promise<string> {
    this.#count += 1
    const phone = `49151${10_000_000 + this.#count}`
    await this.cloud.control('person', { phone, wrote_ago: 1_000, receives: 'read' })
    return `+${phone}`
  }

  /** Sends a file in either way; returns the message once it is settled, or after so many seconds. */
  async sendFile(by: 'upload' | 'url', file: SentFile, waitSeconds: number): Promise<Message> {
    const { instance, to, kind, filename, bytes, voice } = file
    const fields = { instance, to, kind, filename }
    const wait = waitSeconds > 0 ? { waitSeconds } : {}
    const { admin } = this.posthorn
    if (by === 'url') {
      // Each at a place of its own: others may be sent by the same name meanwhile.
      const path = `/${this.#files.size}/${filename}`
      this.#files.set(path, bytes)
      const url = `http://127.0.0.1:${(this.#web.address() as AddressInfo).port}${path}`
      const body = { ...fields, url, ...(voice !== undefined && { voice }) }
      return (await admin.call(sendMediaMessage, { body, ...wait })).body
    }
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    if (voice !== undefined) form.set('voice', String(voice))
    form.set('file', new Blob([new Uint8Array(bytes)]), filename)
    return (await admin.call(sendMediaMessage, { body: form, ...wait })).body
  }

  /** Has Meta post what is about accounts to the instance of this number, as a person enters it for the app. */
  async callApp({ instance }: CloudNumber): Promise<void> {
    const { body } = await this.posthorn.admin.call(getInstance, { params: { name: instance } })
    await this.cloud.control('app', { callback: `${this.posthorn.url}${body.callback_url}`, verify_token })
  }

  async statusOf({ instance }: CloudNumber): Promise<InstanceConnectivity> {
    return (await this.posthorn.admin.call(getInstanceStatus, { params: { name: instance } })).body
  }

  /** Starts the instance again after its owner has put right the cause of the connection's end. */
  async comesBack(
    { instance, credentials, token }: CloudNumber,
    from: 'logged_out' | 'failed',
  ): Promise<void> {
    const { admin } = this.posthorn
    const params = { name: instance }
    if (from === 'failed') await admin.call(startInstance, { params, waitSeconds: 20 })
    else {
      const body = { credentials: credentials(token) }
      await admin.call(replaceCredentials, { params, body, waitSeconds: 20 })
    }
  }

  /** Resolves with the state of the instance once it has this status. */
  reaches(number: CloudNumber, status: InstanceStatus): Promise<InstanceConnectivity> {
    return eventually(
      `${number.instance} to be ${status}`,
      () => this.statusOf(number),
      (now) => now.status === status,
    )
  }
}
