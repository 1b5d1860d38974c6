import type { EventType } from '../../contract/resources/event.ts'
import { Refusal } from '../command.ts'
import {
  accountsIn,
  type Fields,
  fieldsOf,
  listIn,
  printable,
  type SourceAccount,
  type SourceGateway,
  type SourceServer,
  type SourceWebhook,
  translated,
  usedOf,
  wordIn,
} from './gateway.ts'
import { integrations, usualIntegration } from './source-networks.ts'

/** Our events for those of Evolution API 2.3: https://doc.evolution-api.com/v2/en/configuration/webhooks. */
const events: Readonly<Record<string, readonly EventType[]>> = {
  QRCODE_UPDATED: ['instance.link_changed'],
  CONNECTION_UPDATE: ['instance.status_changed'],
  LOGOUT_INSTANCE: ['instance.status_changed'],
  STATUS_INSTANCE: ['instance.status_changed'],
  INSTANCE_CREATE: ['instance.created'],
  INSTANCE_DELETE: ['instance.deleted'],
  MESSAGES_UPSERT: ['message.received', 'message.sent_elsewhere'],
  MESSAGES_EDITED: ['message.received', 'message.sent_elsewhere'],
  MESSAGES_DELETE: ['message.received', 'message.sent_elsewhere'],
  SEND_MESSAGE: ['message.queued', 'message.sent'],
  GROUPS_UPSERT: ['group.changed'],
  GROUP_UPDATE: ['group.changed'],
  GROUP_PARTICIPANTS_UPDATE: ['group.changed'],
  MESSAGES_UPDATE: ['message.sent', 'message.delivered', 'message.read', 'message.failed'],
}

/** Parts of an instance in its list, and fields of its settings, that are not carried over. */
const otherParts = ['Chatwoot', 'Proxy', 'Rabbitmq', 'Nats', 'Sqs', 'Websocket', 'Kafka', 'Pusher', 'Typebot']
const otherSettings = [
  'rejectCall',
  'msgCall',
  'groupsIgnore',
  'alwaysOnline',
  'readMessages',
  'readStatus',
  'syncFullHistory',
]

/** Evolution API 2. Its list of instances and its webhooks are rows of its database, as the routes of its source show. */
export const evolutionGateway: SourceGateway & { readonly events: typeof events } = {
  name: 'Evolution API',
  word: 'evolution',
  guide: 'docs/migration/evolution-api.md',
  keyVariable: 'EVOLUTION_API_KEY',
  keyHeader: 'apikey',
  label: 'evolution_name',
  events,
  async accountsOf(server) {
    const listed = accountsIn(await server.read('/instance/fetchInstances'))
    if (!listed) throw strange('is no list of at most 1,000 instances')
    const accounts: SourceAccount[] = []
    for (const fields of listed) accounts.push(await accountIn(server, fields))
    return accounts
  },
}

const strange = (how: string) =>
  new Refusal(`the answer to GET /instance/fetchInstances ${how}; this reads Evolution API 2`)

async function accountIn(server: SourceServer, fields: Fields): Promise<SourceAccount> {
  const name = wordIn(fields.name)
  if (name === undefined) throw strange('has an instance without a name')
  const integration = wordIn(fields.integration) ?? usualIntegration
  const known = Object.hasOwn(integrations, integration) ? integrations[integration] : undefined
  const { webhooks, gaps } = await webhooksOf(server, name)
  return {
    name,
    ...(known ?? { network: printable(integration).toLowerCase(), byHand: 'there is no such network here' }),
    status: printable(wordIn(fields.connectionStatus) ?? 'unknown'),
    metadata: {},
    webhooks,
    gaps: [
      ...usedOf(fields, otherParts).map((part) => part.toLowerCase()),
      ...usedOf(fieldsOf(fields.Setting) ?? {}, otherSettings),
      ...gaps,
    ],
  }
}

interface WebhooksFound {
  readonly webhooks: readonly SourceWebhook[]
  readonly gaps: readonly string[]
}

/** The webhook of an instance, if it has one that is enabled. */
async function webhooksOf(server: SourceServer, name: string): Promise<WebhooksFound> {
  // Such a segment of a path is swallowed, and the request would be another.
  if (/^\.{1,2}$/.test(name)) return { webhooks: [], gaps: ['its webhook cannot be read'] }
  const answer = await server.readOrStatus(`/webhook/find/${encodeURIComponent(name)}`)
  if ('status' in answer)
    return { webhooks: [], gaps: [`its webhook, which could not be read (${answer.status})`] }
  const fields = fieldsOf(answer.value)
  if (fields?.enabled !== true || typeof fields.url !== 'string') return { webhooks: [], gaps: [] }
  const names = listIn(fields.events)
  const { events: ours, unknown } = translated(names, events)
  const headers = Object.keys(fieldsOf(fields.headers) ?? {}).length > 0 ? ['headers of its webhook'] : []
  return {
    webhooks: [{ url: fields.url, events: ours }],
    gaps: [...headers, ...usedOf(fields, ['webhookByEvents', 'webhookBase64']), ...unknown],
  }
}
