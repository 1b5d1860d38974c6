import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { getMessage } from '../../../src/contract/operations/message-operations.ts'
import { sandbox } from '../../../src/networks/sandbox/driver.ts'
import { create, eventually, Follower, inMs, reaches, readTranscript, text } from '../../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/** A sandbox that has room for four messages at once, and short timeouts for its answers. */
const transcript = join(freshFolder(), 'transcript.jsonl')
const driver = sandbox({ transcript })
const narrow = { ...driver, limits: { ...driver.limits, in_flight: 4, answer_timeout_seconds: 0.4 } }

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn({ drivers: [narrow], environment: { POSTHORN_STOP_SECONDS: '1' } })
})

after(() => posthorn.stop())

const read = async (id: string) => (await posthorn.admin.call(getMessage, { params: { id } })).body

/** The texts that reached a recipient, in the order in which they came, each as often as it did. */
const seenBy = (to: string) =>
  readTranscript(transcript).flatMap((line) => (line.to === to ? [line.text] : []))

test('recipients who are never answered for take no place for long: the others get theirs', async () => {
  const { admin } = posthorn
  await create(admin, 'beset')
  const stuck = Array.from({ length: 3 }, (_, index) => `person-${index}@stuck.sandbox`)
  for (const to of stuck) await text(admin, { instance: 'beset', to })
  const { id } = await text(admin, { instance: 'beset', to: 'last@stuck.sandbox' })
  await reaches(admin, id, 'sending')
  const healthy = await text(admin, { instance: 'beset', to: 'ana@delivers.sandbox' })
  await reaches(admin, healthy.id, 'delivered')
})

test('a message without an answer is tried again under its id, keeps its place, and is unknown when its time is over', async () => {
  const { admin } = posthorn
  await create(admin, 'waiting')
  const to = 'ana@stuck.sandbox'
  const first = await text(admin, { instance: 'waiting', to, expires_at: inMs(2_500) })
  const second = await text(admin, { instance: 'waiting', to })
  const again = await eventually(
    'a second attempt',
    () => read(first.id),
    ({ attempts }) => attempts === 2,
  )
  assert.deepEqual(
    [again.status, again.error, again.network_message_id],
    ['sending', null, first.network_message_id],
  )
  const behind = await read(second.id)
  assert.deepEqual([behind.status, behind.attempts], ['queued', 0])
  const last = await reaches(admin, first.id, 'unknown')
  assert.equal(last.error, null)
  await reaches(admin, second.id, 'sending')
})

test('an answer that comes a little late is in time: its message is not sent again', async () => {
  const { admin } = posthorn
  await create(admin, 'late')
  const to = 'ana@slow-500ms.sandbox'
  const words = ['one', 'two', 'three']
  const ids: string[] = []
  for (const word of words) ids.push((await text(admin, { instance: 'late', to, text: word })).id)
  for (const id of ids) {
    const { attempts } = await reaches(admin, id, 'delivered')
    assert.equal(attempts, 1)
  }
  assert.deepEqual(seenBy(to), words)
})

test('a connection that owes as many answers as it may is replaced, and says why', async () => {
  const { admin } = posthorn
  await create(admin, 'owing')
  const follower = new Follower(admin, 'owing')
  const first = await follower.status('connected')
  for (let index = 0; index < 4; index++)
    await text(admin, { instance: 'owing', to: `person-${index}@stuck.sandbox` })
  const { reason } = await follower.status('reconnecting')
  assert.equal(reason?.code, 'answers_missing')
  await follower.until('connected again', (now) => {
    return now.status === 'connected' && now.status_since > first.status_since
  })
  follower.leave()
})
