import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { replaceCredentials } from '../../../src/contract/operations/instance-operations.ts'
import {
  createWebhook,
  redeliver,
  redeliverEvents,
  testWebhook,
  updateWebhook,
} from '../../../src/contract/operations/webhook-operations.ts'
import { kills, seed } from '../../kit/crash/kills.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { create, inMs, text } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { randomOf } from '../../kit/random.ts'
import { rowsIn } from '../../kit/rows.ts'

const random = randomOf(seed)
const url = 'https://example.org/hooks'

/** Callers who do the same again and again, and are not discouraged when the server is away. */
class Busy {
  #server: PosthornProcess
  #isOver = false
  #moved = Promise.withResolvers<void>()
  readonly #callers: Promise<void>[]
  #answers = 0
  #heard: (() => void) | undefined

  constructor(server: PosthornProcess, acts: readonly ((admin: CheckedClient) => Promise<unknown>)[]) {
    this.#server = server
    this.#callers = acts.map((act) => this.#work(act))
  }

  moveTo(server: PosthornProcess): void {
    this.#server = server
    this.#moved.resolve()
    this.#moved = Promise.withResolvers()
  }

  /** Resolves once so many more of their requests were answered well. */
  async answered(count: number): Promise<void> {
    const end = this.#answers + count
    while (this.#answers < end)
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
  }

  async finish(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#callers)
  }

  async #work(act: (admin: CheckedClient) => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      await act(this.#server.admin).then(
        () => this.#answers++,
        () => Promise.race([this.#moved.promise, wait(200)]),
      )
      this.#heard?.()
    }
  }
}

/** Returns each action as the server's own books have it, and as its log has it. */
async function books(data: string, webhooks: Readonly<Record<'again' | 'many', string>>) {
  const count = async (from: string) =>
    Number((await rowsIn<{ n: number | string }>(data, `select count(*) as n from ${from}`))[0]?.n)
  const noted = (action: string) => count(`audit where action = '${action}' and result = 'done'`)
  return {
    testWebhook: [await count("events where type = 'webhook.test'"), await noted('testWebhook')],
    replaceCredentials: [
      await count("events where type = 'instance.credentials_replaced'"),
      await noted('replaceCredentials'),
    ],
    createWebhook: [await count('webhooks'), await noted('createWebhook')],
    // The first is the test that is delivered again.
    redeliver: [
      (await count(`deliveries where webhook_id = '${webhooks.again}'`)) - 1,
      await noted('redeliver'),
    ],
    redeliverEvents: [
      (await count(`deliveries where webhook_id = '${webhooks.many}'`)) / 3,
      await noted('redeliverEvents'),
    ],
  }
}

test('the server is killed at random moments, and the log tells what was done and nothing else', async (context) => {
  const data = freshFolder()
  let server = await spawnPosthorn(data, { POSTHORN_WEBHOOK_LIMIT: 'off' })
  after(async () => {
    await server.end('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  })
  const { admin } = server
  await create(admin, 'trial')
  for (const to of ['ana', 'bo', 'cy'])
    await text(admin, { instance: 'trial', to: `${to}@accepts.sandbox` }, 10)
  const newWebhook = async (by = admin) => {
    const { body } = await by.call(createWebhook, { body: { url, events: ['message.queued'] } })
    return body.id
  }
  const [tested, again, many] = [await newWebhook(), await newWebhook(), await newWebhook()]
  for (const webhook of [tested, again, many])
    await admin.call(updateWebhook, { params: { webhook }, body: { paused: true } })
  const delivery = (await admin.call(testWebhook, { params: { webhook: again } })).body.id
  const since = inMs(-3_600_000)
  const acts = [
    (by: CheckedClient) => by.call(testWebhook, { params: { webhook: tested } }),
    (by: CheckedClient) => by.call(redeliver, { params: { webhook: again, delivery } }),
    (by: CheckedClient) =>
      by.call(redeliverEvents, { params: { webhook: many }, body: { since, which: 'all' } }),
    (by: CheckedClient) => {
      const body = { credentials: { token: random().toString(36) } }
      return by.call(replaceCredentials, { params: { name: 'trial' }, body })
    },
    (by: CheckedClient) => newWebhook(by),
  ]
  const busy = new Busy(server, [...acts, ...acts, ...acts])
  for (let kill = 0; kill < kills; kill++) {
    await busy.answered(20 + Math.floor(random() * 80))
    await server.end('SIGKILL')
    server = await spawnPosthorn(data, { POSTHORN_WEBHOOK_LIMIT: 'off' })
    busy.moveTo(server)
  }
  await busy.finish()
  await server.end('SIGTERM')
  const found = await books(data, { again, many })
  context.diagnostic(`seed ${seed}: ${kills} kills, ${JSON.stringify(found)}`)
  for (const [action, [changes, entries]] of Object.entries(found)) {
    assert.ok(Number(changes) > 0, action)
    assert.equal(entries, changes, `entries of ${action} for as many changes`)
  }
})
