import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getInstance } from '../../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { countsOf, KilledServer } from '../../../kit/crash/killed-server.ts'
import { TalkativeSender } from '../../../kit/crash/talkative-sender.ts'
import { eventually } from '../../../kit/play.ts'
import { startTelegram, type TelegramProcess } from '../../../simulators/telegram/start-telegram.ts'

/*
 * A network that cannot recognize repetitions: the server is killed at random moments while it has conversations. Nothing is done twice, what
 * is sent is there, and what waits for a message of which that is not known says so.
 */

type Received = Awaited<ReturnType<TelegramProcess['control']['received']>>[number]

let telegram: TelegramProcess
let token: string
let server: KilledServer

before(async () => {
  telegram = await startTelegram({ after: () => {} })
  await telegram.control.limit({ bot: null, chat: null, group: null })
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

test('over kills, replies, reactions, edits and retractions are done once, and to their messages', async (context) => {
  const chats: number[] = []
  for (const first_name of ['Ana', 'Ben', 'Cem', 'Dua']) {
    const chat = await telegram.control.createPerson({ first_name })
    await telegram.control.write({ token, chat, text: 'Hello' })
    chats.push(chat)
  }
  // A message about one whose fate stays unknown waits until it expires.
  const ways = { assigned: true, retracts: true, life: 15_000 }
  const sender = new TalkativeSender(server.running, 'shop', chats.map(String), ways)
  await server.killRepeatedly(async (running) => {
    const { length } = sender.said
    sender.moveTo(running)
    const accepted = async () => sender.said.length
    await eventually('a message to be accepted', accepted, (count) => count > length)
  })
  await sender.finish()
  const { admin } = server.running
  const depth = async () => (await admin.call(getInstance, { params: { name: 'shop' } })).body.queue.depth
  await eventually('an empty queue', depth, (left) => left === 0, 60_000)

  const fates = new Map<string, number>()
  const said: Message[] = []
  for (const { networkMessageId: id } of sender.said) {
    const { body } = await admin.call(getMessage, { params: { id } })
    const fate = body.error ? `${body.status} ${body.error.code}` : body.status
    fates.set(fate, (fates.get(fate) ?? 0) + 1)
    said.push(body)
  }
  const honest = ['sent', 'unknown', 'expired', 'failed target_not_sent']
  const left = said.filter(({ id, status }) => sender.gone.has(id) && status !== 'expired')
  assert.deepEqual(left, [], 'what had left can be referred to')
  const others = [...fates.keys()].filter((fate) => !honest.includes(fate))
  assert.deepEqual(others, [])
  let arrived = 0
  for (const chat of chats) {
    const seen = await telegram.control.received({ token, chat })
    arrived += seen.length
    assertWhole(
      said.filter(({ to }) => to === String(chat)),
      seen,
    )
  }
  context.diagnostic(
    `seed ${server.seed}: ${server.kills} kills, ${said.length} accepted, ${arrived} arrived: ${JSON.stringify(Object.fromEntries(fates))}`,
  )
})

/** Compares what was said in a chat with what came there. */
function assertWhole(said: readonly Message[], seen: readonly Received[]): void {
  const doubled = [...countsOf(seen.map(keyOf))].filter(([, count]) => count > 1)
  assert.deepEqual(doubled, [], 'nothing is done twice')
  const byId = new Map(said.map((message) => [message.id, message]))
  const numbers = new Map<string, number>()
  const places = new Map(seen.map((one, place) => [keyOf(one), place]))
  for (const message of said) {
    const own = placesOf(message, byId, numbers)
    const place = own.map((key) => places.get(key)).find((found) => found !== undefined)
    const where = `${message.kind} ${message.text ?? ''} is ${message.status}`
    if (message.status === 'sent') assert.notEqual(place, undefined, where)
    else if (message.status !== 'unknown') assert.equal(place, undefined, where)
    if (place === undefined) continue
    const one = seen[place] as Received
    if (message.relation === null || message.relation.type === 'reply')
      numbers.set(message.id, one.message_id)
    const target = message.relation?.message_id
    if (target == null || !numbers.has(target)) continue
    const named = message.relation?.type === 'reply' ? one.reply_to : one.message_id
    assert.equal(named, numbers.get(target), `${where}, and about its message`)
  }
}

const keyOf = ({ kind, message_id, text = '' }: Received) =>
  kind === 'text' ? text : `${kind} ${message_id} ${text}`

/** The ways in which a message may have come: a correction also as the text of a message that had waited. */
function placesOf(
  { kind, text, relation }: Message,
  byId: ReadonlyMap<string, Message>,
  numbers: ReadonlyMap<string, number>,
): string[] {
  const target = relation?.message_id ?? ''
  const number = numbers.get(target)
  if (relation?.type === 'reaction') return [`reaction ${number} ${text ?? ''}`]
  if (relation?.type === 'retraction') return [`deletion ${number} `]
  if (relation?.type === 'correction') return [`edit ${number} ${text}`, String(text)]
  const edits = [...byId.values()].filter(
    (one) => one.relation?.type === 'correction' && one.text === String(text).replace('text', 'edited'),
  )
  return kind === 'text' ? [String(text), ...edits.map((one) => String(one.text))] : []
}
