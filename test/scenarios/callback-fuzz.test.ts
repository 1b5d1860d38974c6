import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import {
  createInstance,
  getInstanceStatus,
  startInstance,
  stopInstance,
} from '../../src/contract/operations/instance-operations.ts'
import { type Mutation, mutatedBytes, mutatedValues } from '../kit/networks/callback-mutations.ts'
import { eventually, everythingReceived } from '../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../kit/posthorn.ts'
import { randomOf } from '../kit/random.ts'
import { rowsIn } from '../kit/rows.ts'
import { callbackSecret, signatureOf, written } from '../kit/sandbox-callbacks.ts'
import { startWhatsAppCloud, type WhatsAppCloud } from '../simulators/whatsapp-cloud/start-whatsapp-cloud.ts'

/*
 * Whoever knows a callback URL may post anything to it. Nothing is kept that the network did not sign; what it signed may still be
 * anything, and hurts neither the connection nor what comes beside it.
 */

const mutations = Number(process.env.POSTHORN_TEST_CALLBACK_MUTATIONS ?? 2_000)
const seed = Number(process.env.POSTHORN_TEST_SEED ?? Date.now() % 1_000_000)

/** A network whose callbacks are altered. */
interface Fuzzed {
  readonly network: string
  readonly instance: {
    readonly settings: Readonly<Record<string, unknown>>
    readonly credentials: Readonly<Record<string, unknown>>
  }
  /** The settings of the server without which there is no such network here. */
  readonly environment: Readonly<Record<string, string>>
  /** What it really posts, of each kind. */
  genuine(post: string): Promise<readonly Buffer[]>
  /** The headers with which it would post this. */
  headersFor(body: Buffer): Readonly<Record<string, string>>
  /** A text that somebody writes. */
  text(words: string, number: number): Buffer
  stop(): Promise<void>
}

const networks: readonly (() => Promise<Fuzzed>)[] = [sandbox, whatsAppCloud]

async function sandbox(): Promise<Fuzzed> {
  return {
    network: 'sandbox',
    instance: { settings: {}, credentials: { token: callbackSecret } },
    environment: {},
    genuine: async () => ['Good morning', 'Grüße 👋'].map((text) => Buffer.from(written(text))),
    headersFor: (body) => ({ 'x-sandbox-signature': signatureOf(body) }),
    text: (words) => Buffer.from(written(words)),
    stop: async () => {},
  }
}

async function whatsAppCloud(): Promise<Fuzzed> {
  const cloud = await startWhatsAppCloud()
  const { token: access_token, appSecret: app_secret, number } = cloud
  const verify_token = 'a-word-of-our-own'
  return {
    network: 'whatsapp-cloud',
    instance: {
      settings: { phone_number_id: number },
      credentials: { access_token, app_secret, verify_token },
    },
    environment: { POSTHORN_WHATSAPP_CLOUD_API: cloud.url },
    async genuine(callback) {
      await cloud.control('app', { callback, verify_token, subscribe: true })
      return everyKindOf(cloud)
    },
    headersFor: (body) => ({
      'x-hub-signature-256': `sha256=${createHmac('sha256', app_secret).update(body).digest('hex')}`,
    }),
    text: (body, id) =>
      Buffer.from(
        JSON.stringify({
          object: 'whatsapp_business_account',
          entry: [
            {
              id: cloud.waba,
              changes: [
                {
                  field: 'messages',
                  value: {
                    messaging_product: 'whatsapp',
                    metadata: { display_phone_number: cloud.displayPhoneNumber, phone_number_id: number },
                    messages: [
                      {
                        from: '4915112345678',
                        id: `wamid.${id}`,
                        timestamp: '1700000000',
                        type: 'text',
                        text: { body },
                      },
                    ],
                  },
                },
              ],
            },
          ],
        }),
      ),
    stop: () => cloud.stop(),
  }
}

/** What Meta posts when people write, send and do all they can, and when something happens to the account. */
async function everyKindOf(cloud: WhatsAppCloud): Promise<Buffer[]> {
  const { user_id: ana } = await cloud.control('person', { phone: '4915112345678', wrote_ago: 1_000 })
  const id = await cloud.act(ana, { act: 'text', body: 'Are you open? 👋' })
  await cloud.act(ana, { act: 'text', body: 'Are you?', reply_to: id })
  const bytes = Buffer.from('a file').toString('base64')
  for (const [act, mime_type] of [
    ['image', 'image/jpeg'],
    ['document', 'application/pdf'],
    ['voice', 'audio/ogg; codecs=opus'],
    ['sticker', 'image/webp'],
  ] as const)
    await cloud.act(ana, { act, bytes, mime_type, caption: 'Look', filename: 'größe.pdf' })
  await cloud.act(ana, { act: 'location', latitude: 52.5, longitude: 13.4, name: 'Here' })
  await cloud.act(ana, { act: 'reaction', message_id: id, emoji: '👍' })
  await cloud.act(ana, { act: 'edit', message_id: id, body: 'Are you open now?' })
  await cloud.act(ana, { act: 'delete', message_id: id })
  await cloud.act(ana, { act: 'unsupported' })
  await cloud.control('echo', { person: ana, body: 'From the phone' })
  await cloud.control('flood', { count: 3 })
  await cloud.control('announce', {
    field: 'account_update',
    value: {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: '1' }],
    },
  })
  await cloud.act(ana, { act: 'change-number', phone: '4915112345679' })
  return (await cloud.control('webhooks', {})).map(({ body }) => Buffer.from(body))
}

for (const begin of networks) {
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
      return `${server.url}${body.callback_url}`
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

    async function post(to: string, body: Buffer, headers: Readonly<Record<string, string>>) {
      const reply = await fetch(to, { method: 'POST', body: new Uint8Array(body), headers })
      await reply.arrayBuffer()
      return reply.status
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

    test(`${mutations} with a signature of something else are refused, and none is kept`, async (context) => {
      context.diagnostic(`seed ${seed}`)
      const params = { name: 'fuzzed' }
      // What a stopped instance keeps stays where it can be counted.
      await server.admin.call(stopInstance, { params, waitSeconds: 10 })
      const before = await count('messages')
      await times(mutations, async () => {
        const body = choose(genuine)
        const other = mutated(body)
        if (other.equals(body)) return
        assert.equal(await post(url, other, fuzzed.headersFor(body)), 401, other.toString('latin1'))
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
