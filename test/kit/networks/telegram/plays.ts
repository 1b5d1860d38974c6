import assert from 'node:assert/strict'
import type { CaughtUp } from '../../../../src/networks/driver/abilities/catching-up.ts'
import type { Driver } from '../../../../src/networks/driver/driver.ts'
import type { KeyStore } from '../../../../src/networks/driver/keys.ts'
import type { Observation, Restriction } from '../../../../src/networks/driver/observation.ts'
import type { Outcome } from '../../../../src/networks/driver/outcome.ts'
import { telegram } from '../../../../src/networks/telegram/driver.ts'
import { type Log, openLog } from '../../../../src/runtime/log.ts'
import type { PlannedFault } from '../../../simulators/telegram/sending/faults.ts'
import {
  type Control,
  startTelegram,
  type TelegramProcess,
} from '../../../simulators/telegram/start-telegram.ts'
import { ObservedConnection } from '../observed-connection.ts'

type Fault = PlannedFault['fault']

/** A simulated Telegram with the connections of its bots. */
export class TelegramPlays {
  readonly control: Control
  readonly url: string
  readonly log: Log
  readonly #telegram: TelegramProcess
  readonly #tokens: string[] = []
  readonly #open: ObservedConnection[] = []
  readonly #lines: string[] = []
  readonly #outcomes: Outcome[] = []

  static async start(): Promise<TelegramPlays> {
    const plays = new TelegramPlays(await startTelegram({ after: () => {} }))
    await plays.control.limit({ bot: null, chat: null, group: null })
    return plays
  }

  constructor(process: TelegramProcess) {
    this.#telegram = process
    this.control = process.control
    this.url = process.url
    this.log = openLog('trace', { write: (line) => void this.#lines.push(line) })
  }

  /** True if a line of the log says this. */
  logged(words: string): boolean {
    return this.#lines.some((line) => line.includes(words))
  }

  stop(): Promise<void> {
    return this.#telegram.stop()
  }

  /** Ends every connection, and checks that no token is in what they reported, answered or logged. */
  async end(): Promise<void> {
    for (const { connection } of this.#open) await connection.close()
    await this.control.clearFaults({})
    const observations = this.#open.flatMap((one) => one.observations)
    const all = [JSON.stringify([observations, this.#outcomes]), ...this.#lines].join('\n')
    for (const token of this.#tokens) {
      const [, secret = ''] = token.split(':')
      assert.ok(!all.includes(secret), 'the token is in what the driver tells')
    }
    this.#open.length = 0
  }

  async bot(): Promise<PlayedBot> {
    const { token, id } = await this.control.createBot({ username: `play_${this.#tokens.length}_bot` })
    this.#tokens.push(token)
    return new PlayedBot(this, token, id)
  }

  /** Has the reports of the connection searched for tokens in the end. */
  watches(connection: ObservedConnection): void {
    this.#open.push(connection)
  }

  hears(outcome: Outcome): Outcome {
    this.#outcomes.push(outcome)
    return outcome
  }
}

interface Opened {
  readonly baseUrl?: string
  /** Has Telegram call back at this URL. */
  readonly callbackUrl?: string
  /** By default `callback` if there is a callback URL. */
  readonly updates?: 'polling' | 'callback'
  /** As an earlier connection reported it. */
  readonly restriction?: Restriction | null
  /** Instead of a store that keeps everything. */
  readonly caughtUp?: () => Promise<CaughtUp | null>
  readonly isStored?: (observation: Observation) => Promise<boolean>
  /** As earlier connections left them; none by default. */
  readonly keys?: KeyStore
}

/** One bot, as a test plays it. */
export class PlayedBot {
  readonly token: string
  readonly id: number
  readonly #plays: TelegramPlays

  constructor(plays: TelegramPlays, token: string, id: number) {
    this.#plays = plays
    this.token = token
    this.id = id
  }

  /** Begins a connection, which a store that keeps everything listens to. */
  connect({
    baseUrl = this.#plays.url,
    caughtUp,
    isStored,
    callbackUrl,
    ...given
  }: Opened = {}): ObservedConnection {
    const driver: Driver = telegram({ baseUrl })
    const session: ObservedConnection = new ObservedConnection(driver, {
      settings: { updates: given.updates ?? (callbackUrl === undefined ? 'polling' : 'callback') },
      ...(callbackUrl !== undefined && { callbackUrl }),
      restriction: given.restriction ?? undefined,
      credentials: { token: this.token },
      log: this.#plays.log,
      ...(caughtUp && { caughtUp }),
      ...(isStored && { isStored }),
      ...(given.keys && { keys: given.keys }),
    })
    this.#plays.watches(session)
    return session
  }

  async open(options: Opened = {}): Promise<ObservedConnection> {
    const session = this.connect(options)
    await session.sees('connection-opened')
    return session
  }

  /** A person who has started the bot. */
  async person(): Promise<number> {
    const chat = await this.#plays.control.createPerson({ first_name: 'Ada' })
    await this.#plays.control.setStanding({ token: this.token, chat, standing: 'open' })
    return chat
  }

  /** Sends a text once, and says in a few words what became of it. */
  async send(session: ObservedConnection, to: number, text = 'Good morning'): Promise<string> {
    return brief(await this.outcome(session, to, text))
  }

  async outcome(session: ObservedConnection, to: number, text = 'Good morning'): Promise<Outcome> {
    return this.#plays.hears(await session.send(String(to), text).outcome)
  }

  fault(method: string, fault: Fault, times = 1): Promise<void> {
    return this.#plays.control.fault({ method, token: this.token, fault, times })
  }

  calls(method: string): Promise<number> {
    return this.#plays.control.calls({ method, token: this.token })
  }

  /** Counts the messages that Telegram took from the bot. */
  async taken(): Promise<number> {
    return Object.values(await this.#plays.control.taken({ token: this.token })).flat().length
  }
}

/** Returns the mark of a store that has kept everything so far. */
export function storedBy(session: ObservedConnection): CaughtUp | null {
  const marks = session.observations.flatMap((seen) =>
    seen.kind === 'caught-up' && seen.through !== null ? [seen.through] : [],
  )
  const mark = marks.at(-1)
  return mark === undefined ? null : { mark, at: Date.now() }
}

export function brief(outcome: Outcome): string {
  if (outcome.kind === 'rejected')
    return `${outcome.error.permanent ? 'permanent' : 'temporary'} ${outcome.error.code}`
  return outcome.kind === 'deferred' ? `deferred ${outcome.scope}` : outcome.kind
}

const ends: readonly string[] = ['connection-lost', 'credentials-refused', 'connection-refused']

type Ended = Extract<Observation, { readonly reason: unknown }>

/** Resolves with the end of a connection, present or future, and its reason. */
export async function endOf(session: ObservedConnection): Promise<Ended> {
  await session.sees('connection-lost').catch(() => {})
  const found = session.observations.filter((seen): seen is Ended => ends.includes(seen.kind))
  assert.equal(found.length, 1, 'a connection ends once')
  return found[0] ?? assert.fail()
}
