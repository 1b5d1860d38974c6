import type { TestContext } from 'node:test'
import {
  type AttemptResult,
  type WebhookClient,
  type WebhookClientOptions,
  webhookClient,
} from '../../../src/events/delivery/attempt/webhook-client.ts'
import { FakeTime } from '../fake-time.ts'
import { listed, listedName, type Naming, nameServer, namesOf } from './fetching.ts'
import type { NameServer } from './name-server.ts'

export interface PostWishes {
  readonly body?: string | Uint8Array
  readonly webhookId?: string
  readonly signal?: AbortSignal
}

/** A client that posts to webhooks, with time that passes when the test says so, and with scripted names. */
export class Posting {
  readonly time = new FakeTime()
  readonly names: NameServer
  readonly client: WebhookClient

  private constructor(names: NameServer, options: Partial<WebhookClientOptions>) {
    this.names = names
    this.client = webhookClient({
      ...this.time,
      allowedBlocks: [`${listed}/32`],
      names: namesOf(names, this.time),
      userAgent: 'Posthorn/1.2.3',
      keptConnections: 8,
      ...options,
    })
  }

  /** Every name leads to the listed address, unless `answer` says something else. */
  static async start(
    t: TestContext,
    answer: Naming = listedName,
    options: Partial<WebhookClientOptions> = {},
  ): Promise<Posting> {
    const posting = new Posting(await nameServer(t, answer), options)
    t.after(() => posting.client.close())
    return posting
  }

  post(url: string, wishes: PostWishes = {}): Promise<AttemptResult> {
    const { body = '{}', webhookId = 'the webhook', signal = new AbortController().signal } = wishes
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '7', 'webhook-signature': 'v1,AAAA' }
    return this.client.post({ url, headers, body: Buffer.from(body), webhookId, organization: 'org' }, signal)
  }
}
