import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { SealedCredentials } from '../../../src/networks/driver/account.ts'
import type { DriverConnection } from '../../../src/networks/driver/connection.ts'
import type { KeyStore } from '../../../src/networks/driver/keys.ts'
import type { OutgoingMedia } from '../../../src/networks/driver/message.ts'
import type { Outcome } from '../../../src/networks/driver/outcome.ts'
import { newMessageId } from '../../kit/networks/new-message-id.ts'
import type { Account, Arrival, Harness } from './harness.ts'
import { type Attempt, credentialsOf, type Media, newText, Session, type SessionOptions } from './session.ts'
import { Signals } from './signals.ts'

/** A recipient at the far end, with everything that reached them. */
export interface Recipient {
  readonly address: string
  readonly arrivals: Signals<Arrival>
  /** The first arrival of this id, once it is there. */
  arrived(id: string): Promise<Arrival>
}

/** A connection's knowledge of the ones before it. */
type Beginning = Pick<SessionOptions, 'resumption' | 'caughtUp' | 'link'>

/** Milliseconds after which an awaited event counts as missing; the largest files take their time on a busy machine. */
const timeout_ms = 60_000

/** The tools of one law: the far end, and the sessions that it opened. */
export class LawFixture {
  readonly harness: Harness
  readonly timeout = timeout_ms
  readonly #sessions: Session[] = []
  readonly #saved = new Map<Account, SealedCredentials>()
  readonly #keys = new Map<Account, KeyStore>()
  readonly #sent = new Set<string>()
  readonly #accounts = new Set<Account>()

  constructor(harness: Harness) {
    this.harness = harness
  }

  /** Begins a connection, without waiting for what becomes of it. */
  connect(account: Account, options: Beginning & { readonly aborted?: true } = {}): Session {
    const { driver } = this.harness
    const session = new Session({
      driver,
      account,
      timeout_ms,
      saved: this.#saved,
      keys: this.#keys,
      sent: this.#sent,
      ...options,
    })
    this.#sessions.push(session)
    this.#accounts.add(account)
    return session
  }

  /** Returns the credentials of an account after its connections saved some. */
  credentialsOf(account: Account): SealedCredentials {
    return credentialsOf(account, this.#saved)
  }

  /** Opens a connection, by default of a new account. */
  async open(account?: Account, options: Beginning = {}): Promise<Session> {
    const session = this.connect(account ?? (await this.harness.newAccount()), options)
    await session.seen('connection-opened')
    return session
  }

  async recipient(): Promise<Recipient> {
    const arrivals = new Signals<Arrival>(this.timeout)
    const address = await this.harness.newRecipient(arrivals.add)
    const arrived = (id: string) => arrivals.first(`the arrival of ${id}`, (arrival) => arrival.id === id)
    return { address, arrivals, arrived }
  }

  /** The id by which the recipient knows a message that the network must have accepted: ours, or the one that it assigned. */
  idOf(own: string, outcome: Outcome): string {
    assert.ok(outcome.kind === 'accepted', JSON.stringify(outcome))
    const { network_message_id: assigned } = outcome
    assert.equal(assigned !== undefined, this.harness.driver.abilities.message_ids === 'assigned')
    return assigned ?? own
  }

  /** Fails if a message that was never handed over might count as sent: it is not repeated where ids are not recognized. */
  isUnsent(outcome: Outcome): void {
    const isRefusedForNow = outcome.kind === 'rejected' && !outcome.error.permanent
    if (this.harness.driver.limits.dedupes_by_id) assert.ok(isRefusedForNow || outcome.kind === 'uncertain')
    else assert.ok(isRefusedForNow, `it was ${outcome.kind}`)
  }

  /** Fails unless a message that got no answer is uncertain, or refused for now because nothing of it had left. */
  isUnanswered(outcome: Outcome): void {
    const { dedupes_by_id } = this.harness.driver.limits
    const hasNotLeft = !dedupes_by_id && outcome.kind === 'rejected' && !outcome.error.permanent
    assert.ok(outcome.kind === 'uncertain' || hasNotLeft, `it was ${outcome.kind}`)
  }

  /** True if the network counts in UTF-16 code units, so that it calls a text within its limits too long. */
  countsTwice(text: string): boolean {
    const { driver } = this.harness
    const longest = '😀'.repeat(driver.limits.text_characters)
    return text.length > [...text].length && driver.textFault(longest, 'text') !== null
  }

  /** The text as the network keeps it. */
  kept(text: string): string {
    return this.harness.asKept?.(text) ?? text
  }

  /** Sends a text that the network must accept, and returns when it reached its recipient as it was sent. */
  async deliver(session: Session, recipient: Recipient, text = newText()): Promise<string> {
    const own = newMessageId()
    const id = this.idOf(own, await session.send(recipient.address, text, { id: own }))
    assert.equal((await recipient.arrived(id)).text, text)
    return id
  }

  /** Sends a file that the network must accept, and returns when its recipient has it, byte for byte. */
  async deliverFile(
    session: Session,
    recipient: Recipient,
    media: Media,
    attempt: Attempt = {},
  ): Promise<string> {
    const own = attempt.id ?? newMessageId()
    const outcome = await session.sendFile(recipient.address, media, { ...attempt, id: own })
    const id = this.idOf(own, outcome)
    arrivedAs(media, await recipient.arrived(id), outcome)
    return id
  }

  /**
   * Returns when everything that was on its way has had its time, without sleeping: another account is connected and
   * its message goes to a recipient and comes back confirmed.
   */
  async settle(): Promise<void> {
    const session = await this.open()
    const recipient = await this.recipient()
    const id = await this.deliver(session, recipient)
    for (const state of this.harness.confirms) {
      await session.seen('receipt', (receipt) => names(receipt, id) && receipt.state === state)
    }
    await session.close()
    await setImmediate()
  }

  /** Ends every session and returns which laws of form they broke. */
  async finish(): Promise<void> {
    // A connection that was lost is not closed: what still waits in it belongs to its resumption.
    const living = this.#sessions.filter((session) => session.count('connection-lost') === 0)
    await Promise.all(living.map((session) => session.close()))
    for (const session of this.#sessions) session.abandon()
    for (const account of this.#accounts) this.harness.takeBack?.(account, this.credentialsOf(account))
    assert.deepEqual(
      this.#sessions.flatMap((session) => session.faults),
      [],
    )
  }
}

/** True if an observation is about the message with this id on its network. */
export function names(seen: { network_message_id: string; assigned_id?: string }, id: string): boolean {
  return seen.network_message_id === id || seen.assigned_id === id
}

/**
 * Fails unless the recipient has the file that was sent, and knows of it what was said. It may have come as something else only if the
 * notices of the outcome say so.
 */
export function arrivedAs(media: Media, { file: arrived }: Arrival, outcome: Outcome): void {
  assert.ok(arrived, 'it arrived as a file')
  const { mime_type, size, sha256 } = media.file
  const sent = sentAs(media, outcome)
  const { kind = sent.kind, voice = sent.voice, filename, mime_type: type, ...rest } = arrived
  const caption = media.caption ?? null
  assert.deepEqual({ kind, voice, ...rest }, { ...sent, caption, size, sha256 })
  // A network may leave out the parameters of a type, such as the codec.
  if (type !== mime_type) assert.equal(type, mime_type.replace(/;.*$/, ''))
  if (filename !== null) assert.equal(filename, media.file.filename)
}

function sentAs({ kind, voice = false }: Media, outcome: Outcome): Pick<OutgoingMedia, 'kind' | 'voice'> {
  const notices = outcome.kind === 'accepted' ? (outcome.notices ?? []) : []
  const codes = notices.map(({ code }) => code)
  if (codes.includes('sent_as_document')) return { kind: 'document', voice: false }
  return { kind, voice: voice && !codes.includes('sent_as_audio') }
}

export type Ability = {
  [Name in keyof Harness]-?: undefined extends Harness[Name] ? Name : never
}[keyof Harness]

/**
 * Registers a law that needs the far end. If the network does not have what the law is about, as the harness shows by lacking
 * the ability, there is no such law for it; if the far end cannot be run, the law is reported as skipped.
 */
export function law(
  harness: Harness,
  name: string,
  body: (fixture: LawFixture) => Promise<void>,
  needs?: Ability,
): void {
  if (needs && harness[needs] === undefined) return
  const skip = harness.unavailable ?? false
  test(name, { skip, timeout: timeout_ms * 5 }, async () => {
    const fixture = new LawFixture(harness)
    try {
      await body(fixture)
    } catch (error) {
      // A fault of the law itself says more than one at the end of its sessions.
      await fixture.finish().catch(() => {})
      throw error
    }
    await fixture.finish()
  })
}

/** An ability of the harness or of a connection that the law has asked for. */
export function present<Value>(value: Value | undefined): Value {
  assert.ok(value !== undefined)
  return value
}

/** Closes a connection in every way at once, and again. */
export async function closeRepeatedly(connection: DriverConnection): Promise<void> {
  await Promise.all([connection.close(), connection.close()])
  await connection.close()
}
