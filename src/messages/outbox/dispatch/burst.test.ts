import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeTime } from '../../../../test/kit/fake-time.ts'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { testOnBothStores } from '../../../../test/kit/stores/outbox-on-both-stores.ts'
import { inspectOutbox, resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import type { DriverConnection } from '../../../networks/driver/connection.ts'
import type { OutgoingMessage } from '../../../networks/driver/message.ts'
import { accepted, type Outcome, rejected, uncertain } from '../../../networks/driver/outcome.ts'
import { sandbox } from '../../../networks/sandbox/driver.ts'
import { Changes } from '../../../runtime/changes.ts'
import { silentLog } from '../../../runtime/log.ts'
import type { Store } from '../../../store/store.ts'
import { isSettled } from '../../life.ts'
import { acceptMessage } from '../accept/accept.ts'
import { type MessageVerdict, settleAndClaim } from '../queue/settle-and-claim.ts'
import { judgeTogether, type Verdict } from '../queue/verdict.ts'
import { Dispatch } from './dispatch.ts'

/* Several texts to one recipient are under way at once; order holds nevertheless. */

const inst = 'inst_a'
const perRecipient = 4

/**
 * The fate of a text. If the connection breaks, the server does not hear whether the text before the break arrived; those
 * after it did not.
 */
const fates = [
  'taken',
  'taken',
  'taken',
  'taken',
  'deferred',
  'refused',
  'breaks before',
  'breaks behind',
] as const
type Fate = (typeof fates)[number]

/** A network that handles the texts of a connection in order, and answers in order. It knows a repetition by its id. */
class InOrderNetwork {
  /** The texts that arrived, by recipient, without repetitions. */
  readonly arrived = new Map<string, string[]>()
  readonly refused = new Set<string>()
  readonly deferred = new Set<string>()
  /** Texts for which the network once gave no outcome. */
  readonly unheard = new Set<string>()
  most = 0
  #waiting: { message: OutgoingMessage; answer: (outcome: Outcome) => void }[] = []
  readonly #fates: Iterator<Fate>

  constructor(fates: Iterator<Fate>) {
    this.#fates = fates
  }

  readonly connection: DriverConnection = {
    send: (message) =>
      new Promise((answer) => {
        if (this.#waiting.length === 0) setImmediate(() => this.#handle())
        this.#waiting.push({ message, answer })
      }),
    probe: () => {},
    close: async () => {},
  }

  #handle(): void {
    const waiting = this.#waiting.splice(0)
    const perRecipient = Map.groupBy(waiting, ({ message }) => message.to)
    this.most = Math.max(this.most, ...[...perRecipient.values()].map(({ length }) => length))
    let isBroken = false
    for (const { message, answer } of waiting) {
      const fate: Fate = isBroken ? 'breaks before' : (this.#fates.next().value ?? 'taken')
      isBroken = fate.startsWith('breaks')
      answer(this.#meet(message, fate))
    }
  }

  #meet({ id, to }: OutgoingMessage, fate: Fate): Outcome {
    const error = { code: 'no', detail: 'No.', permanent: fate === 'refused' }
    if (fate === 'refused') {
      this.refused.add(id)
      return rejected(error)
    }
    if (fate === 'deferred') {
      this.deferred.add(id)
      return { kind: 'deferred', until: 0, scope: 'recipient', error }
    }
    const seen = this.arrived.get(to) ?? []
    if (fate !== 'breaks before' && !seen.includes(id)) this.arrived.set(to, [...seen, id])
    if (fate === 'taken') return accepted
    this.unheard.add(id)
    return uncertain('The connection broke.')
  }
}

function newDispatch(store: Store): { dispatch: Dispatch; time: FakeTime } {
  const time = new FakeTime()
  const driver = sandbox()
  const limits = {
    ...driver.limits,
    in_flight: 6,
    in_flight_per_recipient: perRecipient,
    dedupes_by_id: true,
  }
  const [messageChanges, metrics] = [new Changes(), { attempted: () => {} }]
  const context = {
    ...time,
    node: { trusted: true },
    store,
    random: () => 0,
    log: silentLog,
    messageChanges,
    metrics,
  }
  const instance = { id: inst, epoch: 0, pacing: null, endConnection: () => {} }
  return { dispatch: new Dispatch(context as never, { ...driver, limits }, instance), time }
}

async function acceptAll(store: Store, recipients: readonly string[]): Promise<void> {
  const calls = recipients.map((recipient, index) =>
    accepting({ id: `msg_${String(index).padStart(3, '0')}`, instance_id: inst, recipient }),
  )
  await Promise.all(calls.map((call) => store.transact(acceptMessage, call)))
}

/** Runs until every message is settled; returns the status of each by the id that the network knows. */
async function sendAll(store: Store, network: InOrderNetwork): Promise<ReadonlyMap<string, string>> {
  const { dispatch, time } = newDispatch(store)
  dispatch.open(network.connection)
  for (let steps = 0; ; steps++) {
    assert.ok(steps < 5_000, 'messages are still not settled')
    await dispatch.settle()
    const { messages } = await store.read(inspectOutbox, null)
    if (messages.every(({ status }) => isSettled(status)))
      return new Map(messages.map(({ id, status }) => [id.slice('msg_'.length), status]))
    time.pass(400_000)
  }
}

testOnBothStores(
  'whatever the network does with texts, they arrive in order and none is lost',
  async (store) => {
    let most = 0
    const stories = fc.asyncProperty(
      fc.array(fc.constantFrom('ana', 'ana', 'ana', 'bert'), { minLength: 1, maxLength: 30 }),
      fc.array(fc.constantFrom(...fates), { maxLength: 60 }),
      async (recipients, fated) => {
        await store.transact(resetOutbox, [{ id: inst, network: 'sandbox' }])
        await acceptAll(store, recipients)
        const network = new InOrderNetwork(fated.values())
        const statuses = await sendAll(store, network)
        const arrived = [...network.arrived.values()]
        for (const ids of arrived) assert.deepEqual(ids, ids.toSorted(), 'they arrive in order')
        for (const [id, status] of statuses) {
          if (status === 'sent') assert.ok(arrived.flat().includes(id), `${id} arrived`)
          else if (status === 'failed') assert.ok(network.refused.has(id) || network.deferred.has(id), id)
          else assert.ok(status === 'unknown' && network.unheard.has(id), `${id} is ${status}`)
        }
        most = Math.max(most, network.most)
      },
    )
    await fc.assert(stories, { numRuns: 40, endOnFailure: false })
    assert.equal(most, perRecipient, 'as many were under way as may be')
  },
)

const claimAll = { instanceId: inst, attempted: [], claimPerRecipient: perRecipient, now: 1, holding: null }

testOnBothStores('a file, and a text after it, are not sent together with anything', async (store) => {
  await store.transact(resetOutbox, [{ id: inst, network: 'sandbox' }])
  const kinds = ['text', 'text', 'image', 'text'] as const
  for (const [index, kind] of kinds.entries())
    await store.transact(acceptMessage, accepting({ id: `msg_${index}`, instance_id: inst, kind }))
  const claimed: string[][] = []
  for (let attempted: readonly MessageVerdict[] = []; claimed.flat().length < kinds.length; ) {
    const answer = await store.transact(settleAndClaim, { ...claimAll, attempted, claim: 6 })
    claimed.push(answer.claimed.map(({ kind }) => kind))
    attempted = answer.claimed.map((message) => ({ ...message, verdict: sent }))
    assert.ok(attempted.length > 0, 'something is claimed')
  }
  assert.deepEqual(claimed, [['text', 'text'], ['image'], ['text']])
})

testOnBothStores('the lanes of an instance share what may be under way', async (store) => {
  await store.transact(resetOutbox, [{ id: inst, network: 'sandbox' }])
  const recipients = ['ana', 'ana', 'ana', 'ana', 'bert', 'bert', 'bert', 'bert']
  await acceptAll(store, recipients)
  const { claimed } = await store.transact(settleAndClaim, { ...claimAll, claim: 6 })
  assert.deepEqual(
    claimed.map(({ recipient }) => recipient),
    ['ana', 'ana', 'ana', 'bert', 'bert', 'bert'],
  )
})

const error = { code: 'busy', detail: 'Later.', permanent: false }
const later: Verdict = { kind: 'again', at: 1, error, uncertain: false }
const unheard: Verdict = { kind: 'again', at: 1, error: null, uncertain: true }
const sent: Verdict = { kind: 'sent' }

test('a message is tried again only if no later one to its recipient can have arrived before it', () => {
  assert.deepEqual(judgeTogether([later, later]), [later, later])
  assert.deepEqual(judgeTogether([unheard, unheard]), [unheard, unheard])
  assert.deepEqual(judgeTogether([later, unheard, later]), [{ kind: 'failed', error }, unheard, later])
  assert.deepEqual(judgeTogether([sent, later]), [sent, later])
  assert.deepEqual(judgeTogether([later, sent, later]), [{ kind: 'failed', error }, sent, later])
  assert.deepEqual(judgeTogether([unheard, sent]), [{ kind: 'unknown' }, sent])
})
