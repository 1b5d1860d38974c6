import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '../kit/play.ts'
import { startPosthorn } from '../kit/posthorn.ts'
import { startTelegram } from '../simulators/telegram/start-telegram.ts'

const run = promisify(execFile)

/** The commands of a section of the README, one block after the other. */
function commandsUnder(heading: string): string[] {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const section = readme.split(`\n### ${heading}\n`)[1]?.split('\n### ')[0] ?? ''
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
}

test('whoever follows the README has a bot that talks', async (context) => {
  const telegram = await startTelegram(context)
  const { token } = await telegram.control.createBot({ username: 'example_bot' })
  const ana = await telegram.control.createPerson({ first_name: 'Ana' })
  const posthorn = await startPosthorn({ environment: { POSTHORN_TELEGRAM_API: telegram.url } })
  context.after(() => posthorn.stop())
  const walk = async (command: string) => {
    const here = command
      .replaceAll('http://127.0.0.1:8080', posthorn.url)
      .replace('8000000001:AAExampleExampleExampleExampleExamp', token)
      .replace('"to": "7000000001"', `"to": "${ana}"`)
    const { stdout } = await run('bash', ['-c', here], { env: { ...process.env, KEY: posthorn.adminKey } })
    return stdout
  }
  const [create = '', ask = ''] = commandsUnder('Your first Telegram bot')
  const instance = JSON.parse(await walk(create))
  assert.deepEqual([instance.status, instance.account?.address], ['connected', '@example_bot'])
  await telegram.control.write({ token, chat: ana, text: 'Hello' })
  const [list = '', answer = ''] = ask.split('\n\n')
  const received = await eventually(
    'what Ana wrote',
    async () => JSON.parse(await walk(list)).data,
    (messages) => messages.length > 0,
  )
  assert.deepEqual([received[0].text, received[0].conversation], ['Hello', String(ana)])
  assert.equal(JSON.parse(await walk(answer)).status, 'sent')
  const [arrived] = await telegram.control.received({ token, chat: ana, count: 1 })
  assert.equal(arrived?.text, 'Good morning')
})
