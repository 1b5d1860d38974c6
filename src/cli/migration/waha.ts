import type { EventType } from '../../contract/resources/event.ts'
import { Refusal } from '../command.ts'
import {
  accountsIn,
  entriesIn,
  type Fields,
  fieldsOf,
  listIn,
  printable,
  type SourceAccount,
  type SourceGateway,
  type SourceWebhook,
  translated,
  usedOf,
  wordIn,
} from './gateway.ts'
import { linkedAccount } from './source-networks.ts'

/** Our events for those of WAHA 2026: https://waha.devlike.pro/docs/how-to/events/. */
const events: Readonly<Record<string, readonly EventType[]>> = {
  'session.status': ['instance.status_changed'],
  message: ['message.received'],
  'message.any': ['message.received', 'message.sent_elsewhere'],
  'message.reaction': ['message.received', 'message.sent_elsewhere'],
  'message.edited': ['message.received', 'message.sent_elsewhere'],
  'message.revoked': ['message.received', 'message.sent_elsewhere'],
  'poll.vote': ['message.received'],
  'group.v2.join': ['group.changed'],
  'group.v2.leave': ['group.changed'],
  'group.v2.update': ['group.changed'],
  'group.v2.participants': ['group.changed'],
  'message.ack': ['message.sent', 'message.delivered', 'message.read', 'message.failed'],
}

/** Labels that an instance can take beside the name of its session. */
const maxLabels = 19

/** WAHA. A session shows its configuration, with its own webhooks in it, but not those that the operator set for all. */
export const wahaGateway: SourceGateway & { readonly events: typeof events } = {
  name: 'WAHA',
  word: 'waha',
  guide: 'docs/migration/waha.md',
  keyVariable: 'WAHA_API_KEY',
  keyHeader: 'x-api-key',
  label: 'waha_name',
  events,
  async accountsOf(server) {
    const listed = accountsIn(await server.read('/api/sessions?all=true'))
    if (!listed) throw strange('is no list of at most 1,000 sessions')
    return listed.map(sessionIn)
  },
}

const strange = (how: string) =>
  new Refusal(`the answer to GET /api/sessions ${how}; check that WAHA is there`)

function sessionIn(fields: Fields): SourceAccount {
  const name = wordIn(fields.name)
  if (name === undefined) throw strange('has a session without a name')
  const config = fieldsOf(fields.config) ?? {}
  const { metadata, gaps } = labelsIn(fieldsOf(config.metadata) ?? {})
  const webhooks = entriesIn(listIn(config.webhooks))
  return {
    name,
    ...linkedAccount,
    status: printable(wordIn(fields.status) ?? 'unknown'),
    metadata,
    webhooks: webhooks.flatMap(webhookIn),
    gaps: [
      ...usedOf(config, ['proxy', 'ignore', 'client', 'noweb', 'gows', 'webjs']),
      ...usedOf(fields, ['apps']),
      ...gaps,
      ...new Set(webhooks.flatMap(gapsOf)),
    ],
  }
}

function labelsIn(given: Fields): { metadata: Readonly<Record<string, string>>; gaps: string[] } {
  const fitting = Object.entries(given).filter(
    (label): label is [string, string] =>
      label[0] !== '__proto__' &&
      label[0].length > 0 &&
      label[0].length <= 64 &&
      typeof label[1] === 'string' &&
      label[1].length <= 500,
  )
  const metadata = Object.fromEntries(fitting.slice(0, maxLabels))
  const left = Object.keys(given).length - Object.keys(metadata).length
  return { metadata, gaps: left > 0 ? [`${left} of its metadata`] : [] }
}

function webhookIn({ url, events: names }: Fields): SourceWebhook[] {
  if (typeof url !== 'string') return []
  const words = listIn(names)
  return [{ url, events: words.includes('*') ? null : translated(words, events).events }]
}

function gapsOf(webhook: Fields): string[] {
  const { unknown } = translated(listIn(webhook.events), events)
  const used = usedOf(webhook, ['hmac', 'customHeaders', 'retries']).map((field) => `${field} of its webhook`)
  return [...used, ...unknown.filter((name) => name !== '*')]
}
