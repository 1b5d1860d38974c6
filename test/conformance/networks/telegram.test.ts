import type { Contact, Location, Poll, Venue } from '@grammyjs/types'
import type { RelationType } from '../../../src/contract/statuses.ts'
import type { ConnectContext, DriverConnection } from '../../../src/networks/driver/connection.ts'
import type { Driver } from '../../../src/networks/driver/driver.ts'
import { telegram } from '../../../src/networks/telegram/driver.ts'
import { startTcpProxy, type TcpProxy } from '../../kit/far-ends/tcp-proxy.ts'
import { TelegramCallbacks } from '../../kit/networks/telegram/callbacks.ts'
import type { Key, Received } from '../../simulators/telegram/chats.ts'
import { asKept } from '../../simulators/telegram/sending/sending.ts'
import { startTelegram, type TelegramProcess } from '../../simulators/telegram/start-telegram.ts'
import type { Account, Arrival, ArrivedFile, Harness } from './harness.ts'
import { conformance } from './suite.ts'

const refusedToken = `9000000001:${'w'.repeat(35)}`

/** The far end is a simulator of the Bot API; every bot reaches it through a line of its own. */
class TelegramHarness implements Harness {
  readonly driver: Driver
  readonly #updates: 'polling' | 'callback'
  #callbacks: TelegramCallbacks | null = null
  readonly confirms = []
  readonly spellings = [
    { written: '7000000001', address: '7000000001' },
    { written: '-0001002000000001', address: '-1002000000001' },
    { written: '@Some_Channel', address: '@some_channel' },
  ]
  readonly asKept = asKept
  readonly #lines = new Map<string, TcpProxy>()
  readonly #recipients = new Map<string, Recipient>()
  /** The accounts with a message that stays without an answer. */
  readonly #waiting = new Set<Account>()
  #telegram: TelegramProcess | null = null
  #writer = 0
  #names = 0

  constructor(updates: 'polling' | 'callback') {
    this.#updates = updates
    if (updates === 'callback') this.removableAccount = () => this.newAccount()
    else this.writeToAbsent = (account, text) => this.writeTo(account, text)
    this.driver = {
      ...telegram({ baseUrl: 'https://api.telegram.org', serverUrl: 'https://posthorn.example' }),
      connect: (context) => this.#watched(context),
    }
  }

  get #far(): TelegramProcess {
    if (!this.#telegram) throw new Error('the far end was not started')
    return this.#telegram
  }

  /** Looks for what has arrived whenever an attempt has its outcome. */
  #watched(context: ConnectContext): DriverConnection {
    const token = String(context.credentials.read().token)
    const baseUrl = `http://127.0.0.1:${this.#lines.get(token)?.port}`
    const connection: DriverConnection = telegram({ baseUrl }).connect({
      ...context,
      report: (observation) => {
        const stored = context.report(observation)
        if (observation.kind === 'connection-opened') this.#callbacks?.open(token, connection)
        return stored
      },
    })
    return {
      ...(connection.remove && { remove: connection.remove.bind(connection) }),
      ...(connection.showTyping && { showTyping: connection.showTyping.bind(connection) }),
      ...(connection.findPicture && {
        findPicture: async (address, signal) => {
          await this.#acquaint(token, address)
          return (await connection.findPicture?.(address, signal)) ?? { kind: 'none' }
        },
      }),
      probe: () => connection.probe(),
      close: () => connection.close(),
      ...(connection.groups && { groups: connection.groups }),
      send: async (message, attempt) => {
        const recipient = this.#recipients.get(message.to)
        if (!recipient || token === refusedToken) return await connection.send(message, attempt)
        await this.#acquaint(token, message.to)
        const outcome = await connection.send(message, attempt)
        await recipient.look(token)
        return outcome
      },
    }
  }

  /** Everybody who is a recipient has started every bot. */
  async #acquaint(token: string, to: string): Promise<void> {
    await this.#far.control.setStanding({ token, chat: Number(to), standing: 'open' })
  }

  async start(): Promise<void> {
    this.#telegram = await startTelegram({ after: () => {} })
    if (this.#updates === 'callback') this.#callbacks = await TelegramCallbacks.start()
    await this.#far.control.retrySecond({ milliseconds: 20 })
    await this.#far.control.limit({ bot: null, chat: null, group: null })
    this.#writer = await this.#far.control.createPerson({ first_name: 'Writer' })
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.stop()))
    await this.#telegram?.stop()
    this.#callbacks?.stop()
  }

  async newAccount(): Promise<Account> {
    this.#names += 1
    const { token } = await this.#far.control.createBot({ username: `name_${this.#names}_bot` })
    return await this.#account(token)
  }

  async refusedAccount(): Promise<Account> {
    return await this.#account(refusedToken)
  }

  async unreachableAccount(): Promise<Account> {
    const account = await this.newAccount()
    await this.#line(account).stop()
    return account
  }

  async #account(token: string): Promise<Account> {
    this.#lines.set(token, await startTcpProxy({ port: Number(new URL(this.#far.url).port) }))
    const callbackUrl = this.#callbacks?.urlFor(token)
    return {
      settings: { updates: this.#updates },
      credentials: { token },
      secrets: [token],
      ...(callbackUrl !== undefined && { callbackUrl }),
    }
  }

  /** Updates for a bot with a webhook that is not connected wait as callbacks, and not at Telegram. */
  readonly writeToAbsent?: (account: Account, text: string) => Promise<string>
  /** An account whose instance has set a webhook at Telegram. */
  readonly removableAccount?: () => Promise<Account>

  async newRecipient(arrived: (arrival: Arrival) => void): Promise<string> {
    const chat = await this.#far.control.createPerson({ first_name: 'Recipient' })
    this.#recipients.set(String(chat), new Recipient(this.#far, chat, arrived))
    return String(chat)
  }

  async unknownRecipient(): Promise<string> {
    return '6000000001'
  }

  async unanswered(account: Account): Promise<string> {
    this.#line(account).hold('to-client')
    this.#waiting.add(account)
    return String(this.#writer)
  }

  async cut(account: Account): Promise<void> {
    const token = String(account.credentials.token)
    const isPolling = this.#updates === 'polling'
    // Every message is a request of its own, which would otherwise go by a line that is whole again, and so is a poll.
    const isWaiting = this.#waiting.delete(account)
    if (isWaiting) await this.#line(account).sees('to-server', /sendMessage/)
    else if (isPolling) await this.#far.control.polling({ token })
    if (isWaiting || isPolling) this.#line(account).cut()
    // Without polls, nothing lasts between requests: the next probe finds the line broken.
    if (!isPolling)
      await this.#far.control.fault({ method: 'getWebhookInfo', token, fault: { kind: 'cut', taken: false } })
  }

  async writeTo(account: Account, text: string): Promise<string> {
    const token = String(account.credentials.token)
    await this.#far.control.write({ token, chat: this.#writer, text })
    return String(this.#writer)
  }

  #line(account: Account): TcpProxy {
    const line = this.#lines.get(String(account.credentials.token))
    if (!line) throw new Error('the account is not of this far end')
    return line
  }
}

/** A person, with what each bot has sent them. */
class Recipient {
  readonly #far: TelegramProcess
  readonly #chat: number
  readonly #arrived: (arrival: Arrival) => void
  readonly #seen = new Map<string, number>()
  #looking = Promise.resolve()

  constructor(far: TelegramProcess, chat: number, arrived: (arrival: Arrival) => void) {
    this.#far = far
    this.#chat = chat
    this.#arrived = arrived
  }

  look(token: string): Promise<void> {
    this.#looking = this.#looking.then(async () => {
      const all = await this.#far.control.received({ token, chat: this.#chat })
      for (const message of all.slice(this.#seen.get(token) ?? 0))
        this.#arrived(arrivalOf(this.#chat, message))
      this.#seen.set(token, all.length)
    })
    return this.#looking
  }
}

/** A change of a message has its number, and no id of its own. */
function arrivalOf(chat: number, message: Received): Arrival {
  const { message_id, kind, text = '', reply_to } = message
  const [id, to] = [`${chat}:${message_id}`, `${chat}:${reply_to}`]
  const change = changes.get(kind)
  if (change) return { id: '', text, about: { as: change, id } }
  const about = reply_to === undefined ? {} : { about: { as: 'reply', id: to } as const }
  if (kind === 'text' && !message.keyboard) return { id, text, ...about }
  const content = contentOf(message)
  if (content) return { id, text: '', content, ...about }
  return { id, text: '', file: fileOf(message), ...about }
}

const changes = new Map<Received['kind'], RelationType>([
  ['reaction', 'reaction'],
  ['edit', 'correction'],
  ['deletion', 'retraction'],
])

/** A document may have been sent as anything: what is no photo, video or sticker for Telegram arrives as one. */
function fileOf(message: Received): ArrivedFile {
  const { kind, caption = null, filename = '', type = '', size = 0, sha256 = '' } = message
  // As browsers write quotes in forms; the simulator shows names as they come.
  const file = { filename: filename.replaceAll('%22', '"'), mime_type: type, size, sha256, caption }
  if (kind === 'document') return file
  const shown = { photo: 'image', video: 'video', sticker: 'sticker' } as const
  return { ...file, kind: kind in shown ? shown[kind as keyof typeof shown] : 'audio' }
}

/** Null for a text or a file. */
function contentOf({ kind, text = '', keyboard, content }: Received): Arrival['content'] | null {
  switch (kind) {
    case 'location':
      return { location: { ...(content as Location), name: null, address: null } }
    case 'venue': {
      const { location, title: name, address } = content as Venue
      return { location: { ...location, name, address } }
    }
    case 'contact': {
      const { phone_number, first_name: name } = content as Contact
      return { contacts: [{ name, phones: [phone_number], emails: [], company: null }] }
    }
    case 'poll': {
      const { question, options, allows_multiple_answers: multiple_answers } = content as Poll
      return { poll: { question, options: options.map((option) => option.text), multiple_answers } }
    }
    default:
      return keyboard ? { interactive: { body: text, ...choicesIn(keyboard.flat()) } } : null
  }
}

function choicesIn(keys: readonly Key[]) {
  const page = keys.find(({ url }) => url !== undefined)
  if (page) return { url_button: { title: page.text, url: page.url ?? '' } }
  return { buttons: keys.map(({ text: title, callback_data: id = '' }) => ({ id, title })) }
}

conformance('telegram', new TelegramHarness('polling'))
conformance('telegram, called back', new TelegramHarness('callback'))
