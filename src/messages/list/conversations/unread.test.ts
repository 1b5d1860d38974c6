import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { bothStores } from '../../../../test/kit/stores/both-stores.ts'
import {
  addMessages,
  type CountedMessage,
  keepPerson,
  listedFunctions,
  networkIdOf,
  timeOf,
} from '../../../../test/kit/stores/listed-store.ts'
import type { Store } from '../../../store/store.ts'
import { forgetMessages } from '../../retention.ts'
import { enterBlock } from '../message-index.ts'
import { listConversations } from './conversation-list.ts'
import { markConversationRead } from './unread.ts'

/*
 * What is unread by a naive count of messages, beside what the store keeps: over the boundaries of blocks, marks, retention, and blocks
 * that are entered once more.
 */

const thread = new URL('../../../../test/kit/stores/listed-store-thread.ts', import.meta.url)
/** Two addresses of one person, and two others. */
const conversations = ['ana', 'bert', 'carla', 'dora']
const personOf = (conversation: string) => (conversation === 'bert' ? 'ana' : conversation)

const message = fc.record({
  gap: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 200, max: 1_100 })),
  conversation: fc.constantFrom(...conversations),
  kind: fc.constantFrom('text' as const, 'text' as const, 'reaction' as const),
  isIncoming: fc.constantFrom(true, true, false),
  stays: fc.constantFrom(false, false, false, true),
})

const command = fc.oneof(
  fc.record({ do: fc.constant('add' as const), messages: fc.array(message, { minLength: 1, maxLength: 8 }) }),
  fc.record({ do: fc.constant('enter' as const), blocks: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    do: fc.constant('mark' as const),
    conversation: fc.constantFrom(...conversations),
    /** The place of the message among those of the store; null for all that there is. */
    at: fc.option(fc.nat(30), { freq: 4 }),
  }),
  fc.record({ do: fc.constant('forget' as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

interface Kept extends CountedMessage {
  isRead: boolean
}

const text = { gap: 1, conversation: 'bert', kind: 'text', isIncoming: true, stays: false } as const
/** The newest message of a conversation is forgotten while an older one stays, and both were read. */
const olderStays: Command[] = [
  { do: 'add', messages: [{ ...text, stays: true }, text] },
  { do: 'mark', conversation: 'ana', at: null },
  { do: 'forget', part: 1 },
  { do: 'add', messages: [{ ...text, conversation: 'ana' }] },
]
/** Messages in a block are forgotten while a newer one, which is in none yet, was read. */
const newerStays: Command[] = [
  { do: 'add', messages: [text, { ...text, gap: 1_100 }] },
  { do: 'enter', blocks: 1 },
  { do: 'mark', conversation: 'ana', at: null },
  { do: 'forget', part: 0.5 },
  { do: 'add', messages: [{ ...text, gap: 1_100 }] },
  { do: 'enter', blocks: 1 },
]

/** A model of the store: all messages that are kept, in their order. */
class Model {
  messages: Kept[] = []
  last = 0

  unread(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { conversation, isIncoming, kind, isRead } of this.messages) {
      const isUnread = isIncoming && kind === 'text' && !isRead
      counts.set(personOf(conversation), (counts.get(personOf(conversation)) ?? 0) + (isUnread ? 1 : 0))
    }
    return counts
  }
}

async function carryOut(store: Store, model: Model, given: Command): Promise<void> {
  if (given.do === 'add') {
    const added = given.messages.map(({ gap, stays, ...rest }): Kept => {
      model.last += gap
      return { ...rest, seq: model.last, stays: stays && rest.isIncoming, isRead: false }
    })
    await store.transact(
      addMessages,
      added.map(({ isRead: _, ...fields }) => fields),
    )
    model.messages.push(...added)
  } else if (given.do === 'enter') {
    for (let block = 0; block < given.blocks; block++) await store.transact(enterBlock, null)
  } else if (given.do === 'mark') {
    const { conversation } = given
    const own = model.messages.filter((one) => personOf(one.conversation) === personOf(conversation))
    const upTo = given.at === null ? null : own[given.at % Math.max(1, own.length)]
    if (upTo === undefined) return
    const name = upTo === null ? null : networkIdOf(upTo)
    await store.transact(markConversationRead, { instanceId: 'first', conversation, upTo: name })
    for (const one of own) if (upTo === null || one.seq <= upTo.seq) one.isRead = true
  } else {
    const before = timeOf({ seq: Math.ceil(given.part * (model.last + 1)) })
    for (let place: { after: number } | null = { after: 0 }; place; )
      place = (await store.transact(forgetMessages, { before, limit: 5, now: 1, ...place })).goOn
    model.messages = model.messages.filter((one) => one.stays || timeOf(one) >= before)
  }
}

/** The unread messages of each person, as they are listed. */
async function listed(store: Store): Promise<Map<string, number>> {
  const wanted = { organizationId: 'org_a', instanceName: null, seen: null, limit: 100 }
  const all = { search: null, isUnread: false, before: null, below: null }
  const { data } = await store.read(listConversations, { ...wanted, ...all })
  return new Map(data.map(({ conversation: one }) => [personOf(one.conversation), one.unread ?? 0]))
}

for (const { name, skip, newPlace } of await bothStores(listedFunctions, thread))
  describe(`unread messages ${name}`, { skip }, () => {
    test('are as many as a naive count says, whatever was entered, marked and forgotten', async () => {
      const property = fc.asyncProperty(
        fc.array(command, { minLength: 3, maxLength: 14 }),
        async (commands) => {
          const store = await (await newPlace())()
          await store.transact(keepPerson, {
            ...{ organization: 'org_a', instance: 'first', addresses: ['ana', 'bert'] },
          })
          const model = new Model()
          for (const each of commands) {
            await carryOut(store, model, each)
            const [shown, right] = [await listed(store), model.unread()]
            assert.deepEqual([...shown].sort(), [...right].sort(), JSON.stringify(each))
          }
          await store.close()
        },
      )
      const examples: [Command[]][] = [[olderStays], [newerStays]]
      await fc.assert(property, { numRuns: Number(process.env.POSTHORN_TEST_UNREAD_RUNS ?? 10), examples })
    })
  })
