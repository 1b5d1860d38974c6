import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createInstance, getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { countConversations, type SeenAbout } from '../../kit/crash/count-conversations.ts'
import { kills, seed } from '../../kit/crash/kills.ts'
import { TalkativeSender } from '../../kit/crash/talkative-sender.ts'
import { eventually } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { randomOf } from '../../kit/random.ts'

let data: string
let running: PosthornProcess | undefined

before(() => {
  data = freshFolder()
})
after(async () => {
  await running?.end('SIGKILL')
  rmSync(data, { recursive: true, force: true })
})

test('over kills, replies, reactions and edits arrive once, in order, and after what they are about', async (context) => {
  const transcript = join(data, 'transcript.jsonl')
  const start = async () => {
    running = await spawnPosthorn(join(data, 'data'), { POSTHORN_SANDBOX_TRANSCRIPT: transcript })
    return running
  }
  let server = await start()
  await server.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
  const recipients = ['delivers', 'loses', 'refuses-twice', 'uncertain'].map((way) => `ana@${way}.sandbox`)
  const sender = new TalkativeSender(server, 'trial', recipients)
  const random = randomOf(seed)
  for (let kill = 0; kill < kills; kill++) {
    const before = sender.said.length
    await new Promise((resolve) => setTimeout(resolve, 30 + random() * 600))
    await eventually(
      'a message to be acknowledged',
      async () => sender.said.length,
      (count) => count > before,
    )
    await server.end('SIGKILL')
    server = await start()
    sender.moveTo(server)
  }
  await sender.finish()
  const depth = async () =>
    (await server.admin.call(getInstance, { params: { name: 'trial' } })).body.queue.depth
  await eventually('the queue to be empty', depth, (left) => left === 0, 120_000)
  await server.end('SIGTERM')

  const seen: SeenAbout[] = readFileSync(transcript, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line))
  const { repeats, ...faults } = countConversations(sender.said, seen)
  assert.deepEqual(faults, { lost: [], doubled: [], early: [], overtaking: [], strayed: [] })
  context.diagnostic(
    `seed ${seed}: ${kills} kills, ${sender.said.length} acknowledged, ${seen.length} arrived, ${repeats} of them repeats with the same id`,
  )
})
