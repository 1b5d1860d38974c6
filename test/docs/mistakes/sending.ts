import assert from 'node:assert/strict'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { rawRequest } from '../../kit/http/raw-request.ts'
import { eventually } from '../../kit/play.ts'
import { startPosthorn } from '../../kit/posthorn.ts'
import { accepted, asks, curl, type Mistake, type Stage, said } from './mistake.ts'

const text = { instance: 'trial', to: 'ana@reads.sandbox', text: 'Good morning' }

/** Mistakes with instances and recipients. */
const instancesAndRecipients: readonly Mistake[] = [
  {
    does: 'sends through an instance that does not exist',
    act: asks('POST', '/v1/messages/text', { body: { ...text, instance: 'trail' } }),
    happened: /no such instance|no instance/i,
    next: /GET \/v1\/instances|POST \/v1\/instances/,
  },
  {
    does: 'names an instance with a capital and a space',
    act: asks('POST', '/v1/instances', { body: { name: 'My Shop', network: 'sandbox' } }),
    happened: /`\/name`/,
    next: /lower-?case letters/i,
  },
  {
    does: 'takes a name that an instance has',
    act: asks('POST', '/v1/instances', { body: { name: 'trial', network: 'telegram' } }),
    happened: /(name is already taken|has an instance with that name)|`\/credentials/i,
    next: /another name|token/i,
  },
  {
    does: 'sends before the account is linked',
    act: async (stage) => {
      const settings = { link: 'qr', links_after_seconds: 600, link_step_seconds: 600 }
      await accepted(stage, 'POST', '/v1/instances', { name: 'unlinked', network: 'sandbox', settings })
      return said(['send', 'unlinked', 'ana@reads.sandbox', '--text', 'Hello'])(stage)
    },
    happened: /awaiting_link/,
    next: /posthorn link unlinked/,
  },
  {
    does: 'gives the name of the bot as its token',
    act: asks('POST', '/v1/instances', {
      body: { name: 'bot', network: 'telegram', credentials: { token: '@example_bot' } },
    }),
    happened: /`\/credentials\/token`/,
    next: /BotFather|\d+:A\w+/,
  },
  {
    does: 'writes a phone number without its country code',
    act: asks('POST', '/v1/messages/text', { body: { ...text, to: '0151 12345678' } }),
    happened: /phone number|`\/to`/,
    next: /country code.*\+49/,
  },
  {
    does: 'writes the name of a person as the recipient',
    act: asks('POST', '/v1/messages/text', { body: { ...text, to: 'Ana' } }),
    happened: /`\/to`/,
    next: /looks like|\+49/,
  },
  {
    does: 'sends a second message with the Idempotency-Key of the first',
    act: async (stage) => {
      const path = '/v1/messages/text'
      const key = { 'idempotency-key': 'the-same' }
      const { status } = await rawRequest(stage.posthorn, ['POST', path], JSON.stringify(text), key)
      assert.equal(status, 202)
      return asks('POST', path, { body: { ...text, text: 'Good night' }, headers: key })(stage)
    },
    happened: /used for another request/i,
    next: /new Idempotency-Key/i,
  },
]

/** Mistakes with files. */
const files: readonly Mistake[] = [
  {
    does: 'forgets the @ before the name of a file',
    act: ({ posthorn }) =>
      curl(
        `${posthorn.url}/v1/messages/media`,
        ...['-H', `Authorization: Bearer ${posthorn.adminKey}`],
        ...['instance=trial', 'to=ana@reads.sandbox', 'kind=document', 'file=invoice.pdf'].flatMap(
          (field) => ['-F', field],
        ),
      ),
    happened: /`?\/?file`?/,
    next: /@/,
  },
  {
    does: 'sends a file in JSON, as base64',
    act: asks('POST', '/v1/messages/media', {
      body: { instance: 'trial', to: 'ana@reads.sandbox', kind: 'document', base64: 'x'.repeat(3_000_000) },
    }),
    happened: /too large|`\/base64`/,
    next: /multipart|`url`|upload/i,
  },
  {
    does: 'gives a path on their disk as the URL of a file',
    act: asks('POST', '/v1/messages/media', {
      body: { instance: 'trial', to: 'ana@reads.sandbox', kind: 'document', url: '/tmp/invoice.pdf' },
    }),
    happened: /`\/url`/,
    next: /https:\/\/|upload|multipart/i,
  },
  {
    does: 'gives the URL of a file that only their network can reach',
    act: asks('POST', '/v1/messages/media', {
      body: {
        ...{ instance: 'trial', to: 'ana@reads.sandbox', kind: 'document' },
        url: 'https://192.168.1.20/invoice.pdf',
      },
    }),
    happened: /private|not public|public address/i,
    next: /POSTHORN_FETCH_ALLOW_CIDRS/,
  },
]

/** Resolves with what the deliveries say of a receiver that redirects. It is on a server that may post to this machine. */
async function deliveryToRedirect({ folder }: Stage): Promise<string> {
  const receiver = await WebhookReceiver.start((_, response) =>
    response.writeHead(301, { location: 'https://example.org/' }).end(),
  )
  const environment = { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }
  const posthorn = await startPosthorn({ environment })
  const stage = { posthorn, folder }
  try {
    const webhook = await accepted(stage, 'POST', '/v1/webhooks', { url: receiver.url })
    await accepted(stage, 'POST', `/v1/webhooks/${webhook.id}/test`)
    return await eventually(
      'the outcome of the attempt',
      async () =>
        JSON.stringify((await accepted(stage, 'GET', `/v1/webhooks/${webhook.id}/deliveries`)).data),
      (data) => data.includes('duration_ms'),
    )
  } finally {
    await posthorn.stop()
    await receiver.stop()
  }
}

/** Mistakes with webhooks and links. */
const webhooksAndLinks: readonly Mistake[] = [
  {
    does: 'registers a webhook over plain HTTP',
    act: asks('POST', '/v1/webhooks', { body: { url: 'http://example.org/hook' } }),
    happened: /`\/url`/,
    next: /https/i,
  },
  {
    does: 'registers a receiver on their own machine',
    act: asks('POST', '/v1/webhooks', { body: { url: 'https://192.168.1.20/hook' } }),
    happened: /private|not public|public address/i,
    next: /POSTHORN_WEBHOOK_ALLOW_CIDRS/,
  },
  {
    does: 'asks for an event that there is not',
    act: asks('POST', '/v1/webhooks', {
      body: { url: 'https://example.org/hook', events: ['messages.upsert'] },
    }),
    happened: /`\/events\/0`/,
    next: /message\.received/,
  },
  {
    does: 'has a receiver that redirects',
    act: deliveryToRedirect,
    happened: /responded with a redirect/,
    next: /Set the URL of the webhook/,
  },
  {
    does: 'makes a link page on a server that does not know its URL',
    act: async (stage) => asks('POST', '/v1/instances/unlinked/link-page', { body: {} })(stage),
    happened: /does not know its own URL/,
    next: /POSTHORN_BASE_URL/,
  },
]

export const sendingMistakes: readonly Mistake[] = [...instancesAndRecipients, ...files, ...webhooksAndLinks]
