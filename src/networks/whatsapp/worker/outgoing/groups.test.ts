import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GroupMetadata } from 'baileys'
import { Groups } from './groups.ts'

/** A socket whose questions are answered by hand. */
function socket() {
  const questions: PromiseWithResolvers<GroupMetadata>[] = []
  const groupMetadata = () => {
    const question = Promise.withResolvers<GroupMetadata>()
    questions.push(question)
    return question.promise
  }
  const answer = (subject: string) => questions.at(-1)?.resolve({ id: 'market', subject } as GroupMetadata)
  return { groupMetadata, questions, answer }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a group is asked for once, until it is forgotten or is to be fresh', async () => {
  const groups = new Groups()
  const sock = socket()
  for (const [fresh, subject] of [
    [false, 'first'],
    [true, 'second'],
  ] as const) {
    const asked = groups.of(sock, 'market', fresh)
    sock.answer(subject)
    assert.equal((await asked).subject, subject)
    assert.equal((await groups.of(sock, 'market')).subject, subject)
  }
  groups.forget('another')
  assert.equal((await groups.of(sock, 'market')).subject, 'second')
  groups.forget('market')
  void groups.of(sock, 'market')
  assert.equal(sock.questions.length, 3)
})

test('an answer to what was asked before the group changed is not kept, and the group is asked for again', async () => {
  const groups = new Groups()
  const sock = socket()
  const asked = groups.of(sock, 'market')
  groups.forget('market')
  sock.answer('before')
  await turn()
  sock.answer('after')
  assert.equal((await asked).subject, 'after')
  assert.equal((await groups.of(sock, 'market')).subject, 'after')
  assert.equal(sock.questions.length, 2)
})

test('a group that changes without end is asked for three times, and none of the answers is kept', async () => {
  const groups = new Groups()
  const sock = socket()
  const asked = groups.of(sock, 'market')
  for (const subject of ['first', 'second', 'third']) {
    groups.forget('market')
    sock.answer(subject)
    await turn()
  }
  assert.equal((await asked).subject, 'third')
  void groups.of(sock, 'market')
  assert.equal(sock.questions.length, 4)
})

test('a question that fails leaves nothing behind', async () => {
  const groups = new Groups()
  const sock = socket()
  const asked = groups.of(sock, 'market')
  sock.questions.at(-1)?.reject(new Error('forbidden'))
  await assert.rejects(asked, /forbidden/)
  const again = groups.of(sock, 'market')
  sock.answer('there')
  assert.equal((await again).subject, 'there')
})
