import { rmSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { listInstances } from '../../../src/contract/operations/instance-operations.ts'
import { databaseFor } from '../database.ts'
import { type CheckedClient, createCheckedClient } from '../http/checked-client.ts'
import { sumOfMetrics } from '../http/metrics.ts'
import { create, eventually, text } from '../play.ts'
import { freshFolder, operatorOf, type PosthornProcess, spawnPosthorn, testConfig } from '../posthorn.ts'
import type { Attacking } from './attacker.ts'

const token = 'metrics-token-of-this-very-test-0'
const instance = 'neighbour'
export const attackers = 'attackers'

/**
 * A server in a process of its own, on the store that the run of the tests is about, with an organization that goes about its
 * business, and room for others that attack.
 */
export class Stage {
  readonly data: string
  readonly pid: number
  readonly #posthorn: PosthornProcess
  readonly #operator: ReturnType<typeof operatorOf>
  readonly #neighbour: CheckedClient

  /** It closes when the test ends. */
  static async open(t: TestContext): Promise<Stage> {
    const data = freshFolder()
    const settings = { ...(await databaseFor(data)), POSTHORN_METRICS_TOKEN: token }
    const posthorn = await spawnPosthorn(data, settings)
    const operator = operatorOf(testConfig(data, settings))
    t.after(async () => {
      await operator.leave()
      await posthorn.end('SIGKILL')
      rmSync(data, { recursive: true, force: true })
    })
    await create(posthorn.admin, instance)
    return new Stage(data, posthorn, operator)
  }

  private constructor(data: string, posthorn: PosthornProcess, operator: ReturnType<typeof operatorOf>) {
    this.data = data
    this.pid = posthorn.pid
    this.#posthorn = posthorn
    this.#operator = operator
    this.#neighbour = createCheckedClient({ baseUrl: posthorn.url, key: posthorn.adminKey })
  }

  /** Another organization, by the name of `attackers` or by another one. */
  async attacking(name = attackers): Promise<Attacking> {
    await this.#operator.createOrganization(name)
    const { key } = await this.#operator.createKey(name, 'admin')
    return { url: this.#posthorn.url, key }
  }

  async neighbourLists(): Promise<void> {
    await this.#neighbour.call(listInstances, {})
  }

  /** The neighbour lists its instances and sends a text: two calls, one after the other. */
  async neighbourCalls(): Promise<void> {
    await this.neighbourLists()
    await text(this.#neighbour, { instance, to: 'ana@accepts.sandbox' })
  }

  /**
   * Measures how much more of something the attacker has by the time that so many calls of the neighbour were answered. It
   * ends early once that is too much.
   */
  async whileAnswered(
    calls: number,
    ofAttacker: () => number | Promise<number>,
    atMost = Number.POSITIVE_INFINITY,
  ): Promise<number> {
    const before = await ofAttacker()
    let more = 0
    for (let call = 0; call < calls && more <= atMost; call += 2) {
      await this.neighbourCalls()
      more = (await ofAttacker()) - before
    }
    return more
  }

  /** The sum of the metrics of this name, with all their labels. */
  async metric(name: string): Promise<number> {
    return sumOfMetrics(this.#posthorn.url, token, name)
  }
}

/** Resolves when an attack has come so far. */
export async function underWay(ofAttacker: () => number | Promise<number>, atLeast = 1): Promise<void> {
  await eventually(
    'the attack',
    async () => ofAttacker(),
    (reached) => reached >= atLeast,
  )
}
