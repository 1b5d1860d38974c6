import { join } from 'node:path'
import { startTelegram } from '../test/simulators/telegram/start-telegram.ts'
import { type Figure, milliseconds } from './figure.ts'
import { startPosthorn, untilMetric } from './posthorn.ts'

/** Messages per second that Telegram lets a bot send, as its driver declares (https://core.telegram.org/bots/faq). */
const pace = 30
const people = 100
const each = 9
const texts = people * each

/**
 * Measures the pace of one bot under load: more texts than a bot may send in half a minute are accepted at once. The
 * simulator refuses texts that come too fast, as Telegram does; each refusal would be one call more.
 */
export const telegramPace: Figure = {
  name: 'telegram-pace',
  async measure(bench) {
    const stops: (() => Promise<void>)[] = []
    const { control, url } = await startTelegram({ after: (stop) => stops.push(stop) })
    const posthorn = await startPosthorn(join(bench.folder, 'telegram-pace'), {
      POSTHORN_TELEGRAM_API: url,
      POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
    })
    try {
      const { token } = await control.createBot({ username: 'Shop_bot' })
      const chats: number[] = []
      for (let index = 0; index < people; index++) {
        const chat = await control.createPerson({ first_name: `Person ${index}` })
        await control.write({ token, chat, text: 'Hello' })
        chats.push(chat)
      }
      const body = { name: 'shop', network: 'telegram', credentials: { token } }
      await posthorn.post('/v1/instances', body, 201)
      await untilMetric(posthorn, 'posthorn_instances{status="connected"}', 1)
      const taken = (count: number) => control.taken({ token, count }).then(() => performance.now())
      const moments = Promise.all([taken(1), taken(texts)])
      for (let round = 0; round < each; round++)
        await Promise.all(
          chats.map((chat) =>
            posthorn.post(
              '/v1/messages/text',
              { instance: 'shop', to: String(chat), text: `Text ${round}` },
              202,
            ),
          ),
        )
      const [first, last] = await moments
      const calls = await control.calls({ method: 'sendMessage', token })
      // The first second's worth may leave at once.
      const took = last - first
      const rate = ((texts - pace) * 1000) / took
      const refused = calls - texts
      return [
        {
          figure: `one Telegram bot at its pace of ${pace}/s, ${texts} texts`,
          measured: `${rate.toFixed(2)}/s`,
          baseline: `${pace}/s`,
          ratio: (rate / pace).toFixed(3),
          goal: '≥ 0.98, none refused',
          reached: rate >= 0.98 * pace && refused === 0,
        },
        { figure: '… from the first to the last', measured: milliseconds(took) },
        { figure: '… refused with 429', measured: String(refused) },
      ]
    } finally {
      await posthorn.end()
      for (const stop of stops) await stop()
    }
  },
}
