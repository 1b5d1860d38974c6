import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../src/contract/operations/message-operations.ts'
import { eventually, text } from '../../kit/play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../../kit/posthorn.ts'
import { startTelegram, type TelegramProcess } from '../../simulators/telegram/start-telegram.ts'

/* The server is paused, as a machine that is moved or out of memory does, for longer than any answer may take. */

/** Longer than Telegram may take for an answer, and than dispatch waits for the driver, in milliseconds. */
const pause = 42_000
/** Milliseconds that Telegram takes, so that the pause begins before the answers come. */
const thinking = 2_000

const data = freshFolder()
let telegram: TelegramProcess
let posthorn: PosthornProcess

before(async () => {
  telegram = await startTelegram({ after: () => {} })
  posthorn = await spawnPosthorn(data, { POSTHORN_TELEGRAM_API: telegram.url })
})
after(async () => {
  await posthorn?.end('SIGKILL')
  await telegram?.stop()
  rmSync(data, { recursive: true, force: true })
})

test('texts whose answers came while the server was paused are sent', { timeout: 180_000 }, async () => {
  const { admin } = posthorn
  const { token } = await telegram.control.createBot({ username: 'Shop_bot' })
  const body = { name: 'shop', network: 'telegram', settings: {}, credentials: { token } }
  const created = await admin.call(createInstance, { body, waitSeconds: 20 })
  assert.equal(created.body.status, 'connected', JSON.stringify(created.body.reason))
  const people: number[] = []
  for (const first_name of ['Ana', 'Rui', 'Eva']) {
    const person = await telegram.control.createPerson({ first_name })
    await telegram.control.write({ token, chat: person, text: 'Hello' })
    people.push(person)
    const fault = { kind: 'delay', milliseconds: thinking } as const
    await telegram.control.fault({ method: 'sendMessage', token, fault })
  }
  const read = async (id: string) => (await admin.call(getMessage, { params: { id } })).body
  const accepted = await Promise.all(people.map((to) => text(admin, { instance: 'shop', to: String(to) })))
  for (const { id } of accepted)
    await eventually(
      'the attempt to be under way',
      () => read(id),
      ({ attempts }) => attempts === 1,
    )

  process.kill(posthorn.pid, 'SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, pause))
  process.kill(posthorn.pid, 'SIGCONT')

  for (const { id } of accepted) {
    const isOver = ({ status }: { status: string }) => !['queued', 'sending'].includes(status)
    const settled = await eventually('the text to be settled', () => read(id), isOver)
    assert.deepEqual([settled.status, settled.attempts], ['sent', 1])
  }
})
