import { eventId } from '../../../src/events/event.ts'
import { later, messageId, messages, now } from './two-organizations.ts'

/*
 * What each transaction of the store is asked for about what is ours. Together with `ofAll` these are all that there are.
 */

const [organization, instance] = ['org_ours', 'inst_ours']
const number = 2_000_001
const seqOf = (state: keyof typeof messages) => 2_000_000 + messages[state]
const idOf = (state: keyof typeof messages) => messageId(seqOf(state))
const networkIdOf = (state: keyof typeof messages) => idOf(state).replace('msg_', '')

const audit = {
  ...{ id: 'aud_new', organizationId: organization, key: { id: 'key_ours', hint: 'ours' } },
  ...{ action: 'someAction', target: 'one', instance: 'one', address: null, requestId: null, at: now },
}
const idempotency = {
  scope: { organizationId: organization, operation: 'sendTextMessage', key: 'new', fingerprint: 'new' },
  reply: { status: 202, location: null, body: '{}' },
}
const message = {
  ...{ id: messageId(1), organization_id: organization, instance_id: instance, instance_name: 'one' },
  ...{
    recipient: 'ana',
    kind: 'document',
    text: 'Hello',
    relation: null,
    content: null,
    client_ref: null,
    metadata: null,
    created_at: now,
  },
  ...{ send_at: null, expires_at: later, id_assigned: 0, window_ends_at: null, trace: null },
}
const bytes = new Uint8Array([1])
const newMedia = { id: 'med_new', organizationId: organization, sha256: 'new', size: 1, now }
const described = { filename: 'a.txt', mime_type: 'text/plain', size: 1, sha256: 'new' }
const file = {
  ...{
    organization_id: organization,
    direction: 'outbound',
    url: null,
    reference: null,
    fetch_at: null,
    voice: 0,
  },
  ...{ ...described, declared_type: null },
}
const accepted = { queueLimit: null, unsettledLimit: null, storedLimit: null, idempotency }
const problem = { code: 'media_unreachable', detail: 'It is not there.' }
const attempt = { seq: seqOf('underway'), attempt: 1, recipient: 'anaunderway' }
const claim = {
  ...{ instanceId: instance, attempted: [], claim: 4, claimPerRecipient: 1, replyWindow: null, now },
  holding: null,
}
const verdicts = [
  { kind: 'sent' },
  { kind: 'failed', error: { ...problem, permanent: true } },
  { kind: 'unknown' },
  { kind: 'unknown', late: true },
  { kind: 'again', at: now, error: null, uncertain: false },
  { kind: 'again', at: now, error: null, uncertain: true },
  { kind: 'again', at: now, error: null, uncertain: false, unbegun: true },
].map((verdict) => ({ ...claim, attempted: [{ ...attempt, verdict }] }))
const named = { instanceId: instance, networkMessageId: networkIdOf('sent'), at: now }
const shown = { ...named, networkMessageId: networkIdOf('underway') }
const told = { addresses: ['ana', 'ana3'], wroteAt: null }
const incoming = {
  ...{ id: 'msg_new', network_message_id: 'net_new', sender: 'ana', conversation: 'ana', addresses: [] },
  ...{ text: 'Hello', sent_at: now, received_at: now, file: null, subject: null, sender_message_id: null },
  ...{ reference: { type: 'reply', message: 'net_ours' }, unsupported: null, content: {} },
}
const received = { instanceId: instance, messages: [incoming], limit: null, replyWindow: null, now }
const renamed = {
  ...{ group: 'room', change: 'renamed', subject: 'Crew', members: ['ana'], members_left_out: 0 },
  ...{ by: 'ana', at: now },
}
const webhook = { organization, id: 'wh_ours', now, audit }
const eventOfOurs = eventId({ organization_id: organization, epoch: '', sequence: 1, created_at: 400_000 })
const changes = ['ana', 'bo'].map((id) => ({ type: 'session', id, value: bytes, expires_at: null }))
const room = { count: 10, bytes: 10_000 }
const callback = {
  ...{ id: 'cb_new', instanceId: instance, receivedAt: now, body: bytes },
  limits: { instance: room, organization: room },
}
const lanes = [{ webhook: 'wh_ours', width: 4, underway: [{ seq: number, instance: null }] }]
const delivering = {
  ...{ organization, now, attempted: [], fanOut: 100, lanes: [], early: [], turn: 0 },
  capacity: { healthy: 4, failing: 4, shared: 4 },
}
const delivered = ['delivered', 'failed'].map((kind) => ({
  ...{ seq: number, batch: null, webhook: 'wh_ours', url: 'https://example.org/', number: 1, startedAt: now },
  result: { kind: 'responded', status: 204, retryAfter: null, body: '', duration: 5 },
  verdict: { kind },
}))
const linkPage = {
  ...{
    id: 'lnk_new',
    digest: 'new',
    organization_id: organization,
    instance_id: instance,
    key_id: 'key_ours',
  },
  ...{ created_at: now, expires_at: later, title: null, language: null, picture_type: null, picture: null },
}
const newKey = {
  ...{
    id: 'key_new',
    organization_id: organization,
    digest: 'new',
    hint: 'new',
    role: 'read',
    created_at: now,
  },
  ...{ expires_at: null, instance_names: null, name: null },
}
const newInstance = {
  ...{ id: 'inst_new', organization_id: organization, name: 'new', network: 'sandbox', account_key: null },
  ...{ settings: '{}', credentials: bytes, shared_callback: 0, metadata: '{}', created_at: now },
}
const unlabelled = { settings: '{}', metadata: '{}', marketing_words: null }
const labelled = { settings: '{}', metadata: '{"a":"b"}', marketing_words: null }
const judged = {
  name: 'sale',
  language: 'en',
  category: null,
  status: 'paused',
  network_status: 'PAUSED',
  rejected_reason: null,
}

/** By the name of a transaction: its arguments, once for each way that it has. */
export const transactionsOfOne: Readonly<Record<string, readonly object[]>> = {
  'audit.action': [{ note: audit }],
  'audit.refused': [{ note: audit, result: 'queue_full' }],
  'keys.create': [{ key: newKey, creator: 'key_ours', note: audit }],
  'keys.revoke': [{ id: 'key_ours', organization, now, note: audit }],
  'webhooks.create': [
    {
      webhook: {
        ...{ id: 'wh_new', organization_id: organization, url: 'https://example.org/', event_types: null },
        ...{ instance_names: null, ordering: 'none', batch: 1, secret: bytes, created_at: now },
      },
      ...{ limit: null, audit },
    },
  ],
  'webhooks.update': [{ ...webhook, change: { enabled: 0 } }],
  'webhooks.delete': [webhook],
  'webhooks.rotate': [{ ...webhook, secret: bytes, previousUntil: later }],
  'webhooks.test': [webhook],
  'webhooks.skip': [{ ...webhook, until: now, place: null }],
  'webhooks.redeliver': [
    {
      organization,
      webhook: 'wh_ours',
      since: 0,
      until: now,
      missing: false,
      after: null,
      limit: 10,
      now,
      audit,
    },
  ],
  'deliveries.create': [{ organization, webhook: 'wh_ours', event: eventOfOurs, now, audit }],
  'deliveries.redeliver': [{ organization, webhook: 'wh_ours', id: 'dlv_ours', now, audit }],
  'deliveries.settle_and_claim': [
    { ...delivering, now: later, lanes },
    { ...delivering, early: [{ webhook: 'wh_ours', after: 0, isProbe: true }] },
    ...delivered.map((one) => ({ ...delivering, attempted: [one] })),
  ],
  'quotas.refusals': [{ organization, quota: 'files_bytes', limit: 1, refused: 1, since: now, now }],
  'statistics.count': [{ organization, limit: 10 }],
  'media.register': [
    { ...newMedia, heldUntil: later },
    { ...newMedia, id: 'med_large_ours', sha256: 'large_ours', heldUntil: later },
  ],
  'messages.accept': [
    { message: { ...message, kind: 'text' }, ...accepted },
    { message: { ...message, kind: 'text' }, target: seqOf('sent'), ...accepted },
    { message, file: { ...file, media: { ...newMedia, bytes } }, ...accepted },
    { message, file: { ...file, media: { id: 'med_large_ours', heldUntil: now } }, ...accepted },
  ],
  'messages.accept-batch': [
    {
      messages: [
        { place: 0, message: { ...message, kind: 'text' }, ...accepted },
        {
          place: 1,
          message: { ...message, id: messageId(2), kind: 'text' },
          target: seqOf('sent'),
          ...accepted,
        },
      ],
      ...{ isFinal: false, idempotency: { scope: accepted.idempotency.scope, answers: ['{}', '{}'], now } },
    },
  ],
  'messages.cancel': [{ organizationId: organization, instances: null, id: idOf('queued'), now, audit }],
  'messages.cancel-queued': [
    { organizationId: organization, seqs: [seqOf('queued')], instanceName: null, now, audit },
  ],
  'messages.discard': [{ instanceId: instance, limit: 10, now }],
  'outbox.settle_and_claim': [
    claim,
    { ...claim, holding: { attempts: [], epoch: 1 } },
    { ...claim, holding: { attempts: [attempt], epoch: 1 } },
    ...verdicts,
  ],
  'receipts.record': [
    { ...named, from: null, state: 'read' },
    { ...named, from: 'ana2', state: 'read' },
    { ...named, networkMessageId: 'net_ours', from: null, state: 'delivered' },
    { ...shown, assignedId: 'net_new_ours', from: null, state: 'delivered' },
  ],
  'receipts.up_to': [{ ...named, from: null, state: 'read' }],
  'receipts.acknowledged': [{ ...named, networkMessageId: networkIdOf('uncertain') }],
  'receipts.return': [{ ...named, from: null, error: { ...problem, permanent: true } }],
  'files.arrived': [
    { messageId: idOf('fetching'), file: { ...described, media: { ...newMedia, bytes } } },
    { messageId: idOf('fetching'), file: { ...described, media: { id: 'med_large_ours' } } },
  ],
  'files.failed': [{ messageId: idOf('fetching'), now, ...problem }],
  'files.later': [{ messageId: idOf('fetching'), at: later, ...problem }],
  'received-files.arrived': [
    {
      messageId: idOf('incoming'),
      now,
      file: { ...described, kind: 'document', media: { ...newMedia, bytes } },
    },
  ],
  'received-files.failed': [{ messageId: idOf('incoming'), now, ...problem }],
  'inbox.receive': [
    { ...received, mark: { mark: 'new', at: now } },
    { ...received, messages: [{ ...incoming, network_message_id: 'net_new_ours' }], mark: null },
  ],
  'conversations.read': [{ instanceId: instance, conversation: 'ana', upTo: null }],
  'contacts.begin-forgetting': [
    { organizationId: organization, instanceName: 'one', instance, address: 'ana', now, audit },
  ],
  'contacts.forget-person': [{ instance, organization, name: 'one', address: 'ana', below: 3_000_000, now }],
  'contacts.record': [
    { instanceId: instance, contacts: [{ told, at: now }], limit: null },
    { instanceId: instance, contacts: [{ told, aboutMessage: networkIdOf('sent'), at: now }], limit: null },
  ],
  'marketing.choose': [
    {
      instanceId: instance,
      address: 'ana',
      chosen: { choice: 'opted_in', source: 'network', changed_at: now },
      now,
      limit: null,
    },
  ],
  'marketing.note-categories': [
    { instanceId: instance, templates: [{ name: 'sale', language: 'en', category: 'utility' }], now },
  ],
  'marketing.record-template': [{ instanceId: instance, news: judged, now }],
  'contacts.forget': [{ instanceId: instance, limit: 10 }],
  'groups.name': [{ instanceId: instance, groups: [{ address: 'room', subject: 'Crew' }], limit: null, now }],
  'groups.news': [{ instanceId: instance, news: [renamed], limit: null, now }],
  'groups.begin-creation': [{ scope: { ...idempotency.scope, operation: 'createGroup' }, audit, now }],
  'groups.end-creation': [
    { scope: { ...idempotency.scope, key: 'again' }, end: 'unknown' },
    { scope: { ...idempotency.scope, key: 'again' }, end: 'not-done' },
    { scope: { ...idempotency.scope, key: 'again' }, end: idempotency.reply },
  ],
  'held.decide': ['send', 'fail'].map((decision) => ({
    decision,
    organizationId: organization,
    instanceId: instance,
    limit: 10,
    now,
    audit,
  })),
  'instances.create': [{ instance: newInstance, limit: null, idempotency, owner: 'node_a', audit }],
  'instances.order': [{ organization, name: 'one', id: instance, wanted: 'stopped', now, audit }],
  'instances.change': [
    { organization, id: instance, before: unlabelled, after: labelled, reconnects: true, now, audit },
  ],
  'instances.replace-credentials': [
    { organization, id: instance, credentials: new Uint8Array([2]), sharedCallback: 0, now, audit },
  ],
  'instances.record': [
    { id: instance, change: { status: 'stopped', status_since: now, linked_at: now }, verifiedAt: null, now },
    { id: instance, change: { status: 'connected', status_since: now }, verifiedAt: now, now },
  ],
  'instances.verified': [true, false].map((nothingMissing) => ({ id: instance, at: now, nothingMissing })),
  'instances.credentials': [{ id: instance, before: bytes, credentials: new Uint8Array([2]) }],
  'instances.erase': [1, 100].map((limit) => ({ id: instance, limit, now })),
  'instances.release': [{ id: instance, organization, node: 'node_a' }],
  'callbacks.keep': [callback, { ...callback, claimed: { about: 'account', name: 'account_ours' } }],
  'callbacks.forget': [{ instance, handled: [{ seq: number, id: 'cb_ours' }] }],
  'callbacks.claim': [{ instance, account: 'new', group: 'new', now }],
  'keys.take': [{ instance, owner: 1 }],
  'keys.set': [{ instance, owner: 1, limit: 10, changes }],
  'keys.forget': [null, 1].map((owner) => ({ instance, owner, limit: 10 })),
  'link-pages.create': [{ page: linkPage, audit }],
  'link-pages.end': [{ id: linkPage.id, audit }],
  'link-pages.revoke': [{ instance, audit }],
  'sessions.use': [{ digest: 'session_ours', owner: 'key_ours', end: later, now }],
}

const byPlace = 'works for all organizations, and takes no id but the place at which it goes on'
const ofNodes = 'belongs to nodes, which belong to no organization'
const bySecret = 'finds out whose it is by the digest of a secret that only its owner has'

/** The other transactions, with the reason why each is for no one organization. */
export const transactionsOfAll: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['join', 'end-others', 'beat', 'leave', 'gone', 'drain', 'forget'].map((name) => `nodes.${name}`),
      ...['duties.take', 'duties.release', 'rates.tell'],
    ].map((name) => [name, ofNodes]),
  ),
  ...Object.fromEntries(
    [
      ...[
        'store.probe',
        'store.advance-position',
        'service.keep',
        'service.backed-up',
        'store.hold',
        'store.go-back',
      ],
      ...[
        'messages.expire',
        'messages.enter-block',
        'messages.forget',
        'events.forget',
        'events.forget-deliveries',
      ],
      ...[
        'statistics.forget',
        'statistics.forget-minutes',
        'media.forget',
        'files.release',
        'contacts.forget-old',
        'keys.forget-expired',
      ],
      ...['callbacks.forget-parts', 'link-pages.forget', 'idempotency.forget', 'sessions.forget'],
      ...['audit.backup', 'audit.forget', 'audit.trim', 'webhooks.note-lagging'],
      ...['messages', 'attempts', 'deliveries', 'files', 'facts'].map((what) => `clock.bring-back-${what}`),
    ].map((name) => [name, byPlace]),
  ),
  ...Object.fromEntries(['sessions.redeem', 'sessions.end'].map((name) => [name, bySecret])),
  'asks.insert': 'asks the node that runs an instance, by the id that a caller was found to own',
  'asks.answer': 'answers a question by its id, which only the two nodes know',
  'asks.forget': 'ends a question by its id, which only the two nodes know',
  'organizations.create': 'is of the operator, and makes an organization',
  'organizations.change': 'is of the operator, who names the organization',
  'sessions.begin': 'signs in the key that was just proven',
  'sign-in-codes.create': 'is of the command line, for the key that the operator names',
  'keys.use': 'notes the use of the key that was just proven',
  'messages.recover': 'is of a node that takes instances over, of whichever organizations',
  'instances.take-over': 'is of a node that takes instances over, of whichever organizations',
  'callbacks.remember-parts': 'is about one callback with parts for instances of several organizations',
}
