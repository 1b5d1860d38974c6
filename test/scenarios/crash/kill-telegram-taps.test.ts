import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  sendInteractiveMessage,
  sendPollMessage,
} from '../../../src/contract/operations/content-operations.ts'
import { countsOf, KilledServer } from '../../kit/crash/killed-server.ts'
import { eventually, everythingReceived, reaches } from '../../kit/play.ts'
import { startTelegram, type TelegramProcess } from '../../simulators/telegram/start-telegram.ts'

/* Taps and votes while the server is killed: Telegram forgets them once they are confirmed. */

let telegram: TelegramProcess
let token: string
let server: KilledServer

before(async () => {
  telegram = await startTelegram({ after: () => {} })
  await telegram.control.limit({ bot: null, chat: null, group: null })
  token = (await telegram.control.createBot({ username: 'Shop_bot' })).token
  server = new KilledServer({ POSTHORN_TELEGRAM_API: telegram.url })
  await server.start()
  await server.create({ name: 'shop', network: 'telegram', settings: {}, credentials: { token } })
})

after(async () => {
  await server?.remove()
  await telegram?.stop()
})

test('killed at random moments, the server keeps every tap and every vote once', async (context) => {
  const chat = await telegram.control.createPerson({ first_name: 'Ana' })
  await telegram.control.write({ token, chat, text: 'Hello' })
  const to = { instance: 'shop', to: String(chat) }
  const { admin } = server.running
  const buttons = [{ id: 'yes', title: 'Yes' }]
  const { body: asked } = await admin.call(sendInteractiveMessage, { body: { ...to, body: 'So?', buttons } })
  const options = ['Monday', 'Friday']
  const { body: poll } = await admin.call(sendPollMessage, { body: { ...to, question: 'When?', options } })
  const numberOf = async (id: string) =>
    Number((await reaches(admin, id, 'sent')).network_message_id?.split(':')[1])
  const [question, ballot] = [await numberOf(asked.id), await numberOf(poll.id)]

  const taps: string[] = []
  let votes = 0
  await server.writeWhileKilled(async () => {
    taps.push(await telegram.control.tap({ token, chat, message_id: question, data: 'yes' }))
    votes += 1
    await telegram.control.vote({ token, chat, message_id: ballot, options: [votes % 2] })
  })
  const received = async () => everythingReceived(server.running.admin, 'shop')
  const found = await eventually('all of them', received, ({ length }) => length >= 1 + taps.length + votes)
  assert.equal(found.length, 1 + taps.length + votes)
  const ids = countsOf(found.map(({ network_message_id }) => String(network_message_id)))
  for (const tap of taps) assert.equal(ids.get(`tap:${tap}`), 1, `the tap ${tap} is kept once`)
  const voted = found.filter(({ kind }) => kind === 'poll_vote')
  assert.deepEqual(
    voted.map(({ poll_vote }) => poll_vote?.options),
    Array.from({ length: votes }, (_, index) => [options[(index + 1) % 2]]),
  )
  context.diagnostic(`seed ${server.seed}: ${server.kills} kills, ${taps.length} taps, ${votes} votes`)
})
