import { after, afterEach, before, beforeEach } from 'node:test'
import type { FreeFormMessage } from '../../../../src/networks/driver/message.ts'
import type { Outcome } from '../../../../src/networks/driver/outcome.ts'
import type { Received } from '../../../simulators/telegram/chats.ts'
import type { Control } from '../../../simulators/telegram/start-telegram.ts'
import { newMessageId } from '../new-message-id.ts'
import type { ObservedConnection } from '../observed-connection.ts'
import { type PlayedBot, TelegramPlays } from './plays.ts'

/** A message without its id and its recipient. */
export type Unaddressed<Message = FreeFormMessage> = Message extends infer One
  ? One extends unknown
    ? Omit<One, 'id' | 'to'>
    : never
  : never

/** A bot that is connected, and a person who has started it. Each test has its own. */
export class TelegramConversation {
  readonly plays: TelegramPlays
  readonly bot: PlayedBot
  readonly session: ObservedConnection
  readonly chat: number

  static async begin(plays: TelegramPlays): Promise<TelegramConversation> {
    const bot = await plays.bot()
    return new TelegramConversation(plays, bot, await bot.open(), await bot.person())
  }

  constructor(plays: TelegramPlays, bot: PlayedBot, session: ObservedConnection, chat: number) {
    this.plays = plays
    this.bot = bot
    this.session = session
    this.chat = chat
  }

  get control(): Control {
    return this.plays.control
  }

  /** Sends a message to the person, or to another chat. */
  async send(message: Unaddressed, to: number | string = this.chat): Promise<Outcome> {
    const whole = { id: newMessageId(), to: String(to), ...message }
    return this.plays.hears(await this.session.connection.send(whole, 1))
  }

  /** The messages of the bot in a chat. */
  received(chat = this.chat): Promise<Received[]> {
    return this.control.received({ token: this.bot.token, chat })
  }
}

/** Has each test of the file begin with a conversation of its own, which this returns. */
export function conversations(): () => TelegramConversation {
  let plays: TelegramPlays
  let conversation: TelegramConversation
  before(async () => {
    plays = await TelegramPlays.start()
  })
  after(() => plays.stop())
  beforeEach(async () => {
    conversation = await TelegramConversation.begin(plays)
  })
  afterEach(() => plays.end())
  return () => conversation
}
