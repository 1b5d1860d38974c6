import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { deleteInstance, getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getMessage, listMessages } from '../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import type { TranscriptLine } from '../../../src/networks/sandbox/people/far-end.ts'
import { recipientScripts, returnedError } from '../../../src/networks/sandbox/script.ts'
import { create, eventually, inMs, reaches, startObserved, text } from '../../kit/play.ts'
import type { Posthorn } from '../../kit/posthorn.ts'

let posthorn: Posthorn
let transcript: () => TranscriptLine[]

before(async () => {
  const observed = await startObserved()
  posthorn = observed.posthorn
  transcript = observed.transcript
  await create(posthorn.admin, 'trial')
})

after(() => posthorn.stop())

/** Counts the copies of a message that came to its recipient, and the messages that the recipient saw. */
function arrivals(message: Message): { came: number; seen: number } {
  const lines = transcript().filter(({ id }) => id === message.network_message_id)
  return { came: lines.length, seen: lines.filter(({ repeat }) => !repeat).length }
}

/** Returns the caller's view of a message in the end, without the fields that differ from one to another. */
function fate({ status, attempts, error, sent_at, delivered_at, read_at }: Message) {
  return {
    status,
    attempts,
    error: error?.code ?? null,
    confirmed: [sent_at, delivered_at, read_at].map((at) => at !== null),
  }
}

const nothing = [false, false, false]
const sent = [true, false, false]
const delivered = [true, true, false]
const read = [true, true, true]

interface Play {
  readonly behaviour: string
  readonly status: Message['status']
  readonly attempts: number
  readonly error?: string
  readonly confirmed: readonly boolean[]
  readonly came: number
}

const plays: readonly Play[] = [
  { behaviour: 'delivers', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'reads', status: 'read', attempts: 1, confirmed: read, came: 1 },
  { behaviour: 'reads-all', status: 'read', attempts: 1, confirmed: read, came: 1 },
  { behaviour: 'receipt-first', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'vouched', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'notices', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'accepts', status: 'sent', attempts: 1, confirmed: sent, came: 1 },
  { behaviour: 'also-elsewhere', status: 'sent', attempts: 1, confirmed: sent, came: 1 },
  { behaviour: 'replies', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'replies-twice', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'chooses', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'reacts', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'types', status: 'read', attempts: 1, confirmed: read, came: 1 },
  { behaviour: 'group', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'group-refuses', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'group-loses', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'group-silent', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  {
    behaviour: 'group-gone',
    status: 'failed',
    attempts: 1,
    error: 'recipient_unknown',
    confirmed: nothing,
    came: 0,
  },
  { behaviour: 'quotes', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'read-elsewhere', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'shares', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'shares-by-reference', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'two-addresses', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'other-address', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'slow', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'slow-500ms', status: 'delivered', attempts: 1, confirmed: delivered, came: 1 },
  { behaviour: 'refuses-twice', status: 'delivered', attempts: 3, confirmed: delivered, came: 1 },
  { behaviour: 'defers', status: 'delivered', attempts: 2, confirmed: delivered, came: 1 },
  { behaviour: 'uncertain', status: 'delivered', attempts: 2, confirmed: delivered, came: 2 },
  { behaviour: 'loses', status: 'delivered', attempts: 2, confirmed: delivered, came: 1 },
  {
    behaviour: 'unknown',
    status: 'failed',
    attempts: 1,
    error: 'recipient_unknown',
    confirmed: nothing,
    came: 0,
  },
  {
    behaviour: 'refuses',
    status: 'failed',
    attempts: 1,
    error: 'message_refused',
    confirmed: nothing,
    came: 0,
  },
  {
    behaviour: 'window-closed',
    status: 'failed',
    attempts: 1,
    error: 'outside_reply_window',
    confirmed: nothing,
    came: 0,
  },
  { behaviour: 'returns', status: 'failed', attempts: 1, error: 'recipient_gone', confirmed: sent, came: 1 },
]

describe('what becomes of a message to', { concurrency: true }, () => {
  for (const { behaviour, status, attempts, error = null, confirmed, came } of plays) {
    test(`${behaviour}: ${status} after ${attempts}`, async () => {
      const { admin } = posthorn
      const accepted = await text(admin, { instance: 'trial', to: `ana@${behaviour}.sandbox` })
      assert.deepEqual(fate(accepted), { status: 'queued', attempts: 0, error: null, confirmed: nothing })
      const message = await reaches(admin, accepted.id, status)
      assert.deepEqual(fate(message), { status, attempts, error, confirmed })
      assert.equal(message.network_message_id, accepted.network_message_id)
      assert.deepEqual(arrivals(message), { came, seen: Math.min(came, 1) })
    })
  }

  test('a phone number: read, in one conversation however the number is written', async () => {
    const { admin } = posthorn
    for (const to of ['+49 151 1234-5678', '0049 (151) 12345678']) {
      const { id } = await text(admin, { instance: 'trial', to })
      const message = await reaches(admin, id, 'read')
      assert.equal(message.conversation, '+4915112345678')
      assert.deepEqual(arrivals(message), { came: 1, seen: 1 })
    }
    const { body } = await admin.call(listMessages, { query: { to: '+4915112345678' } })
    assert.equal(body.data.length, 2)
  })

  test('busy: tried again until its time is over, and says why', async () => {
    const expires_at = inMs(6_000)
    const to = 'ana@busy.sandbox'
    const message = await text(posthorn.admin, { instance: 'trial', to, expires_at }, 20)
    assert.equal(message.status, 'expired')
    assert.ok(message.attempts >= 2)
    assert.equal(message.error?.code, 'recipient_busy')
    assert.equal(message.error?.permanent, false)
    assert.deepEqual(arrivals(message), { came: 0, seen: 0 })
  })

  test('never-certain: unknown when its time is over, neither expired nor failed', async () => {
    const expires_at = inMs(6_000)
    const to = 'ana@never-certain.sandbox'
    const message = await text(posthorn.admin, { instance: 'trial', to, expires_at }, 20)
    assert.deepEqual({ status: message.status, error: message.error }, { status: 'unknown', error: null })
    assert.ok(message.attempts >= 2)
    assert.deepEqual(arrivals(message), { came: message.attempts, seen: 1 })
  })

  test('drops: the connection breaks, comes back, and the repetition is not a second message', async () => {
    await create(posthorn.admin, 'breaking')
    const message = await text(posthorn.admin, { instance: 'breaking', to: 'ana@drops.sandbox' }, 20)
    const last = await reaches(posthorn.admin, message.id, 'delivered')
    assert.deepEqual(fate(last), { status: 'delivered', attempts: 2, error: null, confirmed: delivered })
    assert.deepEqual(arrivals(last), { came: 2, seen: 1 })
  })

  test('reads-all: what was sent before is read with the last', async () => {
    const { admin } = posthorn
    const to = 'bert@reads-all.sandbox'
    const first = await text(admin, { instance: 'trial', to })
    const second = await text(admin, { instance: 'trial', to })
    for (const { id } of [second, first]) await reaches(admin, id, 'read')
  })

  test('limits-account: sent again when the network takes messages of the account', async () => {
    await create(posthorn.admin, 'limited')
    const { id } = await text(posthorn.admin, { instance: 'limited', to: 'ana@limits-account.sandbox' })
    const message = await reaches(posthorn.admin, id, 'delivered')
    assert.deepEqual(fate(message), { status: 'delivered', attempts: 2, error: null, confirmed: delivered })
    assert.deepEqual(arrivals(message), { came: 1, seen: 1 })
  })

  test('stuck: sending for as long as nobody knows, unknown when the instance is removed', async () => {
    const { admin } = posthorn
    await create(admin, 'hanging')
    const { id } = await text(admin, { instance: 'hanging', to: 'ana@stuck.sandbox' })
    const waiting = await reaches(admin, id, 'sending')
    assert.deepEqual(fate(waiting), { status: 'sending', attempts: 1, error: null, confirmed: nothing })
    const removed = await admin.call(deleteInstance, { params: { name: 'hanging' } })
    assert.equal(removed.status, 204)
    const { body } = await admin.call(getMessage, { params: { id } })
    assert.deepEqual(fate(body), { status: 'unknown', attempts: 1, error: null, confirmed: nothing })
  })
})

test('every documented address was played', () => {
  const others = ['busy', 'never-certain', 'drops', 'limits-account', 'stuck']
  const played = [...plays.map(({ behaviour }) => behaviour), ...others]
  assert.deepEqual(recipientScripts.map(({ behaviour }) => behaviour).toSorted(), played.toSorted())
})

test('a returned message says what the network said, and the next one to the same address is not held up', async () => {
  const { admin } = posthorn
  const to = 'bert@returns.sandbox'
  const first = await text(admin, { instance: 'trial', to })
  const second = await text(admin, { instance: 'trial', to })
  for (const { id } of [first, second]) {
    const { error } = await reaches(admin, id, 'failed')
    assert.deepEqual(error, { ...returnedError })
  }
})

test('returns and receipts that overtake the acknowledgement are not lost under load', async () => {
  const { admin } = posthorn
  const sends = Array.from({ length: 150 }, (_, index) => {
    const behaviour = (['returns', 'reads', 'delivers'] as const)[index % 3] ?? 'reads'
    return text(admin, { instance: 'trial', to: `load-${index}@${behaviour}.sandbox` })
  })
  const accepted = await Promise.all(sends)
  const final = { returns: 'failed', reads: 'read', delivers: 'delivered' } as const
  for (const { id, conversation } of accepted) {
    const behaviour = /@(.*)\.sandbox/.exec(conversation)?.[1] as keyof typeof final
    await reaches(admin, id, final[behaviour])
  }
  const queue = async () => (await admin.call(getInstance, { params: { name: 'trial' } })).body.queue
  assert.deepEqual(await eventually('an empty queue', queue, ({ depth }) => depth === 0), {
    depth: 0,
    oldest_at: null,
  })
})
