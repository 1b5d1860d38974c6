import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { countsOf, KilledServer } from '../../kit/crash/killed-server.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { startTelegram, type TelegramProcess } from '../../simulators/telegram/start-telegram.ts'

/*
 * A network that cannot recognize repetitions, and forgets what it brought once that is confirmed: the server is killed at
 * random moments, and Telegram counts.
 */

let telegram: TelegramProcess
let token: string
let server: KilledServer

before(async () => {
  telegram = await startTelegram({ after: () => {} })
  token = (await telegram.control.createBot({ username: 'Shop_bot' })).token
  server = new KilledServer({ POSTHORN_TELEGRAM_API: telegram.url })
  await server.start()
  const settings = { pacing: { messages: 1_000, seconds: 1 } }
  await server.create({ name: 'shop', network: 'telegram', settings, credentials: { token } })
})

after(async () => {
  await server?.remove()
  await telegram?.stop()
})

/** Makes a person to whom the bot may write. */
async function person(name: string): Promise<string> {
  const chat = await telegram.control.createPerson({ first_name: name })
  await telegram.control.write({ token, chat, text: `Hello from ${name}` })
  return String(chat)
}

/** Counts how often each text was taken, whether or not Telegram's answer arrived. */
async function taken() {
  const messages = Object.values(await telegram.control.taken({ token })).flat()
  return countsOf(messages.map(({ text = '' }) => text))
}

test('killed at random moments, the server sends nothing twice, and knows what it does not know', async (context) => {
  await telegram.control.limit({ bot: null, chat: null, group: null })
  const people = await Promise.all(Array.from({ length: 30 }, (_, index) => person(`Person ${index}`)))
  const accepted = await server.sendWhileKilled('shop', people)
  const counts = await taken()
  assert.deepEqual(
    [...counts].filter(([, count]) => count > 1),
    [],
    'nobody gets a text twice',
  )
  let unknown = 0
  for (const { text, message } of await server.fatesOf(accepted)) {
    if (message.status === 'unknown') unknown++
    else {
      assert.equal(message.status, 'sent', text)
      assert.equal(counts.get(text), 1, `${text} is sent, and Telegram has it`)
      assert.ok(message.network_message_id !== null)
    }
  }
  context.diagnostic(
    `seed ${server.seed}: ${server.kills} kills, ${accepted.length} accepted, ${unknown} unknown`,
  )
})

test('killed at random moments, the server keeps every update once and in order', async (context) => {
  const chat = Number(await person('Ana'))
  const written = await server.writeWhileKilled((text) => telegram.control.write({ token, chat, text }))
  const received = async () =>
    (await everythingReceived(server.running.admin, 'shop'))
      .filter(({ conversation }) => conversation === String(chat))
      .map(({ text }) => text)
  const expected = ['Hello from Ana', ...written]
  await eventually('all texts', received, ({ length }) => length >= expected.length)
  assert.deepEqual(await received(), expected)
  context.diagnostic(`seed ${server.seed}: ${server.kills} kills, ${expected.length} texts`)
})
