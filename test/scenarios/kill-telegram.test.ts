import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { createInstance, getInstance } from '../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../src/contract/operations/message-operations.ts'
import { PersistentSender } from '../kit/persistent-sender.ts'
import { eventually, everythingReceived } from '../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../kit/posthorn.ts'
import { randomOf } from '../kit/random.ts'
import { startTelegram, type TelegramProcess } from '../simulators/telegram/start-telegram.ts'

/*
 * A network that cannot recognize repetitions, and forgets what it brought once that is confirmed: the server is killed at
 * random moments, and Telegram counts.
 */

const kills = Number(process.env.POSTHORN_TEST_KILLS ?? 6)
const seed = Number(process.env.POSTHORN_TEST_SEED ?? Date.now() % 1_000_000)
const random = randomOf(seed)

let telegram: TelegramProcess
let token: string
let data: string
let running: PosthornProcess

before(async () => {
  data = freshFolder()
  telegram = await startTelegram({ after: () => {} })
  token = (await telegram.control.createBot({ username: 'Shop_bot' })).token
  running = await start()
  const settings = { pacing: { messages: 1_000, seconds: 1 } }
  const body = { name: 'shop', network: 'telegram', settings, credentials: { token } }
  const created = await running.admin.call(createInstance, { body, waitSeconds: 20 })
  assert.equal(created.body.status, 'connected', JSON.stringify(created.body.reason))
})

after(async () => {
  await running?.end('SIGKILL')
  await telegram?.stop()
  rmSync(data, { recursive: true, force: true })
})

const start = () => spawnPosthorn(data, { POSTHORN_TELEGRAM_API: telegram.url })

/** Somebody to whom the bot may write. */
async function person(name: string): Promise<string> {
  const chat = await telegram.control.createPerson({ first_name: name })
  await telegram.control.write({ token, chat, text: `Hello from ${name}` })
  return String(chat)
}

async function killRepeatedly(each: (server: PosthornProcess) => void | Promise<void>): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 50 + random() * 600))
    await running.end('SIGKILL')
    running = await start()
    await each(running)
  }
}

/** How often each text was taken, whether or not Telegram's answer arrived. */
async function taken(): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { text = '' } of Object.values(await telegram.control.taken({ token })).flat())
    counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

test('killed at random moments, the server sends nothing twice, and knows what it does not know', async (context) => {
  await telegram.control.limit({ bot: null, chat: null, group: null })
  const people = await Promise.all(Array.from({ length: 30 }, (_, index) => person(`Person ${index}`)))
  const sender = new PersistentSender(
    running,
    people.map((to) => ({ instance: 'shop', to, patient: true })),
  )
  await killRepeatedly((server) => sender.moveTo(server))
  await sender.finish()
  const isEmpty = async () =>
    (await running.admin.call(getInstance, { params: { name: 'shop' } })).body.queue.depth
  await eventually('an empty queue', isEmpty, (depth) => depth === 0)
  const counts = await taken()
  assert.deepEqual(
    [...counts].filter(([, count]) => count > 1),
    [],
    'nobody gets a text twice',
  )
  let unknown = 0
  for (const { id, text } of sender.acknowledged) {
    const { body } = await running.admin.call(getMessage, { params: { id } })
    if (body.status === 'unknown') unknown++
    else {
      assert.equal(body.status, 'sent', text)
      assert.equal(counts.get(text), 1, `${text} is sent, and Telegram has it`)
      assert.ok(body.network_message_id !== null)
    }
  }
  context.diagnostic(
    `seed ${seed}: ${kills} kills, ${sender.acknowledged.length} accepted, ${unknown} unknown`,
  )
})

test('killed at random moments, the server keeps every update once and in order', async (context) => {
  const chat = Number(await person('Ana'))
  const written: string[] = []
  let writing = Promise.resolve()
  const again = setInterval(() => {
    const text = `Text ${written.length}`
    written.push(text)
    writing = writing.then(async () => void (await telegram.control.write({ token, chat, text })))
  }, 20)
  await killRepeatedly(() => {})
  clearInterval(again)
  await writing
  const received = async () =>
    (await everythingReceived(running.admin, 'shop'))
      .filter(({ conversation }) => conversation === String(chat))
      .map(({ text }) => text)
  const expected = ['Hello from Ana', ...written]
  await eventually('all texts', received, ({ length }) => length >= expected.length)
  assert.deepEqual(await received(), expected)
  context.diagnostic(`seed ${seed}: ${kills} kills, ${expected.length} texts`)
})
