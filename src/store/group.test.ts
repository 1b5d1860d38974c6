import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallResult } from './commit.ts'
import { GroupCommit, type GroupCommitOptions, type PendingCall } from './group.ts'
import { CallerGone, StoreUnavailable } from './store.ts'

/** Performs calls at the price that their arguments name, and keeps who was performed together. */
class Performances {
  readonly groups: string[][] = []
  readonly grouping: GroupCommit
  /** Number of calls of a group that are begun; the rest is left. */
  begins = Number.POSITIVE_INFINITY
  /** Holds every group until the play lets it go. */
  hold: Promise<void> | undefined

  constructor(options: Partial<GroupCommitOptions> = {}) {
    this.grouping = new GroupCommit((group) => this.#perform(group), { budget: 20, largest: 100, ...options })
  }

  /** Asks for a call of the party that its name begins with, such as `a` of `a1`. */
  ask(name: string, { cost = 1, signal }: { cost?: number; signal?: AbortSignal } = {}): Promise<string> {
    const turn = { party: name.charAt(0), signal }
    return this.grouping.call<string>({ name: `costs ${cost}`, args: { name, cost }, weight: 1 }, turn)
  }

  async #perform(group: readonly PendingCall[]): Promise<(CallResult | null)[]> {
    const calls = group.map(({ args }) => args as { name: string; cost: number })
    const begun = calls.slice(0, this.begins)
    this.groups.push(begun.map(({ name }) => name))
    await this.hold
    return calls.map((call, index) =>
      index < begun.length ? { value: call.name, announced: [], cost: call.cost } : null,
    )
  }
}

const numbered = (party: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${party}${index}`)

test('calls of one moment share a group, and those that come meanwhile the next', async () => {
  const play = new Performances()
  const first = ['a1', 'a2'].map((name) => play.ask(name))
  await first[0]
  await Promise.all([...first, ...['a3', 'b1'].map((name) => play.ask(name))])
  assert.deepEqual(play.groups, [
    ['a1', 'a2'],
    ['a3', 'b1'],
  ])
})

test('a group has no more than its budget is expected to last for', async () => {
  const play = new Performances()
  await play.ask('a0', { cost: 8 })
  await Promise.all(numbered('a', 7).map((name) => play.ask(name, { cost: 8 })))
  assert.deepEqual(
    play.groups.map(({ length }) => length),
    [1, 3, 3, 1],
  )
})

test('a party that asks for little is in the next group, however much others ask for', async () => {
  const play = new Performances()
  await play.ask('a', { cost: 10 })
  const many = numbered('a', 50).map((name) => play.ask(name, { cost: 10 }))
  await many[3]
  const before = play.groups.length
  await play.ask('b1', { cost: 10 })
  assert.ok(play.groups.length <= before + 2, `${play.groups.length - before} groups later`)
  await Promise.all(many)
})

test('calls that were left come first again, and each is performed once', async () => {
  const play = new Performances()
  play.begins = 2
  const names = numbered('a', 7)
  assert.deepEqual(await Promise.all(names.map((name) => play.ask(name))), names)
  assert.deepEqual(play.groups.flat(), names)
})

test('a call whose caller has gone is dropped before it runs', async () => {
  const play = new Performances()
  const leaving = new AbortController()
  const gone = play.ask('a1', { signal: leaving.signal })
  const stays = play.ask('a2')
  leaving.abort()
  await assert.rejects(gone, CallerGone)
  await stays
  assert.deepEqual(play.groups, [['a2']])
})

test('no party has more calls under way than its limit, and another has a performer left', async () => {
  const play = new Performances({ performers: 3, largest: 1, limitPerParty: 2 })
  const held = Promise.withResolvers<void>()
  play.hold = held.promise
  const asked = [...numbered('a', 4), 'b0'].map((name) => play.ask(name))
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  assert.deepEqual(play.groups.flat().toSorted(), ['a0', 'a1', 'b0'])
  held.resolve()
  await Promise.all(asked)
})

test('a call that waited too long is told that the store is unavailable', async () => {
  const play = new Performances({ largest: 1, longestWait: 0 })
  const held = Promise.withResolvers<void>()
  play.hold = held.promise
  const outcomes = Promise.allSettled(['a1', 'a2'].map((name) => play.ask(name)))
  held.resolve()
  for (const outcome of await outcomes)
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailable)
})

test('a call that waits for those of its own party is not told so', async () => {
  const play = new Performances({ largest: 1, longestWait: 20 })
  const names = numbered('a', 6)
  play.hold = new Promise((resolve) => setTimeout(resolve, 15))
  const asked = names.map((name) => play.ask(name))
  await asked[0]
  play.hold = new Promise((resolve) => setTimeout(resolve, 15))
  assert.deepEqual(await Promise.all(asked), names)
})

test('closing refuses what comes and waits for what was asked; abandoning gives up what waits', async () => {
  const play = new Performances({ largest: 1 })
  const asked = ['a1', 'a2', 'a3'].map((name) => play.ask(name))
  const outcomes = Promise.allSettled(asked)
  await asked[0]
  play.grouping.abandon(new Error('Away'))
  const closed = play.grouping.close(new Error('Closed'))
  await assert.rejects(play.ask('a4'), /Closed/)
  await closed
  const [first, , last] = await outcomes
  assert.equal(first?.status, 'fulfilled')
  assert.equal(last?.status, 'rejected')
})
