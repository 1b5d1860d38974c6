import { startTelegram, type TelegramProcess } from '../../simulators/telegram/start-telegram.ts'
import type { Arrival, SufferedFault } from '../check/story.ts'
import { type ChaosNetwork, nodeNames } from './chaos-network.ts'
import { isGraceful } from './graceful.ts'

interface ChaosBot {
  readonly name: string
  readonly token: string
}

/** Telegram's simulator, with a bot for each instance and a person for each client. It recognizes no repetition. */
export async function chaosTelegram(count: number): Promise<ChaosNetwork> {
  const telegram = await startTelegram({ after: () => {} })
  const { control } = telegram
  await control.limit({ bot: null, chat: null, group: null })
  const people = await Promise.all(nodeNames.map((first_name) => control.createPerson({ first_name })))
  const bots: ChaosBot[] = []
  for (let index = 0; index < count; index++) bots.push(await botFor(telegram, index, people))
  return {
    urls: { POSTHORN_TELEGRAM_API: telegram.url },
    instances: bots.map(({ name, token }) => ({
      ...{ name, network: 'telegram', credentials: { token } },
      settings: { pacing: { messages: 1_000, seconds: 1 } },
    })),
    isForgetful: true,
    linesOf: (client) =>
      bots.map(({ name }, index) => ({
        ...{ instance: name, to: String(people[nodeNames.indexOf(client)]) },
        // A chat gets one text a second. Some lines wait for each text, some go on and have a queue after a fault.
        ...(index % 2 === 0 ? { pause: 1_200 } : { patient: true }),
      })),
    arrived: async () => (await Promise.all(bots.map((bot) => takenFrom(telegram, bot)))).flat(),
    complaints: async (faults) =>
      (await Promise.all(bots.map((bot) => conflictsOf(telegram, bot, faults)))).flat(),
    stop: () => telegram.stop(),
  }
}

async function botFor(
  { control }: TelegramProcess,
  index: number,
  people: readonly number[],
): Promise<ChaosBot> {
  const name = `telegram-${index}`
  const { token } = await control.createBot({ username: `chaos_${index}_bot` })
  for (const chat of people) await control.setStanding({ token, chat, standing: 'open' })
  return { name, token }
}

async function takenFrom({ control }: TelegramProcess, { name, token }: ChaosBot): Promise<Arrival[]> {
  const taken = Object.values(await control.taken({ token })).flat()
  return taken.map(({ chat, message_id, text = '', at }) => ({
    ...{ id: `${chat}:${message_id}`, text, instance: name, at },
  }))
}

/** The polls that ended another one of the same bot, although nothing kept its node from ending it first. */
async function conflictsOf(
  { control }: TelegramProcess,
  { name, token }: ChaosBot,
  faults: readonly SufferedFault[],
): Promise<string[]> {
  const conflicts = await control.conflicts({ token })
  return conflicts.filter((at) => isGraceful(at, faults)).map((at) => `${name}: two polls at ${at}`)
}
