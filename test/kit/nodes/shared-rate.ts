import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { ProblemError } from '../../../src/contract/client/client.ts'
import { listInstances } from '../../../src/contract/operations/instance-operations.ts'
import { createKey } from '../../../src/contract/operations/key-operations.ts'
import { type CheckedClient, createCheckedClient } from '../http/checked-client.ts'
import type { PosthornProcess } from '../posthorn.ts'

/** So slow a rate that nothing of it comes back meanwhile, however long this takes. */
export const slowRate = { POSTHORN_RATE_LIMIT: '100/86400' }

/** Milliseconds after which the next of the growing pauses would be too long: a word between nodes that takes so long was lost. */
const longestPause = 60_000

/** A node that is asked with a key, and shows in its answers how many requests it counts. */
class AskedNode {
  /** Requests that it answered. */
  taken = 0
  /** Requests to the other node that it has heard of. */
  heard = 0
  isRefused = false
  readonly #client: CheckedClient

  constructor(baseUrl: string, key: string) {
    this.#client = createCheckedClient({ baseUrl, key })
  }

  async ask(): Promise<this> {
    try {
      const { headers } = await this.#client.call(listInstances)
      this.taken++
      this.heard = 100 - this.taken - Number(/r=(\d+)/.exec(headers.ratelimit ?? '')?.[1])
    } catch (error) {
      assert.equal((error as ProblemError).code, 'rate_limited')
      this.isRefused = true
    }
    return this
  }
}

/** Two nodes at `slowRate` let through as many requests of a key together as one would, but for a tenth. */
export async function areHeldTogether(processes: readonly [PosthornProcess, PosthornProcess]): Promise<void> {
  const { body } = await processes[0].admin.call(createKey, { body: { role: 'admin' } })
  const [first, second] = processes.map(({ url }) => new AskedNode(url, body.key)) as [AskedNode, AskedNode]
  const others = processes.map(({ url, adminKey }) => new AskedNode(url, adminKey)) as [AskedNode, AskedNode]
  // With another key, until each hears the other: what was taken before that is not told.
  for (const [told, hearing] of [others, others.toReversed()] as [AskedNode, AskedNode][]) {
    const before = (await hearing.ask()).heard
    for (let pause = 100; hearing.heard === before && pause < longestPause; pause *= 2) {
      await told.ask()
      await wait(pause)
      await hearing.ask()
    }
    assert.ok(hearing.heard > before, 'it heard of requests to the other')
  }
  const both = [first, second]
  while (!both.some(({ isRefused }) => isRefused)) {
    const [asked, hearing] = both as [AskedNode, AskedNode]
    for (let count = 0; count < 4; count++) await asked.ask()
    // Less and less often, so that these requests are few, however late it hears of the others.
    const isUnheard = () => hearing.heard < asked.taken && !hearing.isRefused
    for (let pause = 100; isUnheard() && pause < longestPause; pause *= 2) {
      await wait(pause)
      await hearing.ask()
    }
    both.reverse()
  }
  for (const node of both)
    for (let pause = 100; !node.isRefused; pause *= 2) await node.ask().then(() => wait(pause))
  const taken = first.taken + second.taken
  assert.ok(taken >= 100 && taken <= 110, `${taken} requests were answered, and 100 may be`)
}
