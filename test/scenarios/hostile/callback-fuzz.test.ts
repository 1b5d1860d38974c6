import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import {
  createInstance,
  getInstanceStatus,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { type Mutation, mutatedBytes, mutatedValues } from '../../kit/networks/callback-mutations.ts'
import { type Fuzzed, fuzzedNetworks } from '../../kit/networks/fuzzed-networks.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { randomOf } from '../../kit/random.ts'
import { rowsIn } from '../../kit/rows.ts'
import { callbackSecret, signatureOf, written } from '../../kit/sandbox-callbacks.ts'

/*
 * Posts to a callback URL, which may be known to an attacker. Nothing is kept that the network did not sign; a signed body
 * may still be anything, and hurts neither the connection nor the callbacks beside it.
 */

const mutations = Number(process.env.POSTHORN_TEST_CALLBACK_MUTATIONS ?? 2_000)
const seed = Number(process.env.POSTHORN_TEST_SEED ?? Date.now() % 1_000_000)

for (const begin of fuzzedNetworks) {
  describe(`altered callbacks of ${begin.name}`, () => {
    const random = randomOf(seed)
    const data = freshFolder()
    let fuzzed: Fuzzed
    let server: PosthornProcess
    let genuine: readonly Buffer[]
    let url: string
    let neighbour: string

    before(async () => {
      fuzzed = await begin()
      server = await spawnPosthorn(data, {
        ...fuzzed.environment,
        POSTHORN_CALLBACK_RATE: 'off',
        POSTHORN_ADDRESS_RATE: 'off',
        POSTHORN_LOG_LEVEL: 'error',
      })
      url = await create('fuzzed', fuzzed.network, fuzzed.instance)
      neighbour = await create('neighbour', 'sandbox', {
        settings: {},
        credentials: { token: callbackSecret },
      })
      genuine = await fuzzed.genuine(url)
      await drained()
    })
    after(async () => {
      assert.equal(await server?.end('SIGTERM'), 0, 'the process lived to its end')
      await fuzzed?.stop()
      rmSync(data, { recursive: true, force: true })
    })

    async function create(name: string, network: string, rest: Fuzzed['instance']): Promise<string> {
      const { body } = await server.admin.call(createInstance, {
        body: { name, network, ...rest },
        waitSeconds: 20,
      })
      assert.equal(body.status, 'connected', JSON.stringify(body.reason))
      return server.url + new URL(body.callback_url ?? '', server.url).pathname
    }

    const count = async (table: 'callbacks' | 'messages') =>
      Number((await rowsIn<{ count: number }>(data, `select count(*) as count from ${table}`))[0]?.count)

    /** Nothing waits any longer. */
    async function drained(): Promise<void> {
      for (let left = await count('callbacks'); left > 0; left = await count('callbacks'))
        await eventually(
          'fewer callbacks to wait',
          () => count('callbacks'),
          (now) => now < left,
        )
    }

    /** Posts it, and again, as a network does, after each time that too many waited; returns the status. */
    async function post(
      to: string,
      body: Buffer,
      headers: Readonly<Record<string, string>>,
    ): Promise<number> {
      for (;;) {
        const reply = await fetch(to, { method: 'POST', body: new Uint8Array(body), headers })
        const answer = await reply.text()
        if (reply.status !== 503 || !answer.includes('"callback_not_accepted"')) return reply.status
        const waiting = await count('callbacks')
        await eventually(
          'room for a callback',
          () => count('callbacks'),
          (now) => now < waiting || now === 0,
        )
      }
    }

    const choose = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T
    const mutated = (body: Buffer) => choose<Mutation>([mutatedBytes, mutatedValues])(body, random)

    /** So many posts, eight at a time. */
    async function times(total: number, one: (index: number) => Promise<void>): Promise<void> {
      let next = 0
      const poster = async () => {
        while (next < total) await one(next++)
      }
      await Promise.all(Array.from({ length: 8 }, poster))
    }

    test(`${mutations / 4} with a signature of something else are refused, and none is kept`, async (context) => {
      context.diagnostic(`seed ${seed}`)
      const params = { name: 'fuzzed' }
      // The callbacks that a stopped instance keeps can be counted.
      await server.admin.call(stopInstance, { params, waitSeconds: 10 })
      const before = await count('messages')
      await times(mutations / 4, async () => {
        const body = choose(genuine)
        const other = mutated(body)
        if (other.equals(body)) return
        assert.equal(await post(url, other, fuzzed.seenWith(body)), 401, other.toString('latin1'))
      })
      assert.equal(await count('callbacks'), 0)
      await server.admin.call(startInstance, { params, waitSeconds: 10 })
      assert.equal(await count('messages'), before)
    })

    test(`${mutations / 5} that are signed as they are hurt nobody, and hold nothing up`, async (context) => {
      const before = (await server.admin.call(getInstanceStatus, { params: { name: 'fuzzed' } })).body
      const answers = new Map<number, number>()
      const expected: string[] = []
      await times(mutations / 5, async (index) => {
        const body = mutated(choose(genuine))
        const status = await post(url, body, fuzzed.headersFor(body))
        answers.set(status, (answers.get(status) ?? 0) + 1)
        if (index % 20 !== 0) return
        const text = `Genuine ${index}`
        expected.push(text)
        const between = fuzzed.text(text, index)
        assert.equal(await post(url, between, fuzzed.headersFor(between)), 200)
        const beside = Buffer.from(written(text))
        assert.equal(await post(neighbour, beside, { 'x-sandbox-signature': signatureOf(beside) }), 200)
      })
      assert.deepEqual(
        [...answers.keys()].filter((status) => status !== 200 && status !== 400),
        [],
      )
      await drained()
      for (const name of ['fuzzed', 'neighbour']) {
        const texts = (await everythingReceived(server.admin, name)).map(({ text }) => text ?? '')
        const came = texts.filter((text) => text.startsWith('Genuine '))
        assert.deepEqual(came.toSorted(), expected.toSorted(), `each text came to ${name} once`)
      }
      const now = (await server.admin.call(getInstanceStatus, { params: { name: 'fuzzed' } })).body
      assert.deepEqual([now.status, now.connected_at], ['connected', before.connected_at])
      context.diagnostic(`seed ${seed}: ${JSON.stringify(Object.fromEntries(answers))}`)
    })
  })
}
