import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sendMessageBatch } from '../../../src/contract/operations/content-operations.ts'
import { forgetContact, getContact } from '../../../src/contract/operations/conversation-operations.ts'
import { listEvents } from '../../../src/contract/operations/event-operations.ts'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import {
  getMessage,
  getMessageMedia,
  listMessages,
} from '../../../src/contract/operations/message-operations.ts'
import { createWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { kills, seed } from '../../kit/crash/kills.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { eventually } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { randomOf } from '../../kit/random.ts'

/*
 * A person with some hundred messages is forgotten in several steps, each a commit of its own, and the server is killed among them. Until
 * then the receiver of their webhook never answers, so its deliveries are repeated by each server.
 */

const data = freshFolder()
const person = 'mia@replies.sandbox'
const other = 'ben@replies.sandbox'
const sharing = 'zoe@shares-by-reference.sandbox'
const batches = 4
const random = randomOf(seed)
let server: PosthornProcess
let receiver: WebhookReceiver

const start = () => spawnPosthorn(data, { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' })

before(async () => {
  receiver = await WebhookReceiver.start(() => {})
  server = await start()
})
after(async () => {
  await server.end('SIGKILL')
  await receiver.stop()
  rmSync(data, { recursive: true, force: true })
})

async function everyMessageWith(conversation: string): Promise<Message[]> {
  const all: Message[] = []
  for (let cursor: string | undefined; ; ) {
    const query = { instance: 'trial', conversation, limit: 200, ...(cursor !== undefined && { cursor }) }
    const { body } = await server.admin.call(listMessages, { query })
    all.push(...body.data)
    if (body.next_cursor === null) return all
    cursor = body.next_cursor
  }
}

async function everyEvent(): Promise<string> {
  const pages: string[] = []
  for (let after: string | undefined; ; ) {
    const { body } = await server.admin.call(listEvents, { query: { limit: 200, ...(after && { after }) } })
    if (body.data.length === 0) return pages.join('\n')
    pages.push(JSON.stringify(body.data))
    after = body.next_cursor
  }
}

const send = (to: string, words: string, count: number) =>
  server.admin.call(sendMessageBatch, {
    body: {
      messages: Array.from({ length: count }, (_, number) => ({
        ...{ type: 'text' as const, instance: 'trial', to, text: `${words} ${number}` },
      })),
    },
  })

const isForgotten = (address: string) =>
  server.admin.call(getContact, { params: { name: 'trial', address } }).then(
    () => false,
    () => true,
  )

const wholly = (conversation: string, count: number) =>
  eventually(
    'all answers',
    () => everyMessageWith(conversation),
    (messages) => messages.length === count && messages.every(({ status }) => status !== 'queued'),
  )

/** Kills the server whenever some more of the person's messages are empty; returns how often that was in the midst of it. */
async function killAmid(newestFirst: readonly Message[]): Promise<number> {
  let midway = 0
  for (let kill = 0; kill < kills; kill++) {
    const reached = newestFirst[Math.floor((kill * newestFirst.length) / (kills + 1))] as Message
    await eventually(
      'some messages to be emptied',
      async () => (await server.admin.call(getMessage, { params: { id: reached.id } })).body,
      (message) => message.forgotten === true,
    )
    await wait(random() * 30)
    await server.end('SIGKILL')
    server = await start()
    const isDone = await isForgotten(person)
    const messages = await everyMessageWith(person)
    const emptied = messages.filter(({ forgotten }) => forgotten).length
    if (emptied > 0 && emptied < messages.length) midway++
    assert.ok(!isDone || emptied === messages.length, `${emptied} of ${messages.length}`)
  }
  return midway
}

async function assertForgotten(address: string, count: number): Promise<void> {
  const messages = await everyMessageWith(address)
  assert.equal(messages.length, count)
  const left = messages.filter((message) => !message.forgotten || JSON.stringify(message).includes('secret'))
  assert.deepEqual(left, [])
}

test('over kills, a person is forgotten wholly, and others stay', async (context) => {
  await server.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
  for (let batch = 0; batch < batches; batch++) await send(person, 'secret', 100)
  await send(other, 'kept', 20)
  await send(sharing, 'file-secret', 3)
  const all = batches * 100 * 2 + 10
  await wholly(person, all - 10)
  await wholly(other, 40)
  const files = (await wholly(sharing, 6)).filter(({ direction }) => direction === 'inbound')
  // Events from here on are for a receiver that does not answer.
  await server.admin.call(createWebhook, { body: { url: receiver.url } })
  await send(person, 'secret', 5)
  const newestFirst = await wholly(person, all)
  await receiver.until('a first attempt', (received) => received.length > 0)

  const people = [person, sharing]
  for (const address of people) await server.admin.call(forgetContact, { params: { name: 'trial', address } })
  const midway = await killAmid(newestFirst)
  for (const address of people)
    await eventually('the end of forgetting', () => isForgotten(address), Boolean, 60_000)

  await assertForgotten(person, all)
  await assertForgotten(sharing, 6)
  for (const { id } of files) {
    const { problem } = await problemOf(server.admin.call(getMessageMedia, { params: { id } }))
    assert.ok(problem.status === 404 || problem.status === 410, problem.code)
  }
  const kept = await everyMessageWith(other)
  assert.ok(kept.every(({ text, forgotten }) => text?.startsWith('kept') && !forgotten))
  const events = await everyEvent()
  assert.ok(!events.includes('secret') && events.includes('kept'))

  await server.end('SIGKILL')
  const before = receiver.received.length
  receiver.answer = (_, response) => response.writeHead(204).end()
  server = await start()
  await receiver.until('what waited', (received) => received.length >= before + 5)
  const late = receiver.received.slice(before).map(({ body }) => body)
  assert.deepEqual(
    late.filter((body) => body.includes('secret')),
    [],
  )
  context.diagnostic(`seed ${seed}: ${kills} kills, ${midway} of them in the midst of it`)
})
