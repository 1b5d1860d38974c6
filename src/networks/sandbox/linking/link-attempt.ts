import type { AnswerOutcome, LogOutOutcome } from '../../driver/abilities/linking.ts'
import type { ConnectContext } from '../../driver/connection.ts'
import type { Observation } from '../../driver/observation.ts'
import { errorOf } from '../codes.ts'
import { linkSteps } from '../script.ts'
import type { SandboxCredentials, SandboxSettings } from '../settings.ts'
import type { Waits } from '../waits.ts'
import { isAnswer, isLinked, linkValues, tokenValue } from './linking.ts'

/** The connection whose account is linked. */
interface LinkedConnection {
  report(observation: Observation): void
  /** The account is linked. */
  open(): void
  /** Ends the attempt: the account was not linked in time. */
  end(): void
  /** The new credentials could not be stored. */
  fail(): void
}

/** True if a person must link the account of a connection before it opens. */
export function needsLink({ link, settings, credentials }: ConnectContext): boolean {
  return (
    link !== undefined || !isLinked(settings as SandboxSettings, credentials.read() as SandboxCredentials)
  )
}

/** Logs the account of a connection out. The next one finds no token, and that it may not open without one. */
export async function logOut({ credentials }: ConnectContext): Promise<LogOutOutcome> {
  const { token: _, ...others } = credentials.read() as SandboxCredentials
  return credentials.save({ ...others, logged_out: true }).then(
    () => 'confirmed',
    () => 'unreachable',
  )
}

/** Plays how an account is linked through one connection. */
export class LinkAttempt {
  readonly #context: ConnectContext
  readonly #waits: Waits
  readonly #connection: LinkedConnection
  /** Question to a person who links the account. */
  #question: string | null = null

  constructor(context: ConnectContext, waits: Waits, connection: LinkedConnection) {
    this.#context = context
    this.#waits = waits
    this.#connection = connection
  }

  /** Shows one step after the other, and after a while acts as if a person had done what it says. */
  begin(): void {
    const { links_after_seconds = 5 } = this.#settings
    this.#show(1)
    if (this.#kind !== 'question') this.#waits.later(links_after_seconds * 1000, () => this.#linked())
  }

  answer(answer: string): AnswerOutcome {
    if (this.#question === null) return { kind: 'not_asked' }
    if (!isAnswer(this.#question, answer)) return { kind: 'rejected', error: errorOf('answer_wrong', true) }
    this.#linked()
    return { kind: 'accepted' }
  }

  get #kind() {
    return this.#context.link?.kind ?? this.#settings.link ?? 'qr'
  }

  get #settings(): SandboxSettings {
    return this.#context.settings as SandboxSettings
  }

  get #credentials(): SandboxCredentials {
    return this.#context.credentials.read() as SandboxCredentials
  }

  #show(step: number): void {
    if (step > linkSteps) {
      this.#question = null
      this.#connection.report({ kind: 'link-expired' })
      this.#connection.end()
      return
    }
    const { clock, random } = this.#context
    const { link_step_seconds = 20 } = this.#settings
    const kind = this.#kind
    const value = linkValues[kind](random)
    if (kind === 'question') this.#question = value
    const expires_at = clock.now() + link_step_seconds * 1000
    this.#connection.report({ kind: 'link-step', step: { kind, value, expires_at } })
    this.#waits.later(link_step_seconds * 1000, () => this.#show(step + 1))
  }

  /** The next connection finds the token and opens without a person. */
  #linked(): void {
    this.#question = null
    this.#waits.abandon()
    const { logged_out: _, ...others } = this.#credentials as SandboxCredentials & { logged_out?: true }
    this.#context.credentials.save({ ...others, token: tokenValue(this.#context.random) }).then(
      () => this.#connection.open(),
      () => this.#connection.fail(),
    )
  }
}
