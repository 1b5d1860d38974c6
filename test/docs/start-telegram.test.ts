import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../kit/play.ts'
import { startPosthorn } from '../kit/posthorn.ts'
import { commandsOn, Walker } from '../kit/walk.ts'
import { startTelegram } from '../simulators/telegram/start-telegram.ts'

test('a person who follows docs/start.md has a bot that talks', async (context) => {
  const telegram = await startTelegram(context)
  const { token } = await telegram.control.createBot({ username: 'example_bot' })
  const ana = await telegram.control.createPerson({ first_name: 'Ana' })
  const posthorn = await startPosthorn({ environment: { POSTHORN_TELEGRAM_API: telegram.url } })
  context.after(() => posthorn.stop())
  const walker = new Walker(posthorn, posthorn.data, {
    '8000000001:AAExampleExampleExampleExampleExamp': token,
    '"to": "7000000001"': `"to": "${ana}"`,
  })
  const [create = '', ask = ''] = commandsOn('docs/start.md', '### Your first Telegram bot')
  const instance = JSON.parse(await walker.type(create))
  assert.deepEqual([instance.status, instance.account?.address], ['connected', '@example_bot'])
  assert.equal(instance.account?.url, 'https://t.me/example_bot')
  await telegram.control.write({ token, chat: ana, text: 'Hello' })
  const [list = '', answer = ''] = ask.split('\n\n')
  const received = await eventually(
    'what Ana wrote',
    async () => JSON.parse(await walker.type(list)).data,
    (messages) => messages.length > 0,
  )
  assert.deepEqual([received[0].text, received[0].conversation], ['Hello', String(ana)])
  assert.equal(JSON.parse(await walker.type(answer)).status, 'sent')
  const [arrived] = await telegram.control.received({ token, chat: ana, count: 1 })
  assert.equal(arrived?.text, 'Good morning')
})
