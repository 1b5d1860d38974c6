import { listWebhooks as operation } from '../../../contract/operations/webhook-operations.ts'
import type { Webhook } from '../../../contract/resources/webhook.ts'
import { command, json } from '../../command.ts'
import { type Cells, print, printJson, readableTime, tableOf } from '../../output.ts'
import { serverClient, serverOptions } from '../../server-client.ts'

/** `posthorn webhooks list`: the webhooks of the key's organization, and how far each lags behind. */
export const listWebhooks = command({
  name: 'webhooks list',
  summary: 'List the webhooks with the backlog and delivery rate of each.',
  options: { ...serverOptions, json },
  async run({ options }) {
    const { client } = serverClient(options)
    const webhooks: Webhook[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query: { cursor?: string } = cursor ? { cursor } : {}
      const { body } = await client.call(operation, { query })
      webhooks.push(...body.data)
      cursor = body.next_cursor
    }
    if (options.json) printJson(webhooks)
    else print(tableOf(webhooks, columns))
  },
})

const columns: Cells<Webhook> = {
  ID: ({ id }) => id,
  STATE: stateOf,
  PENDING: ({ pending }) => String(pending),
  OLDEST: ({ oldest_at }) => readableTime(oldest_at === null ? null : Date.parse(oldest_at)),
  'PER SECOND': ({ rate }) => String(rate),
  URL: ({ url }) => url,
}

function stateOf(webhook: Webhook): string {
  if (!webhook.enabled) return 'disabled'
  if (webhook.paused) return 'paused'
  if (webhook.failing_since !== null) return 'failing'
  return webhook.lagging_since === null ? 'working' : 'lagging'
}
