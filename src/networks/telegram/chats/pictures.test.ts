import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { type PlayedBot, TelegramPlays } from '../../../../test/kit/networks/telegram/plays.ts'
import { maxPictureBytes } from '../../driver/abilities/pictures.ts'

/* Pictures of people and groups, which are at a URL that contains the token. */

let plays: TelegramPlays
let bot: PlayedBot
let session: ObservedConnection
let ana: number

before(async () => {
  plays = await TelegramPlays.start()
})
after(() => plays.stop())
beforeEach(async () => {
  bot = await plays.bot()
  session = await bot.open()
  ana = await bot.person()
})
afterEach(() => plays.end())

const never = new AbortController().signal
const find = async (address: number | string, signal = never) => {
  const found = await session.connection.findPicture?.(String(address), signal)
  if (found?.kind === 'found') return Buffer.from(found.bytes).toString('latin1')
  return found?.kind === 'rejected' ? found.error.code : found?.kind
}
const show = (chat: number, big: string | Buffer) =>
  plays.control.setPicture({
    chat,
    small: Buffer.from('small').toString('base64'),
    big: Buffer.from(big).toString('base64'),
  })

test('the larger picture of a person or a group is found, and there may be none', async () => {
  const chat = await plays.control.createGroup({ type: 'group', title: 'Choir', bots: [bot.token] })
  for (const each of [ana, chat]) {
    assert.equal(await find(each), 'none')
    await show(each, 'a larger one')
    assert.equal(await find(each), 'a larger one')
  }
})

test('a person whom the bot does not know has none that it could see', async () => {
  const other = await plays.control.createPerson({ first_name: 'Eve' })
  await show(other, 'a face')
  assert.equal(await find(other), 'recipient_unknown')
})

test('one that is too large, breaks off or is gone is not found, and the token is told to none', async () => {
  await show(ana, Buffer.alloc(maxPictureBytes + 1))
  assert.equal(await find(ana), 'unanswered')
  await show(ana, 'a face')
  for (const kind of ['cut', 'half', 'error', 'gateway', 'endless'] as const) {
    await bot.fault('download', { kind })
    assert.equal(await find(ana), 'unanswered', kind)
  }
  await bot.fault('getFile', { kind: 'refuse', code: 400, description: 'Bad Request: invalid file_id' })
  assert.equal(await find(ana), 'unanswered')
  await bot.fault('getChat', { kind: 'cut' })
  assert.equal(await find(ana), 'unanswered')
  const ended = new AbortController()
  ended.abort()
  assert.equal(await find(ana, ended.signal), 'unanswered')
})
