import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { ObservedConnection } from '../../../test/kit/networks/observed-connection.ts'
import { type PlayedBot, TelegramPlays } from '../../../test/kit/networks/telegram/plays.ts'
import type { SentFile } from '../../../test/simulators/telegram/people.ts'
import { NetFailure } from '../../net/failure.ts'

let plays: TelegramPlays
let bot: PlayedBot
let session: ObservedConnection

before(async () => {
  plays = await TelegramPlays.start()
})
after(() => plays.stop())
beforeEach(async () => {
  bot = await plays.bot()
  session = await bot.open()
})
afterEach(() => plays.end())

const megabyte = 1024 * 1024

/** Returns the reference of a file that a person sends. */
async function received(document: SentFile): Promise<string> {
  await plays.control.write({ token: bot.token, chat: await bot.person(), document })
  const { file } = await session.sees('message-received')
  assert.ok(file && 'reference' in file)
  return file.reference
}

async function open(reference: string, largest = megabyte, signal = new AbortController().signal) {
  assert.ok(session.connection.files?.open)
  const { body } = await session.connection.files.open(reference, { largest, signal })
  return await buffer(body)
}

/** Expects a failure, which does not show the token. */
function fails(opening: Promise<unknown>, reason: string, permanent: boolean): Promise<void> {
  return assert.rejects(opening, (failure) => {
    assert.ok(failure instanceof NetFailure)
    assert.deepEqual([failure.reason, failure.permanent], [reason, permanent])
    assert.ok(!failure.message.includes(bot.token))
    return true
  })
}

const small = { base64: Buffer.from('a file').toString('base64') }

test('a file comes as it was sent, also more than an hour later', async () => {
  const reference = await received(small)
  assert.equal(String(await open(reference)), 'a file')
  await plays.control.advance({ seconds: 2 * 3600 })
  assert.equal(String(await open(reference)), 'a file')
})

test('an unknown file fails for good', async () => {
  await fails(open('AgADnobody'), 'status', true)
})

test('a file that is larger than asked for is not fetched', async () => {
  await fails(open(await received({ size: 2000 }), 1999), 'too_large', true)
  assert.equal(await bot.calls('download'), 0)
})

test('a file of more than 20 MB fails for good', async () => {
  await fails(open(await received({ size: 20 * megabyte + 1 }), 50 * megabyte), 'too_large', true)
})

for (const [name, method, fault, reason] of [
  ['the question is cut', 'getFile', { kind: 'cut' }, 'lost'],
  ['the question is answered with garbage', 'getFile', { kind: 'garbage' }, 'status'],
  ['the file is cut', 'download', { kind: 'cut' }, 'lost'],
  ['the file is a redirect', 'download', { kind: 'redirect', location: 'http://127.0.0.1:9/' }, 'status'],
] as const) {
  test(`a file fails if ${name}, and comes the next time`, async () => {
    const reference = await received(small)
    await bot.fault(method, fault)
    await assert.rejects(open(reference), (failure) => {
      assert.ok(failure instanceof NetFailure)
      assert.equal(failure.reason, reason)
      assert.equal(failure.permanent, false)
      return !failure.message.includes(bot.token)
    })
    assert.equal(String(await open(reference)), 'a file')
  })
}

test('a file without end is cut off at the largest size', async () => {
  const reference = await received(small)
  await bot.fault('download', { kind: 'endless' })
  await assert.rejects(open(reference))
})

test('a file ends with its request, and with the connection', async () => {
  const reference = await received(small)
  await bot.fault('download', { kind: 'hang' })
  const request = new AbortController()
  const opening = open(reference, megabyte, request.signal)
  await plays.control.calls({ method: 'download', token: bot.token, count: 1 })
  request.abort(new Error('nobody wants it'))
  await assert.rejects(opening, /nobody wants it/)
  await session.close()
  await assert.rejects(open(reference))
  assert.equal(await bot.calls('getFile'), 1)
})
