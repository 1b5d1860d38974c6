import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversations } from '../../../../test/kit/networks/telegram/conversation.ts'
import { maxPictureBytes } from '../../driver/abilities/pictures.ts'

/* Pictures of people and groups, which are at a URL that contains the token. */

const at = conversations()

const never = new AbortController().signal
const find = async (address: number | string, signal = never) => {
  const found = await at().session.connection.findPicture?.(String(address), signal)
  if (found?.kind === 'found') return Buffer.from(found.bytes).toString('latin1')
  return found?.kind === 'rejected' ? found.error.code : found?.kind
}
const show = (chat: number, big: string | Buffer) =>
  at().control.setPicture({
    chat,
    small: Buffer.from('small').toString('base64'),
    big: Buffer.from(big).toString('base64'),
  })

test('the larger picture of a person or a group is found, and there may be none', async () => {
  const chat = await at().control.createGroup({ type: 'group', title: 'Choir', bots: [at().bot.token] })
  for (const each of [at().chat, chat]) {
    assert.equal(await find(each), 'none')
    await show(each, 'a larger one')
    assert.equal(await find(each), 'a larger one')
  }
})

test('a person whom the bot does not know has none that it could see', async () => {
  const other = await at().control.createPerson({ first_name: 'Eve' })
  await show(other, 'a face')
  assert.equal(await find(other), 'recipient_unknown')
})

test('one that is too large, breaks off or is gone is not found, and the token is told to none', async () => {
  await show(at().chat, Buffer.alloc(maxPictureBytes + 1))
  assert.equal(await find(at().chat), 'unanswered')
  await show(at().chat, 'a face')
  for (const kind of ['cut', 'half', 'error', 'gateway', 'endless'] as const) {
    await at().bot.fault('download', { kind })
    assert.equal(await find(at().chat), 'unanswered', kind)
  }
  await at().bot.fault('getFile', { kind: 'refuse', code: 400, description: 'Bad Request: invalid file_id' })
  assert.equal(await find(at().chat), 'unanswered')
  await at().bot.fault('getChat', { kind: 'cut' })
  assert.equal(await find(at().chat), 'unanswered')
  const ended = new AbortController()
  ended.abort()
  assert.equal(await find(at().chat, ended.signal), 'unanswered')
})
