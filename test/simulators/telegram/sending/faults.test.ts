import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Message } from '@grammyjs/types'
import { usualLimits } from '../rate-limits.ts'
import { startTelegram } from '../start-telegram.ts'
import { acquainted } from '../test-bot.ts'
import type { Fault } from './faults.ts'

/* Limits, and everything that goes wrong on demand. */

const telegram = await startTelegram({ after })
const { control } = telegram

describe('the limits', () => {
  test('let a burst through, and say when to come again', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    await control.limit({ chat: { burst: 5, perSecond: 0.01 } })
    for (let count = 0; count < 5; count++) await bot.say(chat, `${count}`)
    const refused = await bot.refusal('sendMessage', { chat_id: chat, text: '5' })
    const wait = refused.parameters?.retry_after ?? 0
    assert.ok(wait > 90 && wait <= 100)
    assert.deepEqual(refused, {
      error_code: 429,
      description: `Too Many Requests: retry after ${wait}`,
      parameters: { retry_after: wait },
    })
    await control.advance({ seconds: wait })
    await bot.say(chat, '5')
    const texts = (await control.received({ token, chat })).map(({ text }) => text)
    assert.deepEqual(texts, ['0', '1', '2', '3', '4', '5'])
    await control.limit(usualLimits)
  })

  test('are tighter in groups, and can be switched off', async () => {
    const { bot, token } = await acquainted(telegram)
    const group = await control.createGroup({ type: 'group', title: 'Friends', bots: [token] })
    await control.limit({ chat: null })
    for (let count = 0; count < 20; count++) await bot.say(group, `${count}`)
    assert.equal((await bot.refusal('sendMessage', { chat_id: group, text: '20' })).error_code, 429)
    await control.limit({ group: null })
    await bot.say(group, '20')
    await control.limit(usualLimits)
  })
})

describe('a fault', () => {
  const lost: readonly Fault[] = [{ kind: 'cut' }, { kind: 'half' }, { kind: 'garbage' }]
  for (const fault of lost) {
    test(`loses the answer to a message that was taken: ${fault.kind}`, async () => {
      const { bot, token, chat } = await acquainted(telegram)
      await control.fault({ method: 'sendMessage', token, fault })
      await assert.rejects(bot.say(chat, 'taken'))
      await bot.say(chat, 'known')
      const { [chat]: received } = await control.taken({ token, count: 2 })
      assert.deepEqual(
        received?.map(({ text, answered }) => ({ text, answered })),
        [
          { text: 'taken', answered: false },
          { text: 'known', answered: true },
        ],
      )
    })
  }

  const errors: readonly (readonly [Fault, number, RegExp])[] = [
    [{ kind: 'error' }, 500, /^\{"ok":false,"error_code":500/],
    [{ kind: 'gateway' }, 502, /^<html>/],
    [{ kind: 'too-many', retryAfter: 7 }, 429, /"parameters":\{"retry_after":7\}/],
    [{ kind: 'revoke' }, 401, /"description":"Unauthorized"/],
  ]
  for (const [fault, status, body] of errors) {
    test(`refuses a message: ${fault.kind}`, async () => {
      const { bot, chat } = await acquainted(telegram)
      await control.fault({ method: 'sendmessage', fault })
      const response = await bot.fetch('sendMessage', { chat_id: chat, text: 'lost' })
      assert.equal(response.status, status)
      assert.match(await response.text(), body)
    })
  }

  test('is for as many calls as ordered, of one bot if ordered so', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    const other = await acquainted(telegram)
    await control.fault({ method: 'sendMessage', token, times: 2, fault: { kind: 'error', taken: true } })
    await other.bot.say(other.chat, 'untouched')
    for (const text of ['one', 'two'])
      assert.equal((await bot.refusal('sendMessage', { chat_id: chat, text })).error_code, 500)
    await bot.say(chat, 'three')
    const texts = (await control.received({ token, chat })).map(({ text }) => text)
    assert.deepEqual(texts, ['one', 'two', 'three'])
    assert.equal(await control.calls({ method: 'sendMessage', token }), 3)
  })

  test('holds an answer back for a while, or for ever', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    await control.fault({ method: 'sendMessage', token, fault: { kind: 'delay', milliseconds: 300 } })
    const slow = bot.say(chat, 'slow')
    const [taken] = await control.received({ token, chat, count: 1 })
    assert.equal(taken?.answered, false)
    await slow
    await control.fault({ method: 'sendMessage', token, fault: { kind: 'hang', taken: true } })
    const hanging = bot.say(chat, 'held')
    await control.received({ token, chat, count: 2 })
    const first = await Promise.race([hanging.catch(() => 'ended'), control.calls({ method: 'getMe' })])
    assert.equal(first, 0)
  })

  test('answers without end', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    await control.fault({ method: 'sendMessage', token, fault: { kind: 'endless' } })
    const response = await bot.fetch('sendMessage', { chat_id: chat, text: 'a' })
    let size = 0
    for await (const piece of response.body ?? []) {
      size += piece.length
      if (size > 5_000_000) break
    }
    assert.ok(size > 5_000_000)
    await bot.say(chat, 'b')
  })

  test('brings updates once more that were confirmed', async () => {
    const { bot, token, chat, next } = await acquainted(telegram)
    await control.write({ token, chat, text: 'one' })
    await bot.updates()
    await control.fault({ method: 'getUpdates', token, fault: { kind: 'again' } })
    const repeated = await bot.updates({ offset: next + 1, timeout: 50 })
    assert.deepEqual(
      repeated.map(({ update_id }) => update_id),
      [next],
    )
    assert.deepEqual(await bot.updates({ offset: next + 1 }), [])
  })

  test('ends a download in the middle', async () => {
    const { bot, token, chat } = await acquainted(telegram)
    await control.write({ token, chat, document: { size: 1000 } })
    const [update] = await bot.updates()
    const file_id = update?.message?.document?.file_id
    const { file_path } = await bot.result<{ file_path: string }>('getFile', { file_id })
    await control.fault({ method: 'download', token, fault: { kind: 'half' } })
    const fetching = async () => (await fetch(`${telegram.url}/file/bot${token}/${file_path}`)).arrayBuffer()
    await assert.rejects(fetching())
    assert.equal((await fetching()).byteLength, 1000)
  })
})

test('two bots have chats of their own with the same person', async () => {
  const { bot, token, chat } = await acquainted(telegram)
  const other = await control.createBot({ username: 'other_bot' })
  const sent: Message = await bot.say(chat, 'Hello')
  assert.equal(await control.write({ token: other.token, chat, text: '/start' }), 1)
  assert.equal(sent.message_id, 2)
  assert.deepEqual(await control.received({ token: other.token, chat }), [])
  assert.equal((await control.received({ token, chat })).length, 1)
})
