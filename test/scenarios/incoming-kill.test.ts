import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createInstance } from '../../src/contract/instance-operations.ts'
import { journalOf } from '../kit/journal.ts'
import { Letterboxes } from '../kit/letterbox.ts'
import { eventually, everythingReceived } from '../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../kit/posthorn.ts'
import { randomOf } from '../kit/random.ts'

const kills = Number(process.env.POSTHORN_TEST_KILLS ?? 10)
const seed = Number(process.env.POSTHORN_TEST_SEED ?? Date.now() % 1_000_000)
const random = randomOf(seed)

let home: string
let running: PosthornProcess

before(() => {
  home = freshFolder()
  mkdirSync(join(home, 'letterboxes'))
})

after(async () => {
  await running.end('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

const data = () => join(home, 'data')

async function start(): Promise<void> {
  const environment = { TEST_LETTERBOXES: join(home, 'letterboxes'), POSTHORN_DEFAULT_NETWORK: 'letterbox' }
  running = await spawnPosthorn(data(), environment, 'letterbox-server.ts')
}

const received = () => everythingReceived(running.admin, 'support')

/** Somebody who writes all the time, some letters at once, until told to stop. */
function writer(boxes: Letterboxes) {
  const written: string[] = []
  const write = (count = Math.floor(random() * 6)) => {
    const ids = Array.from({ length: count }, () => {
      const id = `n-${written.length}`
      written.push(id)
      return id
    })
    boxes.write('support', ...ids.map((id) => ({ id, from: 'ana', text: `Text ${id}` })))
  }
  const writing = setInterval(() => write(), 20)
  return { written, write, stop: () => clearInterval(writing) }
}

test('the server is killed at random moments while somebody writes: each letter is one message and one event', async (context) => {
  const boxes = new Letterboxes(join(home, 'letterboxes'))
  await start()
  const body = { name: 'support', settings: { box: 'support' } }
  await running.admin.call(createInstance, { body, waitSeconds: 10 })
  boxes.write('support', { id: 'first', from: 'ana', text: 'Hello' })
  await eventually('the first letter', received, ({ length }) => length === 1)
  const { written, write, stop } = writer(boxes)
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, random() * 400))
    await running.end('SIGKILL')
    // A gap that takes its time to be read.
    write(400)
    await start()
  }
  stop()
  const expected = ['first', ...written].toSorted()
  const messages = await eventually('all letters', received, ({ length }) => length >= expected.length)
  context.diagnostic(`seed ${seed}: ${kills} kills, ${expected.length} letters`)
  assert.deepEqual(messages.map((message) => message.network_message_id).toSorted(), expected)
  const events = await journalOf(data())
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  )
  const told = events.filter(({ type }) => type === 'message.received').map((event) => event.data.message.id)
  assert.deepEqual(told.toSorted(), messages.map(({ id }) => id).toSorted())
})
