import { listWebhooks as operation } from '../../contract/operations/webhook-operations.ts'
import type { Webhook } from '../../contract/resources/webhook.ts'
import { type Command, json } from '../command.ts'
import { print, printJson, printTable, printTime } from '../output.ts'
import { serverClient, serverOptions } from '../server-client.ts'

/** `posthorn webhooks list`: the webhooks of the key's organization, and how far each lags behind. */
export const listWebhooks: Command = {
  name: 'webhooks list',
  summary: 'List the webhooks with the backlog and delivery rate of each.',
  operands: [],
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
    else print(printTable(['ID', 'STATE', 'PENDING', 'OLDEST', 'PER SECOND', 'URL'], webhooks.map(rowOf)))
    return undefined
  },
}

function rowOf({ id, url, pending, oldest_at, rate, ...webhook }: Webhook): string[] {
  const oldest = oldest_at === null ? '-' : printTime(Date.parse(oldest_at))
  return [id, stateOf(webhook), String(pending), oldest, String(rate), url]
}

function stateOf(webhook: Pick<Webhook, 'enabled' | 'paused' | 'failing_since' | 'lagging_since'>): string {
  if (!webhook.enabled) return 'disabled'
  if (webhook.paused) return 'paused'
  if (webhook.failing_since !== null) return 'failing'
  return webhook.lagging_since === null ? 'working' : 'lagging'
}
