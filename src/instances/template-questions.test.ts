import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TemplateQuestion, TemplatesAnswer } from '../networks/driver/abilities/templates.ts'
import type { DriverConnection } from '../networks/driver/connection.ts'
import { TemplateQuestions } from './template-questions.ts'

const listed = { kind: 'listed', templates: [], next: null } as const

/** A network that answers when the play says so, and a clock that rings when it does. */
function stage() {
  const rings: { ring: () => void; canceled: boolean }[] = []
  const alarms = {
    in(_delay: number, ring: () => void) {
      const alarm = { ring, canceled: false }
      rings.push(alarm)
      return {
        cancel() {
          alarm.canceled = true
        },
      }
    },
  }
  const asked: { question: TemplateQuestion; answer: (answer: TemplatesAnswer) => void }[] = []
  const listTemplates = (question: TemplateQuestion) =>
    new Promise<TemplatesAnswer>((answer) => asked.push({ question, answer }))
  const questions = new TemplateQuestions(alarms)
  const { signal } = new AbortController()
  const ask = (instance: string, given: AbortSignal = signal) =>
    questions.ask(instance, { listTemplates } as unknown as DriverConnection, {
      limit: 1,
      after: null,
      signal: given,
    })
  return { rings, asked, ask, questions, signal }
}

test('one question at a time for each instance, and others are not held up', async () => {
  const { asked, ask, rings } = stage()
  const [first, other] = [ask('inst_1'), ask('inst_2')]
  assert.equal((await ask('inst_1')).kind, 'busy')
  assert.equal(asked.length, 2)
  for (const { answer } of asked) answer(listed)
  assert.deepEqual([await first, await other], [listed, listed])
  assert.ok(rings.every(({ canceled }) => canceled))
  const again = ask('inst_1')
  asked.at(-1)?.answer(listed)
  assert.deepEqual(await again, listed)
})

test('a network that never answers is given up, and the next question may be asked', async () => {
  const { asked, ask, rings } = stage()
  const first = ask('inst_1')
  rings[0]?.ring()
  assert.equal((await first).kind, 'unanswered')
  assert.ok(asked[0]?.question.signal.aborted, 'the driver is told')
  void ask('inst_1')
  assert.equal(asked.length, 2)
})

test('whoever hangs up gives the turn away, even if the driver does not listen', async () => {
  const { asked, ask } = stage()
  const leaving = new AbortController()
  const first = ask('inst_1', leaving.signal)
  leaving.abort()
  assert.equal((await first).kind, 'unanswered')
  void ask('inst_1')
  assert.equal(asked.length, 2)
})

test('a driver that throws gives the turn back', async () => {
  const { questions, signal, ask, asked } = stage()
  const broken = {
    listTemplates: () => Promise.reject(new Error('a mistake')),
  } as unknown as DriverConnection
  await assert.rejects(questions.ask('inst_1', broken, { limit: 1, after: null, signal }), /a mistake/)
  void ask('inst_1')
  assert.equal(asked.length, 1)
})

test('without a connection, nobody is asked', async () => {
  const { questions, signal } = stage()
  const answer = await questions.ask('inst_1', undefined, { limit: 1, after: null, signal })
  assert.equal(answer.kind, 'unanswered')
})
