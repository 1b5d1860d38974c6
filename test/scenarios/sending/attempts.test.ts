import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import { listAttempts, listSteps } from '../../../src/contract/operations/message-history-operations.ts'
import { cancelMessage, listMessages } from '../../../src/contract/operations/message-operations.ts'
import type { MessageAttempt } from '../../../src/contract/resources/message-history.ts'
import { databaseFor } from '../../kit/database.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { create, eventually, reaches, text } from '../../kit/play.ts'
import {
  freshFolder,
  type Posthorn,
  type PosthornProcess,
  spawnPosthorn,
  startPosthorn,
} from '../../kit/posthorn.ts'

/* The life of one message as a caller can see it: its attempts, and its steps. */

const attemptsOf = async (client: CheckedClient, id: string) =>
  (await client.call(listAttempts, { params: { id } })).body.data
const stepsOf = async (client: CheckedClient, id: string) =>
  (await client.call(listSteps, { params: { id } })).body.data

const outcomes = (attempts: readonly MessageAttempt[]) =>
  attempts.map(({ outcome, error }) => (error === null ? outcome : `${outcome}: ${error.code}`))

/** Every time that is known of the attempts must follow from one to the next. */
function assertInOrder(attempts: readonly MessageAttempt[]): void {
  assert.deepEqual(
    attempts.map(({ number }) => number),
    attempts.map((_, index) => index + 1),
  )
  const times = attempts.flatMap(({ started_at, ended_at, next_attempt_at }) => [
    started_at ?? assert.fail('it is not known when an attempt began'),
    ...[ended_at, next_attempt_at].filter((time) => time !== null),
  ])
  assert.deepEqual(times, times.toSorted())
}

/** False if a message could not be canceled because it is being sent. */
function isTooLate(error: unknown): false {
  if (error instanceof ProblemError && error.problem.code === 'message_not_cancelable') return false
  throw error
}

describe('on a server that runs', () => {
  let posthorn: Posthorn

  before(async () => {
    posthorn = await startPosthorn()
    await create(posthorn.admin, 'trial')
    await create(posthorn.admin, 'limited')
  })
  after(() => posthorn.stop())

  const plays = [
    { behaviour: 'delivers', attempts: ['accepted'], steps: ['sent', 'delivered'] },
    {
      behaviour: 'refuses-twice',
      attempts: ['rejected: recipient_busy', 'rejected: recipient_busy', 'accepted'],
      steps: ['sent', 'delivered'],
    },
    { behaviour: 'defers', attempts: ['deferred: slow_down', 'accepted'], steps: ['sent', 'delivered'] },
    {
      behaviour: 'limits-account',
      instance: 'limited',
      attempts: ['deferred: too_many_messages', 'accepted'],
      steps: ['sent', 'delivered'],
    },
    { behaviour: 'loses', attempts: ['uncertain', 'accepted'], steps: ['sent', 'delivered'] },
    { behaviour: 'refuses', attempts: ['rejected: message_refused'], steps: ['failed'] },
    { behaviour: 'returns', attempts: ['accepted'], steps: ['sent', 'failed'] },
  ] as const

  describe('a message to', { concurrency: true }, () => {
    for (const { behaviour, attempts, steps, ...rest } of plays) {
      test(`${behaviour}: ${attempts.join(', ')}; then ${steps.join(', ')}`, async () => {
        const { admin } = posthorn
        const { instance } = { instance: 'trial', ...rest }
        const { id } = await text(admin, { instance, to: `ana@${behaviour}.sandbox` })
        const message = await reaches(admin, id, steps.at(-1) ?? 'sent')
        const made = await attemptsOf(admin, id)
        assert.deepEqual(outcomes(made), attempts)
        assertInOrder(made)
        assert.deepEqual(
          made.map(({ next_attempt_at }) => next_attempt_at !== null),
          made.map((_, index) => index < made.length - 1),
        )
        const lived = await stepsOf(admin, id)
        assert.deepEqual(
          lived.map(({ status, error }) => [status, error]),
          ['queued', 'sending', ...steps].map((status) => [
            status,
            status === 'failed' ? message.error : null,
          ]),
        )
        const times = lived.map(({ at }) => at ?? assert.fail('it is not known when'))
        assert.deepEqual(times, times.toSorted())
        assert.deepEqual([times[0], times[1]], [message.created_at, made[0]?.started_at])
        if (message.sent_at !== null) assert.equal(made.at(-1)?.ended_at, message.sent_at)
      })
    }

    test('nobody who answers: the attempt is underway', async () => {
      const { admin } = posthorn
      const { id } = await text(admin, { instance: 'trial', to: 'ana@stuck.sandbox' })
      await reaches(admin, id, 'sending')
      const [attempt, ...others] = await attemptsOf(admin, id)
      assert.deepEqual([attempt?.outcome, attempt?.ended_at, others], ['underway', null, []])
      assert.notEqual(attempt?.started_at, null)
    })

    test('somebody busy, until it is canceled: refused for now, and no attempt follows', async () => {
      const { admin } = posthorn
      const { id } = await text(admin, { instance: 'trial', to: 'ana@busy.sandbox' })
      assert.deepEqual(await stepsOf(admin, id).then((steps) => steps[0]?.status), 'queued')
      const isRefused = ([first]: readonly MessageAttempt[]) => first?.outcome === 'rejected'
      const [refused] = await eventually('a refusal', () => attemptsOf(admin, id), isRefused)
      assert.equal(refused?.error?.permanent, false)
      // The next attempt may be under way: then the order is refused, and is given again.
      const cancel = () => admin.call(cancelMessage, { params: { id } }).then(() => true, isTooLate)
      await eventually('a moment between two attempts', cancel, Boolean)
      assert.deepEqual(
        (await stepsOf(admin, id)).map(({ status }) => status),
        ['queued', 'sending', 'canceled'],
      )
    })
  })

  test('a message that came in has no attempts, and one step', async () => {
    const { admin } = posthorn
    await text(admin, { instance: 'trial', to: 'ana@replies.sandbox' })
    const answers = async () =>
      (
        await admin.call(listMessages, {
          query: { direction: 'inbound', conversation: 'ana@replies.sandbox' },
        })
      ).body.data
    const [answer] = await eventually('an answer', answers, ({ length }) => length > 0)
    const { id, created_at } = answer ?? assert.fail()
    assert.deepEqual(await attemptsOf(admin, id), [])
    assert.deepEqual(await stepsOf(admin, id), [{ status: 'received', at: created_at, error: null }])
  })

  test('another organization learns nothing of it', async () => {
    const { id } = await text(posthorn.admin, { instance: 'trial', to: 'ana@accepts.sandbox' })
    await posthorn.createOrganization('neighbour')
    const { key } = await posthorn.createKey('neighbour', 'admin')
    for (const ask of [attemptsOf, stepsOf])
      await assert.rejects(
        ask(posthorn.client(key), id),
        (error) => error instanceof ProblemError && error.problem.code === 'message_not_found',
      )
  })
})

test('an attempt that was under way when the server was killed is uncertain, and repeated', async () => {
  const data = freshFolder()
  let server: PosthornProcess | undefined
  try {
    const start = async () => spawnPosthorn(data, await databaseFor(data))
    server = await start()
    await create(server.admin, 'trial')
    const { id } = await text(server.admin, { instance: 'trial', to: 'ana@slow.sandbox' })
    await reaches(server.admin, id, 'sending')
    const [begun] = await attemptsOf(server.admin, id)
    await server.end('SIGKILL')
    server = await start()
    await reaches(server.admin, id, 'delivered')
    const attempts = await attemptsOf(server.admin, id)
    assert.deepEqual(outcomes(attempts), ['uncertain', 'accepted'])
    assertInOrder(attempts)
    assert.equal(attempts[0]?.started_at, begun?.started_at)
  } finally {
    await server?.end('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  }
})
