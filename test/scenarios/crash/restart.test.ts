import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  createInstance,
  deleteInstance,
  getInstance,
  getInstanceStatus,
  listInstances,
} from '../../../src/contract/operations/instance-operations.ts'
import { getMessage, sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import type { Driver } from '../../../src/networks/driver/driver.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'
import { create, eventually, reaches, readTranscript, text } from '../../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

let folder: string

before(() => {
  folder = freshFolder()
})

after(() => rmSync(folder, { recursive: true, force: true }))

/** Sends texts to one recipient, one after the other, over restarts, until it is told to end. */
class Sender {
  readonly accepted: Message[] = []
  readonly #instance: string
  readonly #to: string
  #ending = false
  readonly #posthorn: () => Promise<Posthorn>
  readonly done: Promise<void>

  constructor(posthorn: () => Promise<Posthorn>, instance: string, to: string) {
    this.#posthorn = posthorn
    this.#instance = instance
    this.#to = to
    this.done = this.#work()
  }

  end(): Promise<void> {
    this.#ending = true
    return this.done
  }

  async #work(): Promise<void> {
    for (let count = 0; !this.#ending; count++) {
      const words = `${this.#to} ${count}`
      while (!(await this.#send(words))) await new Promise(setImmediate)
    }
  }

  /** Repeats the same request with the same key, as a careful caller does, when no answer comes. */
  async #send(words: string): Promise<boolean> {
    const { admin } = await this.#posthorn()
    const body = { instance: this.#instance, to: this.#to, text: words }
    const options = { body, idempotencyKey: Buffer.from(words).toString('hex') }
    try {
      this.accepted.push((await admin.call(sendTextMessage, options)).body)
      return true
    } catch {
      return false
    }
  }
}

test('graceful restarts under load lose nothing, double nothing and keep the order', async () => {
  const transcript = join(folder, 'transcript.jsonl')
  const environment = { POSTHORN_SANDBOX_TRANSCRIPT: transcript, POSTHORN_STOP_SECONDS: '5' }
  const start = () => startPosthorn({ data: join(folder, 'data'), environment })
  const names = ['one', 'two', 'three']
  let posthorn = start()
  for (const name of names) await create((await posthorn).admin, name)
  const senders = names.flatMap((name) =>
    ['delivers', 'slow-500ms', 'uncertain', 'loses', 'refuses-twice'].map(
      (behaviour) => new Sender(() => posthorn, name, `${name}-${behaviour}@${behaviour}.sandbox`),
    ),
  )
  for (let restart = 0; restart < 3; restart++) {
    await eventually(
      'some load',
      async () => senders.map(({ accepted }) => accepted.length),
      (counts) => {
        return counts.every((count) => count >= 20 * (restart + 1))
      },
    )
    const old = await posthorn
    posthorn = old.stop().then(start)
    const { admin } = await posthorn
    for (const name of names)
      await eventually(
        `${name} connected`,
        async () => (await admin.call(getInstance, { params: { name } })).body,
        (now) => now.status === 'connected',
      )
  }
  await Promise.all(senders.map((sender) => sender.end()))
  const quick = senders.filter(({ accepted }) => !/refuses-twice|slow/.test(accepted[0]?.to ?? ''))
  const { admin } = await posthorn
  for (const { accepted } of quick) await reaches(admin, accepted.at(-1)?.id ?? '', 'delivered')
  await (await posthorn).stop()

  const lines = readTranscript(transcript)
  for (const { accepted } of senders) {
    const to = accepted[0]?.to
    const ids = lines.flatMap((line) => (line.to === to ? [line.id] : []))
    const seen = [...new Set(ids)]
    const wanted = accepted.map((message) => message.network_message_id)
    assert.equal(new Set(wanted).size, wanted.length)
    assert.deepEqual(seen, wanted.slice(0, seen.length), `${to} saw every message once, in order`)
    if (quick.some((sender) => sender.accepted === accepted)) assert.equal(seen.length, wanted.length)
  }
})

test('right after a restart no status says connected before it is', async () => {
  const data = join(folder, 'again')
  const first = await startPosthorn({ data })
  const names = Array.from({ length: 20 }, (_, index) => `team-${index}`)
  const settings = { after_seconds: 1 }
  await Promise.all(names.map((name) => create(first.admin, name, settings)))
  await first.stop()

  const stopped = Date.now()
  const second = await startPosthorn({ data })
  try {
    const { body } = await second.admin.call(listInstances, { query: {} })
    assert.equal(body.data.length, names.length)
    for (const { name, status, sendable, status_since, last_verified_at } of body.data) {
      assert.deepEqual([name, status, sendable], [name, 'connecting', false])
      assert.ok(Date.parse(status_since) >= stopped)
      assert.ok(Date.parse(last_verified_at ?? '') < stopped)
    }
    for (const name of names) {
      const read = async () => (await second.admin.call(getInstanceStatus, { params: { name } })).body
      const now = await eventually(`${name} connected`, read, ({ status }) => status === 'connected')
      assert.ok(Date.parse(now.last_verified_at ?? '') >= stopped)
    }
  } finally {
    await second.stop()
  }
})

test('a message that is stuck does not keep the server from stopping, and is taken up again', async () => {
  const data = join(folder, 'stuck')
  const environment = { POSTHORN_STOP_SECONDS: '1' }
  const first = await startPosthorn({ data, environment })
  await create(first.admin, 'trial')
  const { id } = await text(first.admin, { instance: 'trial', to: 'a@stuck.sandbox' })
  await reaches(first.admin, id, 'sending')
  await first.stop()
  const second = await startPosthorn({ data, environment })
  const read = async () => (await second.admin.call(getMessage, { params: { id } })).body
  const message = await eventually('a second attempt', read, ({ attempts }) => attempts === 2)
  assert.equal(message.status, 'sending')
  await second.stop()
})

test('instances whose network this server no longer speaks can be removed, with what they had queued', async () => {
  const data = join(folder, 'driverless')
  const environment = { POSTHORN_STOP_SECONDS: '1' }
  // Its removals are never confirmed.
  const gone: Driver = { ...sandbox(), network: 'gone', removal: { isNeeded: () => true } }
  const first = await startPosthorn({ data, environment, drivers: [sandbox(), gone] })
  for (const name of ['kept', 'leaving'])
    await first.admin.call(createInstance, { body: { name, network: 'gone' }, waitSeconds: 20 })
  const sent = await text(first.admin, { instance: 'kept', to: 'a@stuck.sandbox' })
  await reaches(first.admin, sent.id, 'sending')
  const queued = await text(first.admin, { instance: 'kept', to: 'a@stuck.sandbox' })
  const params = { name: 'leaving' }
  const leaving = first.admin.call(deleteInstance, { params })
  const read = async () => (await first.admin.call(getInstance, { params })).body
  await eventually('a removal that goes on', read, ({ status }) => status === 'deleting')
  await first.stop()
  assert.equal((await leaving).status, 202)

  const second = await startPosthorn({ data })
  const { admin } = second
  try {
    assert.equal((await admin.call(deleteInstance, { params: { name: 'kept' } })).status, 204)
    await eventually(
      'nothing to be left',
      async () => (await admin.call(listInstances)).body.data,
      (left) => left.length === 0,
    )
    await reaches(admin, queued.id, 'canceled')
    await reaches(admin, sent.id, 'unknown')
  } finally {
    await second.stop()
  }
})
