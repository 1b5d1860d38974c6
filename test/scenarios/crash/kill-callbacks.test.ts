import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'
import { getQuotas } from '../../../src/contract/operations/quota-operations.ts'
import { kills, seed } from '../../kit/crash/kills.ts'
import { journalOf } from '../../kit/journal.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { randomOf } from '../../kit/random.ts'
import { createCalledBack, postCallback, written } from '../../kit/sandbox-callbacks.ts'

const random = randomOf(seed)

const data = freshFolder()
const environment = { POSTHORN_CALLBACK_RATE: 'off' }
let running: PosthornProcess | undefined

after(async () => {
  await running?.end('SIGKILL')
  rmSync(data, { recursive: true, force: true })
})

/** Posts one text after the other, four at a time, and notes those that are answered with 200. */
function network(path: string, url: () => string) {
  const answered: string[] = []
  let next = 0
  let isOver = false
  const poster = async () => {
    while (!isOver) {
      const text = `Text ${next++}`
      const reply = await postCallback(url(), path, written(text)).catch(() => undefined)
      await reply?.arrayBuffer().catch(() => undefined)
      if (reply?.status === 200) answered.push(text)
      else await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const posting = Promise.all([poster(), poster(), poster(), poster()])
  return {
    answered,
    async stop() {
      isOver = true
      await posting
    },
  }
}

test('killed at random moments, the server has each callback that it answered with 200 once, and told each once', async (context) => {
  running = await spawnPosthorn(data, environment)
  let { url } = running
  const path = await createCalledBack(running.admin, 'trial')
  const { answered, stop } = network(path, () => url)
  for (let kill = 0; kill < kills; kill++) {
    const before = answered.length
    await eventually(
      'more callbacks',
      async () => answered.length,
      (count) => count > before + 20,
    )
    await new Promise((resolve) => setTimeout(resolve, random() ** 2 * 200))
    await running.end('SIGKILL')
    running = await spawnPosthorn(data, environment)
    url = running.url
  }
  await stop()
  context.diagnostic(`seed ${seed}: ${kills} kills, ${answered.length} callbacks`)
  const { admin } = running
  // Callbacks that were stored and not answered are handled as well, and must be done before anything is counted.
  await eventually(
    'every callback to be handled',
    async () => (await admin.call(getQuotas)).body.waiting_callbacks.used,
    (waiting) => waiting === 0,
  )
  const received = await eventually(
    'every text that was answered with 200',
    async () => (await everythingReceived(admin, 'trial')).map(({ text }) => text ?? ''),
    (texts) => new Set(answered).isSubsetOf(new Set(texts)),
  )
  // A callback without an answer may have been stored as well, but nothing came twice.
  assert.equal(new Set(received).size, received.length)
  await running.end('SIGTERM')
  const told = (await journalOf(data)).filter(({ type }) => type === 'message.received')
  assert.equal(told.length, received.length)
})
