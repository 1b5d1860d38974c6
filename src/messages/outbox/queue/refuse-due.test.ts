import assert from 'node:assert/strict'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import type { MessageTemplate } from '../../../contract/resources/template.ts'
import { forgetHandled, keepCallback, nextCallbacks } from '../../../instances/callbacks/callback-store.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Store } from '../../../store/store.ts'
import { findLastWritten } from '../../contacts/contact-store.ts'
import { recordContacts } from '../../contacts/record-contacts.ts'
import { uncertainEnd } from '../../contacts/reply-window.ts'
import { recordChoice } from '../../marketing/choose.ts'
import { noteCategories } from '../../marketing/known-templates.ts'
import { templateText } from '../../message.ts'
import { acceptMessage } from '../accept/accept.ts'
import { settleAndClaim } from './settle-and-claim.ts'

const replyWindow = 1_000_000
const now = 1_700_000_000_000
const longAgo = now - replyWindow - uncertainEnd - 1

const writes = (store: Store, addresses: readonly string[], wroteAt: number) =>
  store.transact(recordContacts, {
    instanceId: 'inst_a',
    contacts: [{ told: { addresses, wroteAt }, at: now }],
    limit: null,
  })

async function accept(
  store: Store,
  recipient: string,
  more: { kind?: 'text' | 'template'; text?: string; send_at?: number } = {},
) {
  const id = newId('msg')
  await store.transact(acceptMessage, accepting({ id, recipient, created_at: now - 1_000, ...more }))
  return id
}

/** Claims, and says which messages are to be sent and which were refused. */
async function claim(store: Store, at = now, window: number | null = replyWindow) {
  const call = { instanceId: 'inst_a', claimPerRecipient: 1, holding: null, claim: 10, attempted: [] }
  const { claimed, refused } = await store.transact(settleAndClaim, { ...call, replyWindow: window, now: at })
  return { claimed: claimed.map(({ id }) => id), refused: refused.map(({ id }) => id) }
}

const sale = (category?: MessageTemplate['category']) =>
  templateText({ name: 'sale', language: 'en', components: [], ...(category && { category }) })

const withInstance = (store: Store) => store.transact(resetOutbox, [{ id: 'inst_a', network: 'pigeons' }])

testOnBothStores(
  'a text fails without an attempt once its recipient certainly cannot be answered',
  async (store) => {
    await withInstance(store)
    await writes(store, ['id-ana', 'ana'], longAgo)
    await writes(store, ['bert'], longAgo + 1)
    const first = await accept(store, 'ana')
    const second = await accept(store, 'ana')
    const aliased = await accept(store, 'id-ana')
    const others = [await accept(store, 'bert'), await accept(store, 'carla')]
    assert.deepEqual(await claim(store), { claimed: others, refused: [first, aliased] })
    assert.deepEqual(await claim(store), { claimed: [], refused: [second] })
    assert.deepEqual(await claim(store), { claimed: [], refused: [] })
    const { messages, events, depths, organizations } = await store.read(inspectOutbox, null)
    const failed = messages.filter(({ status }) => status === 'failed')
    assert.deepEqual(
      failed.map(({ id, attempts, error }) => [id, attempts, JSON.parse(error ?? '').code]),
      [first, second, aliased].map((id) => [id, 0, 'outside_reply_window']),
    )
    assert.deepEqual(
      events.filter(({ type }) => type === 'message.failed').map(({ message_seq }) => message_seq),
      [first, aliased, second].map((id) => messages.find((message) => message.id === id)?.seq),
    )
    assert.deepEqual([depths[0]?.queue_depth, organizations[0]?.unsettled_messages], [2, 2])
  },
)

testOnBothStores('somebody who wrote before the text is due can be answered', async (store) => {
  await withInstance(store)
  await writes(store, ['id-ana', 'ana'], longAgo)
  const id = await accept(store, 'ana', { send_at: now + 500 })
  assert.deepEqual(await claim(store), { claimed: [], refused: [] })
  await writes(store, ['id-ana'], now)
  assert.deepEqual(await claim(store, now + 500), { claimed: [id], refused: [] })
})

testOnBothStores('templates and instances without a window are not looked at', async (store) => {
  await withInstance(store)
  await writes(store, ['ana'], longAgo)
  const template = await accept(store, 'ana', { kind: 'template', text: sale() })
  assert.deepEqual(await claim(store), { claimed: [template], refused: [] })
  await withInstance(store)
  await writes(store, ['ana'], longAgo)
  const text = await accept(store, 'ana')
  assert.deepEqual(await claim(store, now, null), { claimed: [text], refused: [] })
})

testOnBothStores('one that may have arrived is left to its network', async (store) => {
  await withInstance(store)
  await writes(store, ['ana'], now - replyWindow)
  const id = await accept(store, 'ana')
  await claim(store)
  const { messages } = await store.read(inspectOutbox, null)
  const verdict = { kind: 'again', at: now, error: null, uncertain: true } as const
  const attempted = [{ seq: messages[0]?.seq ?? 0, attempt: 1, recipient: 'ana', verdict }]
  const call = {
    instanceId: 'inst_a',
    claimPerRecipient: 1,
    holding: null,
    replyWindow,
    now: now + uncertainEnd * 2,
  }
  const { claimed, refused } = await store.transact(settleAndClaim, { ...call, claim: 1, attempted })
  assert.deepEqual([claimed.map((one) => one.id), refused], [[id], []])
})

testOnBothStores('while a callback waits, which may be of theirs, the network decides', async (store) => {
  await withInstance(store)
  await writes(store, ['ana'], longAgo)
  const id = await accept(store, 'ana')
  const room = { count: 10, bytes: 1_000 }
  const limits = { instance: room, organization: room }
  const callback = { id: 'cb_1', instanceId: 'inst_a', receivedAt: now, body: new Uint8Array([1]), limits }
  assert.equal(await store.transact(keepCallback, callback), 'kept')
  const last = () => store.read(findLastWritten, { instance: 'inst_a', address: 'ana' })
  assert.deepEqual(await last(), { at: longAgo, mayBeLater: true })
  assert.deepEqual(await claim(store), { claimed: [id], refused: [] })
  const [{ seq } = { seq: 0 }] = await store.read(nextCallbacks, {
    instance: 'inst_a',
    limit: 1,
    bytes: 1_000,
  })
  await store.transact(forgetHandled, { instance: 'inst_a', handled: [{ seq, id: 'cb_1' }] })
  assert.deepEqual(await last(), { at: longAgo, mayBeLater: false })
  const late = await accept(store, 'ana')
  const verdict = { kind: 'sent' } as const
  const { messages } = await store.read(inspectOutbox, null)
  const attempted = [{ seq: messages[0]?.seq ?? 0, attempt: 1, recipient: 'ana', verdict }]
  const call = { instanceId: 'inst_a', claimPerRecipient: 1, holding: null, replyWindow, now }
  const { claimed, refused } = await store.transact(settleAndClaim, { ...call, claim: 1, attempted })
  assert.deepEqual([claimed, refused.map((one) => one.id)], [[], [late]])
})

const chooses = (store: Store, address: string, choice: 'opted_out' | 'opted_in', at = now) =>
  store.transact(recordChoice, {
    instanceId: 'inst_a',
    address,
    chosen: { choice, source: 'network', changed_at: at },
    now: at,
    limit: null,
  })

const learn = (store: Store, category: string) =>
  store.transact(noteCategories, {
    instanceId: 'inst_a',
    templates: [{ name: 'sale', language: 'en', category }],
    now,
  })

testOnBothStores(
  'marketing that waits fails once its recipient opts out, by any of their addresses',
  async (store) => {
    await withInstance(store)
    await writes(store, ['id-ana', 'ana'], now)
    await learn(store, 'marketing')
    const waiting = await accept(store, 'ana', { kind: 'template', text: sale() })
    const others = await accept(store, 'bert', { kind: 'template', text: sale() })
    const text = await accept(store, 'id-ana')
    await chooses(store, 'id-ana', 'opted_out')
    assert.deepEqual(await claim(store), { claimed: [others, text], refused: [waiting] })
    const { messages, depths } = await store.read(inspectOutbox, null)
    const row = messages.find(({ id }) => id === waiting)
    assert.deepEqual([row?.status, JSON.parse(row?.error ?? '').code], ['failed', 'recipient_opted_out'])
    assert.equal(depths[0]?.queue_depth, 2)
  },
)

for (const [told, said, isSent] of [
  ['utility', undefined, true],
  ['authentication', 'marketing', true],
  ['marketing', 'utility', false],
  [null, 'utility', true],
  [null, undefined, false],
] as const) {
  const isOut = isSent ? 'is sent to' : 'fails for'
  testOnBothStores(
    `a template of category ${told ?? 'unknown'}, said to be ${said ?? 'nothing'}, ${isOut} a person who opted out`,
    async (store) => {
      await withInstance(store)
      if (told) await learn(store, told)
      await chooses(store, 'ana', 'opted_out')
      const id = await accept(store, 'ana', { kind: 'template', text: sale(said) })
      const found = await claim(store)
      assert.deepEqual(isSent ? found.claimed : found.refused, [id])
    },
  )
}

testOnBothStores(
  'a person who opts in again gets marketing, and older news changes nothing',
  async (store) => {
    await withInstance(store)
    await learn(store, 'marketing')
    await chooses(store, 'ana', 'opted_out', now)
    await chooses(store, 'ana', 'opted_in', now + 1)
    await chooses(store, 'ana', 'opted_out', now)
    const id = await accept(store, 'ana', { kind: 'template', text: sale() })
    assert.deepEqual(await claim(store), { claimed: [id], refused: [] })
    const { events } = await store.read(inspectOutbox, null)
    const told = events.map(({ type }) => type).filter((type) => type.startsWith('contact.'))
    assert.deepEqual(told, ['contact.opted_out', 'contact.opted_in'])
  },
)
