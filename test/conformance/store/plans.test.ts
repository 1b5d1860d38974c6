import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { storeFunctions } from '../../../src/gateway/transactions.ts'
import { firstFiles } from '../../../src/messages/files/fetch-store.ts'
import { firstPlace } from '../../../src/messages/unsettled-places.ts'
import { type ObservedDatabase, observedPostgres, observedSqlite } from '../../kit/observed-plans.ts'
import { startPostgres } from '../../kit/postgres.ts'
import { fill, now } from './backlog.ts'
import { operatorPlays, statisticsPlays, webhookPlays } from './operator-plays.ts'

/*
 * The frequent statements of the store, at a backlog of 12,000 deliveries for each webhook and 20,000 messages: none may
 * read a table as a whole, or look at much in vain. The statistics are those of empty tables, as when a backlog grows.
 * A new frequent statement needs a line in `play`.
 */

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

/** Tables of which there are few rows; `blocks` and `waiting` are what statements make themselves. */
const small = new Set(
  'blocks waiting webhooks organizations instances service api_keys migrations'.split(' '),
)

/**
 * Statements that need one index and not just any: through most of them, everything that waits would be gone through again.
 */
const needed: readonly (readonly [RegExp, string])[] = [
  [/as "held_back"/, 'deliveries_held_back'],
  [
    /update "deliveries" set "next_attempt_at" = \S+ where "seq" in \(select .* "batch_id" is null/,
    'deliveries_held_back',
  ],
  [/"network_message_id" = \S+ or/, 'messages_on_network'],
  [/"created_at" as "at" from "outbox"/, 'outbox_oldest'],
  [/"claimed_account" as "name"/, 'instances_by_claimed_account'],
  [/"claimed_group" as "name"/, 'instances_by_claimed_group'],
  [
    /"network_keys" where "instance_id" = \S+ and "expires_at" is not null/,
    'network_keys_expiring_of_instance',
  ],
]

const lane = (webhook: string, width: number) => ({ webhook, width, underway: [] })
const claim = {
  organization: 'org_a',
  now,
  attempted: [],
  fanOut: 100,
  lanes: ['wh_none', 'wh_order', 'wh_batch'].map((webhook) => lane(webhook, 8)),
  capacity: { healthy: 64, failing: 64, shared: 64 },
  turn: 0,
  early: [{ webhook: 'wh_order', after: 0, isProbe: true }],
}
const list = {
  organizationId: 'org_a',
  instanceName: null,
  status: null,
  direction: null,
  conversation: null,
  to: null,
  seen: null,
  createdAfter: null,
  createdBefore: null,
  text: null,
}

const choosing = {
  instanceId: 'inst_a',
  address: 'somebody27',
  chosen: { choice: 'opted_out', source: 'network', changed_at: now },
  now,
  limit: null,
}
const judged = {
  name: 'sale',
  language: 'en',
  category: null,
  status: 'paused',
  network_status: 'PAUSED',
  rejected_reason: null,
}

const networkId = `${'0'.repeat(21)}10077`
const named = { instanceId: 'inst_a', networkMessageId: networkId, at: now }
const renamed = {
  ...{ group: 'somebody27', change: 'renamed', subject: null, members: [], members_left_out: 0 },
  ...{ by: null, at: now },
}
const creation = { organizationId: 'org_a', operation: 'createGroup', key: 'new', fingerprint: 'new' }
const incoming = {
  id: 'msg_incoming',
  network_message_id: 'archive-1',
  sender: 'somebody27',
  conversation: 'somebody27',
  addresses: ['id27', 'somebody27'],
  received_at: now,
  sent_at: now,
  text: 'Hello',
  subject: null,
  sender_message_id: 'one',
  content: { button_reply: { id: 'yes', title: 'Yes', payload: null } },
  reference: { type: 'reply', message: networkId },
  unsupported: null,
  file: null,
}
/** Everything about people and windows. */
const day = 86_400_000
const told = { addresses: ['id30', 'somebody30'], formerly: 'id29', wroteAt: null }
const echo = { ...incoming, id: 'msg_echo', network_message_id: networkId }

/** Every other key is removed. */
function keySet(...ids: readonly string[]) {
  const changes = ids.map((id, index) => ({
    type: 'session',
    id,
    value: index % 2 ? null : Buffer.from('sealed'),
    expiresAt: null,
  }))
  return { instance: 'inst_a', owner: 0, limit: 100_000, changes }
}

const instanceFilter = {
  organizationId: 'org_a',
  status: null,
  network: null,
  search: null,
  seen: null,
  after: null,
}

const part = { instance: 'inst_b', digest: 'digest' }

const conversations = {
  ...{ organizationId: 'org_a', instanceName: null, seen: null, search: null, isUnread: false },
  ...{ limit: 50, before: null, below: null },
}
const audit = {
  ...{ organization: 'org_a', actor: null, action: null, instance: null },
  ...{ since: null, until: null, limit: 50, before: null },
}
const held = { organizationId: 'org_a', instanceId: 'inst_held' }
const files = {
  ...{ direction: 'outbound', now, limit: 16, underway: [] },
  passedOver: { organizations: [], senders: [] },
}
/** Places at which a step of the clock goes on, in the middle of the queue. */
const places: Readonly<Record<string, readonly object[]>> = {
  messages: [{ owner: '3', at: 2 * now, key: 24_000 }],
  attempts: [{ owner: 'wh_loose', at: 2 * now, key: 40_000 }],
  deliveries: [{ owner: 'wh_none', at: 0, key: 6_000 }],
  files: [{ owner: 'outbound', at: 2 * now, key: 'msg_file_6000' }],
  facts: [{ owner: 'webhooks', at: 0, key: 'wh_n' }],
}

/** By the name of a function of the store, what it is asked for, and how many rows it may look at in vain if that is more than 3,000. */
const play: readonly (readonly [string, unknown, number?])[] = [
  ['deliveries.settle_and_claim', claim],
  ['deliveries.settle_and_claim', { ...claim, turn: 1 }],
  [
    'deliveries.settle_and_claim',
    {
      ...claim,
      attempted: [1, 2, 3].map((seq) => ({
        seq,
        batch: null,
        webhook: 'wh_none',
        url: 'https://example.org/',
        number: 1,
        startedAt: now,
        result: { kind: 'responded', status: 204, retryAfter: null, body: '', duration: 5 },
        verdict: { kind: 'delivered' },
      })),
    },
  ],
  ...webhookPlays,
  ['events.owners-of-old', { before: 2, after: '' }],
  ['events.forget', { before: 0, limit: 1_000, after: '' }],
  ['events.forget', { before: 0, limit: 1_000, after: '', organizations: ['org_a'] }],
  ...statisticsPlays,
  ['events.forget-deliveries', { before: 2, limit: 1_000, after: 0 }],
  ['messages.find', { organizationId: 'org_a', id: `msg_${networkId}`, instances: null, now }],
  // Without statistics, PostgreSQL compares each message of a page with each instance, of which there are few.
  ['messages.list', { ...list, clientRef: null, limit: 50, before: null, place: null }, 3_000],
  // It looks through blocks for what is rare, so many at a time.
  [
    'messages.list',
    { ...list, status: 'failed', clientRef: null, limit: 50, before: null, place: null },
    10_000,
  ],
  ['callbacks.claimants', { network: 'sandbox', names: [{ about: 'account', name: 'number-1' }] }],
  ['callbacks.claimants', { network: 'sandbox', names: [{ about: 'group', name: 'business-1' }] }],
  ['callbacks.claim', { instance: 'inst_b', account: 'number-1', group: 'business-1', now }],
  ['callbacks.kept-parts', { parts: [part] }],
  ['callbacks.remember-parts', { parts: [part], limit: 10, now }],
  ['callbacks.forget-parts', { before: now - 1, limit: 10 }],
  ['outbox.settle_and_claim', { instanceId: 'inst_a', attempted: [], claim: 16, now, holding: false }],
  [
    'outbox.settle_and_claim',
    { instanceId: 'inst_a', attempted: [], claim: 16, now, holding: false, replyWindow: day },
  ],
  ['contacts.written', { instance: 'inst_a', address: 'somebody27' }],
  [
    'contacts.record',
    { instanceId: 'inst_a', contacts: [{ told, aboutMessage: named.networkMessageId, at: now }], limit: 10 },
  ],
  ['contacts.record', { instanceId: 'inst_a', contacts: [{ told, at: now }], limit: 1_000 }],
  [
    'groups.name',
    { instanceId: 'inst_a', groups: [{ address: 'somebody27', subject: 'Crew' }], limit: 1_000, now },
  ],
  [
    'groups.news',
    { instanceId: 'inst_a', news: [{ ...renamed, subject: 'Crew' }, renamed], limit: 1_000, now },
  ],
  ['groups.begin-creation', { scope: creation, audit: undefined, now }],
  ...['unknown', 'not-done'].map((end) => ['groups.end-creation', { scope: creation, end }] as const),
  ['marketing.choose', choosing],
  ['marketing.facts', { instance: 'inst_a', address: 'somebody27', name: 'sale', language: 'en' }],
  [
    'marketing.note-categories',
    { instanceId: 'inst_a', templates: [{ name: 'sale', language: 'en', category: 'marketing' }], now },
  ],
  ['marketing.record-template', { instanceId: 'inst_a', news: judged, now }],
  ['contacts.forget-old', { before: 0, after: { instance: '', address: '' }, limit: 500 }],
  ['contacts.forget', { instanceId: 'inst_b', limit: 500 }],
  ['keys.read', { instance: 'inst_a', type: 'session', ids: ['27', 'unknown'], now }],
  ['keys.set', keySet('27', '20001')],
  ['keys.set', keySet(...Array.from({ length: 800 }, (_, number) => `${number + 100}`))],
  ['keys.set', { ...keySet('28'), limit: 0 }],
  ['keys.forget-expired', { now: 100, limit: 500 }],
  ['keys.forget', { instance: 'inst_a', owner: 0, limit: 500 }],
  ['link-pages.find', { digest: 'digest' }],
  ['link-pages.picture', { id: 'lnk_a' }],
  ['link-pages.forget', { now, limit: 500 }],
  ['receipts.record', { ...named, from: 'id77', state: 'read' }],
  ['receipts.record', { ...named, from: 'somebody77', state: 'read' }],
  ['receipts.acknowledged', named],
  ['inbox.receive', { instanceId: 'inst_a', messages: [incoming, echo], mark: null, limit: 0, now }],
  ['inbox.receive', { instanceId: 'inst_a', messages: [incoming, echo], mark: null, limit: null, now }],
  [
    'inbox.receive',
    { instanceId: 'inst_a', messages: [incoming, echo], mark: null, limit: null, replyWindow: day, now },
  ],
  [
    'messages.list',
    {
      ...list,
      conversation: 'id27',
      to: 'somebody27',
      clientRef: null,
      limit: 50,
      before: null,
      place: null,
    },
  ],
  ['messages.expire', { now, limit: 100 }],
  ...['messages.full-block', 'messages.enter-block'].map((name) => [name, null] as const),
  ['messages.recover', { now, dedupingNetworks: [], after: firstPlace, limit: 100 }],
  ['messages.recover', { now, dedupingNetworks: [], after: { instance: 1, seq: 7 }, limit: 100 }],
  ['store.hold', { after: { instance: 1, seq: 500 }, limit: 100 }],
  ['files.release', { expiresAt: now, limit: 100, after: firstFiles }],
  ['files.release', { expiresAt: now, limit: 100, after: { use: 'a', fetch: { at: 7, message: 'a' } } }],
  ['rates.tell', { node: 'node_one', taken: { key_a: 1 } }],
  ['rates.read', [{ node: 'node_one', after: 0 }]],
  ['messages.owners-of-oldest', { before: now, after: 0, limit: 100 }],
  ['messages.forget', { before: 0, after: 0, limit: 100, now }],
  ['instances.find', { organization: 'org_a', name: 'name0' }, 10],
  ['instances.list', { ...instanceFilter, limit: 50 }, 10],
  ['messages.target', { organizationId: 'org_a', id: `msg_${networkId}`, instances: null }],
  ...[networkId, `msg_${networkId}`].map(
    (name) =>
      [
        'messages.in-conversation',
        { organizationId: 'org_a', instanceId: 'inst_a', recipient: 'somebody27', name },
      ] as const,
  ),
  ['messages.find-queued', { ...list, clientRef: null, after: null, place: null }],
  ['instances.erase', { id: 'inst_b', limit: 100, now }],
  ['conversations.list', conversations, 3_000],
  ['conversations.list', { ...conversations, instanceName: 'name0', below: 300 }],
  ...operatorPlays,
  ['conversations.list', { ...conversations, search: 'ana', isUnread: true, below: 300 }, 3_000],
  ['audit.list', audit],
  ['audit.list', { ...audit, before: 6_000 }],
  // It looks through so many entries at a time for what is rare.
  ['audit.list', { ...audit, action: 'revokeKey', actor: 'operator' }, 5_000],
  ['audit.backup', { now, after: '', limit: 100 }],
  ['files.due', files],
  [
    'files.due',
    { ...files, underway: ['msg_file_11990'], passedOver: { organizations: ['org_b'], senders: [] } },
  ],
  ['held.list', { after: 0 }],
  ['held.decide', { decision: 'send', ...held, limit: 100, now }],
  ['held.decide', { decision: 'fail', ...held, limit: 100, now }],
  ['receipts.up_to', { ...named, from: 'somebody27', state: 'read' }],
  ['messages.discard', { instanceId: 'inst_due', limit: 100, now }],
  ...['messages', 'attempts', 'deliveries', 'files', 'facts'].flatMap((what) =>
    [null, ...(places[what] ?? [])].map(
      (after) => [`clock.bring-back-${what}`, { by: 1_000, now, after }] as const,
    ),
  ),
]

async function perform({ session }: ObservedDatabase, name: string, args: unknown): Promise<void> {
  const all = [...storeFunctions.reads, ...storeFunctions.transactions]
  const run = all.find((one) => one.name === name)?.run as
    | ((context: unknown, args: unknown) => Promise<unknown>)
    | undefined
  assert.ok(run, `the store has a function ${name}`)
  await run(session, args)
}

/** The reads that are performed in the turn of an organization. */
const walledReads = play.filter(
  ([name, args]) =>
    storeFunctions.reads.some((read) => read.name === name) &&
    args !== null &&
    Object.entries(args as object).some(
      ([key, value]) => /^organization(Id)?$|^instance$/.test(key) && /^(org|inst)_a$/.test(value),
    ),
)

/** Plays everything, and tells what was more than it should be. */
async function playOn(
  database: ObservedDatabase,
  { played = play, organization }: { played?: typeof play; organization?: string } = {},
): Promise<string[]> {
  const faults: string[] = []
  const unseen = new Set(organization === undefined ? needed : [])
  for (const [name, args, most = 2_000] of played) {
    await database.observe(() => perform(database, name, args), organization)
    for (const { sql, wholeTables, indexes, inVain, pages } of database.observed.splice(0)) {
      for (const one of needed) if (one[0].test(sql)) unseen.delete(one)
      const large = wholeTables.filter((table) => !small.has(table))
      const fault = [
        ...large.map((table) => `reads all of ${table}`),
        ...needed
          .filter(([statement, index]) => statement.test(sql) && !indexes.includes(index))
          .map(([, index]) => `does not read ${index}`),
        ...(inVain > most ? [`looks at ${inVain} rows in vain`] : []),
        ...(pages > 20_000 ? [`touches ${pages} pages`] : []),
      ]
      if (fault.length > 0) faults.push(`${name} ${fault.join(', ')}: ${sql}`)
    }
  }
  return [...faults, ...[...unseen].map(([statement]) => `nothing was asked like ${statement}`)]
}

describe('what the store does all the time reads by an index', () => {
  test('in SQLite', async () => {
    const database = await observedSqlite()
    await database.execute('analyze')
    await fill(
      database,
      (count) =>
        `(with recursive one(n) as (select 1 union all select n + 1 from one where n < ${count}) select n from one)`,
    )
    const faults = await playOn(database)
    await database.close()
    assert.deepEqual(faults, [])
  })

  test('in PostgreSQL', { skip: postgres.available ? false : postgres.reason }, async () => {
    assert.ok(postgres.available)
    const database = await observedPostgres(await postgres.server.createDatabase())
    await database.execute('analyze')
    await fill(database, (count) => `generate_series(1, ${count}) as n`)
    const faults = await playOn(database)
    await database.close()
    assert.deepEqual(faults, [])
  })

  test('behind the walls of PostgreSQL', { skip: postgres.available ? false : postgres.reason }, async () => {
    assert.ok(postgres.available && walledReads.length > 20)
    const database = await observedPostgres(await postgres.server.createDatabase())
    await database.execute('analyze')
    await fill(database, (count) => `generate_series(1, ${count}) as n`)
    // One that has nothing passes by the rows of others.
    for (const organization of ['org_a', 'org_none'])
      assert.deepEqual(await playOn(database, { played: walledReads, organization }), [])
    await database.close()
  })
})
