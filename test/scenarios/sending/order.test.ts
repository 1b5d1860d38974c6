import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import type { TranscriptLine } from '../../../src/networks/sandbox/people/far-end.ts'
import { create, reaches, startObserved, text } from '../../kit/play.ts'
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

function people(behaviour: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `person-${index}@${behaviour}.sandbox`)
}

/** Returns the messages that each recipient saw, in the order in which they came; a repetition shows nothing new. */
function seenBy(to: string): string[] {
  return transcript().flatMap((line) => (line.to === to && !line.repeat ? [line.text] : []))
}

const rounds = 20
const texts = Array.from({ length: rounds }, (_, round) => `text ${round}`)

test('1,000 messages to 50 recipients, of whom 10 do not answer: all others get theirs, in order', async () => {
  const { admin } = posthorn
  const healthy = [...people('delivers', 25), ...people('uncertain', 10), ...people('loses', 5)]
  const ill = [...people('stuck', 5), ...people('busy', 5)]
  let last: Message[] = []
  const first: Message[] = []
  for (const words of texts) {
    const round = [...healthy, ...ill].map((to) => text(admin, { instance: 'trial', to, text: words }))
    last = await Promise.all(round)
    if (first.length === 0) first.push(...last)
  }
  for (const { id, conversation: to } of last) if (healthy.includes(to)) await reaches(admin, id, 'delivered')
  for (const to of healthy) assert.deepEqual(seenBy(to), texts, to)

  for (const { id, conversation: to } of last) {
    if (healthy.includes(to)) continue
    const { body } = await admin.call(getMessage, { params: { id } })
    assert.deepEqual(
      [body.status, body.attempts],
      ['queued', 0],
      'nobody overtakes a message that is in trouble',
    )
  }
  for (const { id, conversation: to } of first) {
    if (healthy.includes(to)) continue
    const { body } = await admin.call(getMessage, { params: { id } })
    assert.equal(body.status, 'sending')
  }
  const waiting = first.filter(({ conversation }) => ill.includes(conversation))
  const { body } = await admin.call(getInstance, { params: { name: 'trial' } })
  assert.equal(body.queue.depth, ill.length * rounds)
  assert.equal(body.queue.oldest_at, waiting.map(({ created_at }) => created_at).toSorted()[0])
})

test('a message that is tried again keeps its place before those that were accepted after it', async () => {
  const { admin } = posthorn
  const to = 'patient@refuses-twice.sandbox'
  const accepted: Message[] = []
  for (const words of ['one', 'two', 'three'])
    accepted.push(await text(admin, { instance: 'trial', to, text: words }))
  for (const { id } of accepted) await reaches(admin, id, 'delivered')
  assert.deepEqual(seenBy(to), ['one', 'two', 'three'])
})

test('a scheduled message takes its place when its time comes, and holds up nobody before', async () => {
  const { admin } = posthorn
  const to = 'punctual@delivers.sandbox'
  const send_at = new Date(Date.now() + 1_000).toISOString()
  const scheduled = await text(admin, { instance: 'trial', to, text: 'later', send_at })
  await text(admin, { instance: 'trial', to, text: 'at once' }, 10)
  assert.deepEqual(seenBy(to), ['at once'])
  await reaches(admin, scheduled.id, 'delivered')
  await text(admin, { instance: 'trial', to, text: 'after that' }, 10)
  assert.deepEqual(seenBy(to), ['at once', 'later', 'after that'])
})
