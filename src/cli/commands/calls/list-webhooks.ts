import { listWebhooks as operation } from '../../../contract/operations/webhook-operations.ts'
import type { Webhook } from '../../../contract/resources/webhook.ts'
import { command, json } from '../../command.ts'
import { type Cells, print, printJson, readableTime, tableOf } from '../../output.ts'
import { everyPage } from '../../pages.ts'
import { serverClient, serverOptions } from '../../server-client.ts'

/** `posthorn webhooks list`: the webhooks of the key's organization, and how far each lags behind. */
export const listWebhooks = command({
  name: 'webhooks list',
  summary: 'List the webhooks with the backlog and delivery rate of each.',
  options: { ...serverOptions, json },
  async run({ options }) {
    const { client } = serverClient(options)
    const { all } = await everyPage((query) => client.call(operation, { query }))
    if (options.json) printJson(all)
    else print(tableOf(all, columns))
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
