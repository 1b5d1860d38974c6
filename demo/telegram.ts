import { setTimeout as wait } from 'node:timers/promises'
import { startTelegram } from '../test/simulators/telegram/start-telegram.ts'
import { connect, say } from './conversation.ts'
import type { NetworkDemo } from './network-demo.ts'

export const telegramDemo: NetworkDemo = {
  title: 'Telegram',
  async start() {
    const telegram = await startTelegram({ after: () => {} })
    const { token } = await telegram.control.createBot({ username: 'example_shop_bot' })
    const chat = await telegram.control.createPerson({ first_name: 'Ana' })
    const write = async (text: string) => {
      console.log(`\nAna writes to the bot: ${text}`)
      await telegram.control.write({ token, chat, text })
      await wait(1_000)
    }
    return {
      url: telegram.url,
      environment: { POSTHORN_TELEGRAM_API: telegram.url },
      recipient: String(chat),
      stop: () => telegram.stop(),
      async converse(server) {
        await connect(server, { network: 'telegram', credentials: { token } })
        await write('Hello, is my order on its way?')
        await say(server, String(chat), 'It left this morning.')
        await write('Thank you!')
        const received = await telegram.control.received({ token, chat, count: 1 })
        console.log(`\nAna has received: ${received.map(({ text }) => `"${text}"`).join(', ')}`)
      },
    }
  },
}
