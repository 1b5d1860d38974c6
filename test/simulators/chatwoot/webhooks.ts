import { createHmac } from 'node:crypto'
import { type ApiContext, attachmentBody } from './api.ts'
import type { Faults } from './faults.ts'
import type { StoredMessage } from './world.ts'

export interface WebhookSender {
  /** Sends the webhook of a message, as often and as late as the faults have it. */
  send(message: StoredMessage, event: string): void
  /** Resolves when no webhook is on its way. */
  settled(): Promise<void>
}

export interface WebhookOptions {
  readonly secret: string
  readonly url: () => string | undefined
  readonly faults: () => Faults
  readonly random: () => number
}

/** Chatwoot gives a receiver five seconds, and does not repeat a webhook (chatwoot/chatwoot#15920). */
const timeoutMs = 5_000
const maxLatenessMs = 300

/** Sends webhooks as an API inbox does: signed, once, and marking the message as failed if the receiver does not take it. */
export function webhookSender(context: ApiContext, options: WebhookOptions): WebhookSender {
  const underway = new Set<Promise<void>>()
  const { random } = options
  const sendOnce = async (message: StoredMessage, event: string) => {
    await new Promise((resolve) => setTimeout(resolve, random() * maxLatenessMs))
    const url = options.url()
    if (url === undefined) return
    const body = JSON.stringify(payloadOf(context, message, event))
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const hmac = createHmac('sha256', options.secret).update(`${timestamp}.${body}`).digest('hex')
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          'content-type': 'application/json',
          'x-chatwoot-timestamp': timestamp,
          'x-chatwoot-signature': `sha256=${hmac}`,
        },
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`${response.status}`)
    } catch (error) {
      if (event === 'message_created') context.world.setStatus(message, 'failed', String(error))
    }
  }
  return {
    send(message, event) {
      const { loses, repeats } = options.faults()
      const times = random() < loses ? 0 : random() < repeats ? 2 : 1
      for (let time = 0; time < times; time++) {
        const sending = sendOnce(message, event).finally(() => underway.delete(sending))
        underway.add(sending)
      }
    },
    async settled() {
      while (underway.size > 0) await Promise.all(underway)
    },
  }
}

function payloadOf(context: ApiContext, message: StoredMessage, event: string) {
  const { world } = context
  const { conversation } = message
  return {
    event,
    id: message.id,
    content: message.content,
    created_at: new Date(message.createdAt * 1_000).toISOString(),
    message_type: message.type,
    content_type: message.contentType,
    content_attributes: message.contentAttributes,
    private: message.isPrivate,
    source_id: message.sourceId,
    account: { id: world.accountId, name: 'Shop' },
    inbox: { id: conversation.inboxId, name: 'Shop' },
    conversation: {
      id: conversation.id,
      inbox_id: conversation.inboxId,
      status: conversation.status,
      contact_inbox: { source_id: conversation.sourceId, contact_id: conversation.contact.id },
    },
    attachments: message.attachments.map((one) => attachmentBody(context, message, one)),
  }
}
