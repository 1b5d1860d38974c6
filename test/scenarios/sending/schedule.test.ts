import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import { startInstance, stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import {
  cancelMessage,
  getMessage,
  listMessages,
} from '../../../src/contract/operations/message-operations.ts'
import type { TranscriptLine } from '../../../src/networks/sandbox/people/far-end.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { create, eventually, inMs, reaches, startObserved, text } from '../../kit/play.ts'
import type { Posthorn } from '../../kit/posthorn.ts'

let posthorn: Posthorn
let transcript: () => TranscriptLine[]

before(async () => {
  const observed = await startObserved({ environment: { POSTHORN_STOP_SECONDS: '1' } })
  posthorn = observed.posthorn
  transcript = observed.transcript
  await create(posthorn.admin, 'trial')
})

after(() => posthorn.stop())

const to = 'ana@delivers.sandbox'

function arrivalOf(message: { network_message_id: string | null }): TranscriptLine | undefined {
  return transcript().find(({ id }) => id === message.network_message_id)
}

/** Cancels a message to a busy recipient, once it waits for its next attempt. While one is under way, that is too late. */
async function canceledBetweenAttempts(id: string) {
  const read = async () => (await posthorn.admin.call(getMessage, { params: { id } })).body
  await eventually('the recipient to be busy', read, ({ error }) => error?.code === 'recipient_busy')
  return posthorn.admin.call(cancelMessage, { params: { id } })
}

async function stopped(name: string): Promise<void> {
  await create(posthorn.admin, name)
  await posthorn.admin.call(stopInstance, { params: { name } })
}

describe('a message with a time to be sent', { concurrency: true }, () => {
  test('is sent then, and not before', async () => {
    const send_at = inMs(700)
    const message = await text(posthorn.admin, { instance: 'trial', to, send_at }, 10)
    assert.ok(['sent', 'delivered'].includes(message.status))
    assert.equal(message.send_at, send_at)
    assert.ok((arrivalOf(message)?.at ?? 0) >= Date.parse(send_at))
  })

  test('is sent at once if that is just past', async () => {
    const message = await text(posthorn.admin, { instance: 'trial', to, send_at: inMs(-10_000) }, 10)
    assert.ok(['sent', 'delivered'].includes(message.status))
  })

  test('is refused if that is long past', async () => {
    const body = { instance: 'trial', to, send_at: '2020-01-01T00:00:00Z' }
    const { code, problem } = await problemOf(text(posthorn.admin, body))
    assert.equal(code, 'invalid_request')
    assert.match(problem.detail, /`\/send_at`: The time is more than a minute in the past/)
  })

  test('many with one time and one recipient are sent in the order in which they were accepted', async () => {
    const punctual = 'punctual@delivers.sandbox'
    const send_at = inMs(500)
    const ids: string[] = []
    for (let index = 0; index < 10; index++) {
      const body = { instance: 'trial', to: punctual, text: String(index), send_at }
      ids.push((await text(posthorn.admin, body)).id)
    }
    for (const id of ids) await reaches(posthorn.admin, id, 'delivered')
    const seen = transcript().flatMap((line) => (line.to === punctual ? [line.text] : []))
    assert.deepEqual(seen, [...ids.keys()].map(String))
  })
})

describe('a message on a stopped instance', { concurrency: true }, () => {
  test('waits, and leaves when it is started', async () => {
    await stopped('pausing')
    const message = await text(posthorn.admin, { instance: 'pausing', to })
    await posthorn.admin.call(startInstance, { params: { name: 'pausing' }, waitSeconds: 10 })
    await reaches(posthorn.admin, message.id, 'delivered')
  })

  test('expires when its time is over, and is never sent afterwards', async () => {
    await stopped('resting')
    const message = await text(posthorn.admin, { instance: 'resting', to, expires_at: inMs(600) }, 10)
    assert.deepEqual([message.status, message.attempts, message.error], ['expired', 0, null])
    await posthorn.admin.call(startInstance, { params: { name: 'resting' }, waitSeconds: 10 })
    const next = await text(posthorn.admin, { instance: 'resting', to }, 10)
    assert.ok(arrivalOf(next))
    assert.equal(arrivalOf(message), undefined)
  })

  test('expires even if it was to be sent later', async () => {
    await stopped('sleeping')
    const times = { send_at: inMs(300), expires_at: inMs(700) }
    const message = await text(posthorn.admin, { instance: 'sleeping', to, ...times }, 10)
    assert.deepEqual([message.status, message.attempts], ['expired', 0])
  })
})

describe('a cancellation', () => {
  test('takes back what waits for its time; it is never sent; and a second one answers the same', async () => {
    const { admin } = posthorn
    const message = await text(admin, { instance: 'trial', to, send_at: inMs(800) })
    const { body: first } = await admin.call(cancelMessage, { params: { id: message.id } })
    const { body: second } = await admin.call(cancelMessage, { params: { id: message.id } })
    assert.equal(first.status, 'canceled')
    assert.deepEqual(second, first)
    const later = await text(admin, { instance: 'trial', to, send_at: inMs(900) }, 10)
    assert.ok(arrivalOf(later))
    assert.equal(arrivalOf(message), undefined)
    const { body: last } = await admin.call(getMessage, { params: { id: message.id } })
    assert.deepEqual(last, first)
  })

  test('ends the waiting of whoever sent it', async () => {
    const { admin } = posthorn
    const client_ref = 'taken-back'
    const waiting = text(admin, { instance: 'trial', to, send_at: inMs(60_000), client_ref }, 30)
    for (let id: string | undefined; id === undefined; ) {
      const { body } = await admin.call(listMessages, { query: { client_ref } })
      id = body.data[0]?.id
      if (id) await admin.call(cancelMessage, { params: { id } })
    }
    assert.equal((await waiting).status, 'canceled')
  })

  test('of the message at the head lets the next one go', async () => {
    const { admin } = posthorn
    const busy = 'ana@busy.sandbox'
    const head = await text(admin, { instance: 'trial', to: busy })
    const next = await text(admin, { instance: 'trial', to: busy })
    const { body } = await canceledBetweenAttempts(head.id)
    assert.deepEqual([body.status, body.error?.code], ['canceled', 'recipient_busy'])
    await canceledBetweenAttempts(next.id)
  })

  const tooLate = [
    ['sent', 'ana@accepts.sandbox', 'sent'],
    ['failed', 'ana@refuses.sandbox', 'failed'],
    ['under way', 'ana@stuck.sandbox', 'sending'],
    ['perhaps sent', 'ana@never-certain.sandbox', 'sending'],
  ] as const
  for (const [name, address, status] of tooLate) {
    test(`is refused for a message that is ${name}`, async () => {
      const { admin } = posthorn
      const { id } = await text(admin, { instance: 'trial', to: address })
      await reaches(admin, id, status)
      await assert.rejects(
        admin.call(cancelMessage, { params: { id } }),
        (error) =>
          error instanceof ProblemError && error.code === 'message_not_cancelable' && error.status === 409,
      )
    })
  }
})
