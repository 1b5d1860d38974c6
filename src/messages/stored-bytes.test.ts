import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyCharacter } from '../../test/kit/random.ts'
import { accepting } from '../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../test/kit/stores/outbox-store.ts'
import { forgetEvents } from '../events/retention.ts'
import { randomBase32 } from '../runtime/ids.ts'
import type { Store } from '../store/store.ts'
import { receiveMessages } from './inbox/inbox.ts'
import { incomingMessage } from './inbox/incoming-message.ts'
import { acceptMessage } from './outbox/accept/accept.ts'
import { settleAndClaim } from './outbox/queue/settle-and-claim.ts'
import { markRestored } from './outbox/recovery/held.ts'
import { cancelMessage, discardQueue, expireMessages } from './outbox/sweep/sweep.ts'
import { forgetMessages } from './retention.ts'

/*
 * The counted bytes equal the bytes that are there, for any sequence of messages accepted, refused, sent, given up, received
 * and forgotten.
 */

const limit = 20_000
const [organization, instanceId] = ['org_test', 'inst_a']
const reply = { status: 202, location: null, body: '{}' }

/** The contract takes no U+0000. */
const words = fc.string({ unit: anyCharacter, maxLength: 1_500 }).map((text) => text.replaceAll('\0', ''))
const sending = fc.record({
  kind: fc.constant('send' as const),
  texts: fc.array(
    fc.record({
      text: words,
      metadata: fc.option(words.map((note) => JSON.stringify({ note }))),
      client_ref: fc.option(words),
    }),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  key: fc.option(fc.nat(3)),
})
const step = fc.oneof(
  { weight: 4, arbitrary: sending },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('receive' as const), text: words }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('claim' as const), sent: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(9) }) },
  ...(['expire', 'discard', 'go back', 'forget'] as const).map((kind) => ({
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant(kind) }),
  })),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

async function send(
  store: Store,
  { texts, key }: Extract<Step, { kind: 'send' }>,
  now: number,
): Promise<void> {
  const scope = { organizationId: organization, operation: 'send', key: `${key}`, fingerprint: '' }
  const idempotency = key === null ? null : { scope, reply }
  const times = { created_at: now, expires_at: now + 20 }
  const calls = texts.map((fields, index) =>
    accepting(
      { id: `msg_${now}_${index}`, instance_id: instanceId, ...times, ...fields },
      { idempotency, storedLimit: limit },
    ),
  )
  await Promise.all(calls.map((call) => store.transact(acceptMessage, call)))
}

async function receive(store: Store, text: string, now: number): Promise<void> {
  const said = { from: 'ana', conversation: 'ana', at: now, text, file: null }
  const message = incomingMessage({ kind: 'message-received', network_message_id: `n-${now}`, ...said }, now)
  const messages = message ? [message] : []
  await store.transact(receiveMessages, { instanceId, messages, mark: null, limit: null, now })
}

async function attempt(store: Store, isSent: boolean, now: number): Promise<void> {
  const claiming = { instanceId, claim: 3, claimPerRecipient: 1, now, holding: null }
  const { claimed } = await store.transact(settleAndClaim, { ...claiming, attempted: [] })
  const verdict = isSent ? ({ kind: 'sent' } as const) : ({ kind: 'unknown' } as const)
  const attempted = claimed.map(({ seq, attempt, recipient }) => ({ seq, attempt, recipient, verdict }))
  await store.transact(settleAndClaim, { ...claiming, claim: 0, attempted })
}

async function cancel(store: Store, which: number, now: number): Promise<void> {
  const { messages } = await store.read(inspectOutbox, null)
  const id = messages[which]?.id ?? ''
  await store.transact(cancelMessage, { organizationId: organization, id, instances: null, now })
}

async function forget(store: Store, now: number): Promise<void> {
  await store.transact(forgetEvents, { before: now - 5, limit: 100, after: '' })
  await store.transact(forgetMessages, { before: now - 5, after: 0, limit: 5, now })
}

/** Performs a step at its own time. */
async function perform(store: Store, one: Step, now: number): Promise<void> {
  if (one.kind === 'send') await send(store, one, now)
  else if (one.kind === 'receive') await receive(store, one.text, now)
  else if (one.kind === 'claim') await attempt(store, one.sent, now)
  else if (one.kind === 'cancel') await cancel(store, one.which, now)
  else if (one.kind === 'expire') await store.transact(expireMessages, { now, limit: 3 })
  else if (one.kind === 'discard') await store.transact(discardQueue, { instanceId, now, limit: 3 })
  else if (one.kind === 'go back') await markRestored(store, { epoch: randomBase32(5), now })
  else await forget(store, now)
}

const bytes = (text: string | null) => (text === null ? 0 : Buffer.byteLength(text))

/** Checks that the organization's recorded use equals the bytes of the messages that are there. */
async function check(store: Store): Promise<void> {
  const { messages, organizations } = await store.read(inspectOutbox, null)
  const sent = messages.filter(({ incoming }) => incoming === 0)
  const taken = sent.map(
    ({ recipient, text, client_ref, metadata }) =>
      1024 + bytes(recipient) + bytes(text) + bytes(client_ref) + bytes(metadata),
  )
  const sum = taken.reduce((all, one) => all + one, 0)
  assert.equal(organizations[0]?.stored_bytes, sum)
  assert.ok(sum <= limit, `${sum} bytes are taken`)
}

testOnBothStores(
  'what messages take is counted without drift, and never exceeds the limit',
  async (store) => {
    const play = fc.asyncProperty(
      fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }),
      async (steps) => {
        await store.transact(resetOutbox, [{ id: instanceId, network: 'deduping' }])
        let now = 1_000
        for (const one of steps) {
          now += 10
          await perform(store, one, now)
          await check(store)
        }
      },
    )
    await fc.assert(play, { numRuns: 10 })
  },
)
