import type { Insertable } from 'kysely'
import { appendEvents } from '../../../src/events/journal.ts'
import type { Schema } from '../../../src/store/schema.ts'
import { keptKind, keptStatus } from '../../../src/store/tables/kept-message.ts'
import type { ObservedDatabase } from '../../kit/observed-plans.ts'

/*
 * Two organizations with the same of everything. All texts that name what is of one have `ours` in them and of the other `theirs`; ids of
 * messages and numbers differ in a digit. So what belongs to which can be told, and what is ours can be replaced by what is theirs.
 */

/** The present moment. */
export const now = 500_000
const before = 400_000
/** The end of what has not ended. */
export const later = 900_000

/** A number of ours has its fellow of theirs below it at this distance: numbers that a database gives later are no fellows of any. */
const distance = 1_000_000
const side = { ours: 2 * distance, theirs: distance }
type Name = keyof typeof side
/** Numbers that may stand for something. */
const most = 1_000

/** The id of a message, by its number. */
export const messageId = (seq: number) => `msg_${String(seq).padStart(26, '0')}`

/** Matches the name of anything of theirs, in JSON. */
export const ofTheirs = /theirs|0{15}1000\d{3}|\b1000\d{3}\b/

/** Returns the value of theirs that corresponds to one of ours; undefined for a value that names nothing of ours. The organization stands apart. */
export function fellowOf(value: unknown): unknown {
  if (typeof value === 'number')
    return value > side.ours && value < side.ours + most ? value - distance : undefined
  if (typeof value !== 'string' || value === 'org_ours') return undefined
  const changed = value.replaceAll('ours', 'theirs').replace(/(0{15})2(000\d{3})/, '$11$2')
  return changed === value ? undefined : changed
}

/** Messages in states that differ, by their numbers. */
export const messages = {
  queued: 1,
  underway: 2,
  sent: 3,
  uncertain: 4,
  fetching: 5,
  incoming: 6,
  held: 7,
  large: 8,
}

type Row = { [T in keyof Schema]: readonly [T, Insertable<Schema[T]>] }[keyof Schema]

const sealed = () => new Uint8Array([1])

/** The ids of what is of one of them. */
function idsOf(name: Name) {
  const id = (kind: string) => `${kind}_${name}`
  return { id, number: side[name] + 1, organization_id: id('org'), instance_id: id('inst') }
}

const times = { created_at: before, updated_at: before }

/** An organization with its keys. */
function organization(name: Name): Row[] {
  const { id, organization_id } = idsOf(name)
  const ends = { created_at: before, expires_at: later }
  const key = { id: id('key'), organization_id, name: null, digest: id('digest'), hint: name, created_at: 0 }
  const recalled = {
    operation: 'sendTextMessage',
    key: 'again',
    fingerprint: 'same',
    status: 202,
    body: name,
  }
  const entry = { number: 1, id: id('aud'), action: 'createKey', result: 'done' }
  return [
    ['organizations', { id: organization_id, name, created_at: 0, unsettled_messages: 6, last_audit: 1 }],
    ['api_keys', { ...key, role: 'admin', expires_at: side[name] + 900 }],
    ['audit', { organization_id, ...entry, created_at: before }],
    ['idempotency', { organization_id, ...recalled, created_at: before }],
    ['sessions', { digest: id('session'), owner: id('key'), ...ends, expires_at: now + 1 }],
    ['sign_in_codes', { digest: id('code'), owner: id('key'), ...ends }],
    ['statistics', { organization_id, span: 'hour', instance_name: 'one', starts_at: 0, counts: '{}' }],
    ['queue_depths', { organization_id, instance_name: 'one', depth: 6 }],
  ]
}

/** An instance that shares the callback of the operator, and has one of everything. */
function instance(name: Name): Row[] {
  const { id, number, organization_id, instance_id } = idsOf(name)
  const state = {
    wanted: 'running',
    status: 'connected',
    status_since: 0,
    owner: 'node_a',
    epoch: 1,
  } as const
  const account = { shared_callback: 1, claimed_account: id('account'), claimed_group: id('group') }
  const texts = { settings: '{}', metadata: '{}', labels_id: number }
  const counts = {
    ...{ queue_depth: 6, waiting_callbacks: 1, waiting_callback_bytes: 300, contact_addresses: 2 },
    marketing_choices: 1,
    ...{ key_owner: 1, key_count: 1 },
  }
  const row = { id: instance_id, organization_id, name: 'one', network: 'sandbox', credentials: sealed() }
  return [
    ['instance_labels', { id: number, organization_id, metadata: '{}' }],
    ['instances', { ...row, ...state, ...account, ...texts, ...counts, ...times }],
    ['message_instances', { number, instance_id, organization_id, instance_name: 'one' }],
  ]
}

/** One of everything that an instance has. */
function belongings(name: Name): Row[] {
  const { id, number, organization_id, instance_id } = idsOf(name)
  const own = { organization_id, instance_id }
  const page = { id: id('lnk'), digest: id('page'), key_id: id('key'), created_at: before, expires_at: later }
  const callback = { seq: number, id: id('cb'), received_at: before, body: sealed(), size: 300 }
  const ask = { id: id('ask'), node: 'node_a', task: 'probe', argument: sealed(), expires_at: later }
  return [
    ['callbacks', { ...callback, ...own }],
    ['kept_parts', { instance_id, digest: id('part'), kept_at: before }],
    [
      'contact_addresses',
      { ...own, address: 'ana', contact: 'ana', told_at: before, forget_below: 3_000_000 },
    ],
    ['contact_addresses', { ...own, address: 'ana2', contact: 'ana', told_at: before }],
    [
      'marketing_choices',
      { ...own, digest: sealed(), choice: 'opted_out', source: 'network', changed_at: before },
    ],
    ['known_templates', { ...own, name: 'sale', language: 'en', category: 'marketing', told_at: before }],
    ['network_keys', { instance_id, type: 'session', id: 'ana', value: sealed() }],
    ['link_pages', { ...page, ...own }],
    ['asks', { ...ask, instance_id }],
  ]
}

/** A small and a large file, and a webhook with a delivery. */
function filesAndWebhook(name: Name): Row[] {
  const { id, number, organization_id } = idsOf(name)
  const file = (size: string) => ({ id: id(`med_${size}`), organization_id, sha256: id(size), size: 10 })
  const webhook = { url: 'https://example.org/', ordering: 'none', secret: sealed() } as const
  const event = { event_sequence: 1, event_id: id('evt'), event_type: 'webhook.test' } as const
  const delivery = { seq: number, id: id('dlv'), organization_id, webhook_id: id('wh'), ...event }
  const pending = { status: 'pending', next_attempt_at: later, created_at: before } as const
  return [
    ['media', { ...file('small'), created_at: 0 }],
    ['media', { ...file('large'), created_at: 0 }],
    ['small_files', { media_id: id('med_small'), bytes: sealed() }],
    ['media_uses', { message_id: messageId(side[name] + messages.large), media_id: id('med_large') }],
    [
      'webhooks',
      { id: id('wh'), organization_id, ...webhook, enabled: 1, pending: 1, begins_after: 0, ...times },
    ],
    ['webhook_hours', { organization_id, webhook_id: id('wh'), place: 0, starts_at: 0, delivered: 1 }],
    ['deliveries', { ...delivery, ...pending }],
  ]
}

/** Messages in each state, with their places in the outbox and their files. */
function correspondence(name: Name): Row[] {
  const instance = side[name] + 1
  const message = (
    state: keyof typeof messages,
    status: 'queued' | 'sent' | 'received',
    more: object,
  ): Row => {
    const seq = side[name] + messages[state]
    const kind = keptKind(
      state === 'queued' || state === 'underway' || state === 'uncertain' || state === 'sent'
        ? 'text'
        : 'document',
    )
    const row = {
      seq,
      id: messageId(seq),
      instance,
      recipient: 'ana',
      kind,
      status: keptStatus(status),
      text: 'Hello',
    }
    return ['messages', { ...row, created_at: before, expires_at: later, ...more }]
  }
  const waiting = (state: keyof typeof messages, more: object): Row => {
    const seq = side[name] + messages[state]
    return ['outbox', { seq, instance, recipient: `ana${state}`, expires_at: later, leads_lane: 1, ...more }]
  }
  const file = (state: keyof typeof messages, more: object): Row => {
    const message_id = messageId(side[name] + messages[state])
    return ['message_files', { message_id, organization_id: `org_${name}`, voice: 0, ...more }]
  }
  const fetched = { url: `https://${name}.example.org/`, fetch_at: 0 }
  return [
    message('queued', 'queued', {}),
    waiting('queued', { queue_position: 1 }),
    message('underway', 'queued', {}),
    waiting('underway', { status: 'sending', underway: 1, attempts: 1, last_attempt_at: before }),
    message('sent', 'sent', { sent_after: 1, network_message_id: `net_${name}` }),
    message('uncertain', 'queued', {}),
    waiting('uncertain', { attempts: 1, uncertain: 1, due_at: later, last_attempt_at: before }),
    message('fetching', 'queued', {}),
    waiting('fetching', { awaits_file: 1 }),
    file('fetching', fetched),
    message('incoming', 'received', { incoming: 1, sender: 'ana', awaits_file: 1 }),
    file('incoming', { direction: 'inbound', ...fetched }),
    message('held', 'queued', {}),
    waiting('held', { held: 1 }),
    message('large', 'queued', {}),
    waiting('large', { queue_position: 2 }),
    file('large', { media_id: `med_large_${name}` }),
    [
      'message_attempts',
      { message_seq: side[name] + messages.underway, number: 1, outcome: 'deferred', ended_at: 0 },
    ],
  ]
}

function rowsOf(name: Name): Row[] {
  const parts = [organization, instance, belongings, filesAndWebhook, correspondence]
  return parts.flatMap((part) => part(name))
}

/** Stores both organizations in an empty database. */
export async function fillWithTwo({ session }: ObservedDatabase): Promise<void> {
  const insert = (table: string, row: object) =>
    session.run(session.sql.insertInto(table as 'nodes').values(row as never))
  await insert('nodes', {
    id: 'node_a',
    boot: 'boot',
    seen_at: 0,
    version: '0',
    schema: '',
    media: 'files',
    started_at: 0,
  })
  for (const name of ['ours', 'theirs'] as const) {
    for (const [table, row] of rowsOf(name)) await insert(table, row)
    const data = {
      quota: { name: 'file_bytes', used: 1, limit: 1 },
      refused: 1,
      since: new Date(0).toISOString(),
    }
    const events = [{ type: 'quota.exceeded', instance: null, data }] as const
    await appendEvents(session, [{ organization: `org_${name}`, now: before, events }])
  }
}
