import type { Clock } from '../../../runtime/clock.ts'
import type { Holding } from '../../../runtime/limits/byte-budget.ts'
import type { Share } from '../../../runtime/limits/share.ts'
import type { Log } from '../../../runtime/log.ts'
import type { CaughtUp } from '../../driver/abilities/catching-up.ts'
import type { MessageReceived, Observation } from '../../driver/observation.ts'
import { ownCopy } from '../../kit/received-text.ts'
import { bareAddressOf } from '../address.ts'
import { messageCompletedBy } from '../sending/message-parts.ts'
import type { XmppSession } from '../session/session.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import { isArchiveId, isPlain, stanzaIdIn } from '../stanzas/message-id.ts'
import { attribute, type Xml } from '../stanzas/xml.ts'
import { Archive, type ArchivedMessage, type ArchivePage, ArchiveRefused, type Beginning } from './archive.ts'
import { copyIn } from './carbons.ts'
import { delayIn } from './forwarded.ts'
import { observationsIn } from './incoming-message.ts'
import { ReadingElsewhere } from './read-elsewhere.ts'
import { refusalOf } from './refusal.ts'

/** Entries of the archive that are read after a given one, and as many again from a given time on. */
const maxEntries = 5_000

/** Pages of the archive that are searched for messages that a count alone speaks for. */
const maxPagesBack = 100

/** Milliseconds by which a reading by time begins earlier than needed: the clocks of the two sides differ. */
const overlap = 10 * 60_000

/** Messages that may wait until older ones were read; the archive has them, too, and is read until it brought them. */
const maxHeld = 1_000
/** The memory of one of them in addition to its text and its other content, in bytes. */
const heldBytes = 1_200

export interface ReceptionOptions {
  readonly session: XmppSession
  readonly iqRequests: IqRequests
  readonly clock: Clock
  readonly log: Log
  readonly share: Share
  /** As in `ConnectContext`. */
  readonly report: (observation: Observation) => Promise<boolean>
  /** As in `ConnectContext`. */
  readonly caughtUp: () => Promise<CaughtUp | null>
  /** As in `Arrived`. */
  readonly isKnownRoom: (bare: string) => boolean
  /** Resolves when what was missed elsewhere is reported, too. */
  readonly othersRead: Promise<void>
  /** Writes a stanza. */
  readonly write: (xml: string) => void
  /** Milliseconds that the archive may take for one page. */
  readonly timeouts: { readonly archive: number }
}

/**
 * Reception on one connection: messages, copies of those to other clients, and from the archive those that were missed while
 * there was no connection. While the archive is read, new messages wait, so that they stay in their order. Those that still
 * wait when the connection ends are in the archive, after the mark.
 */
export class Reception {
  readonly #options: ReceptionOptions
  readonly #archive: Archive
  readonly #readingElsewhere: ReadingElsewhere
  /** The messages that wait until older ones were read, by id; null if none has to wait. */
  #held: Map<string, Observation> | null = null
  readonly #heldMemory: Holding
  #mark: string | undefined
  /** True if new messages will be read from the archive, so that they need not be held. */
  #isReadBehind = false
  /** True if a new message is left to the archive because too much was held. */
  #isLeft = false
  /** When the first attempts were made whose answers may not have come; what was sent long before is settled. */
  #lastAttempts = Number.POSITIVE_INFINITY

  constructor(options: ReceptionOptions) {
    this.#options = options
    this.#heldMemory = options.share.holding('incoming')
    const { address } = options.session
    this.#archive = new Archive(address, options.iqRequests)
    this.#readingElsewhere = new ReadingElsewhere(address, options.isKnownRoom)
  }

  /** Handles a message stanza that is not an error. */
  take(stanza: Xml): void {
    if (this.#archive.take(stanza)) return
    const { session, isKnownRoom } = this.#options
    const account = session.address
    const copy = copyIn(stanza, account)
    const message = copy?.message ?? stanza
    const stanzaId = session.archiveSupport.ids ? stanzaIdIn(message, account) : null
    const at = this.#past(copy?.at ?? delayIn(message, account))
    for (const read of this.#readingElsewhere.take(stanza)) this.#options.report(ownCopy(read))
    for (const observation of observationsIn(message, { account, stanzaId, at, isKnownRoom }).map(ownCopy)) {
      if (observation.kind === 'message-received') this.#readingElsewhere.note(observation)
      // A message that the server did not archive will not come from the archive if this connection ends first.
      if (this.#held && stanzaId !== null && observation.kind === 'message-received')
        this.#hold(this.#held, observation)
      else this.#report(this.#declinable(observation, { stanzaId, stanza, isCopy: copy !== null }))
    }
  }

  /** Makes a message that the server does not archive one that is returned to its sender if there is no room for it. */
  #declinable(
    observation: Observation,
    { stanzaId, stanza, isCopy }: { stanzaId: string | null; stanza: Xml; isCopy: boolean },
  ): Observation {
    const isArchived = stanzaId !== null && this.#options.session.archiveSupport.archive
    if (observation.kind !== 'message-received' || isArchived) return observation
    // Another client of the account has what came as a copy.
    const refusal = isCopy ? null : refusalOf(stanza)
    return {
      ...observation,
      decline: () => {
        if (refusal !== null) this.#options.write(refusal)
      },
    }
  }

  /** The last entry of the archive that was reported; undefined if none was. */
  get mark(): string | undefined {
    return this.#mark
  }

  /** True if the archive must be read before everything up to now is reported: after every gap, until that is done. */
  get isBehind(): boolean {
    const { session } = this.#options
    return session.archiveSupport.archive && !session.caughtUp
  }

  /**
   * Reports what was written to the account after the mark, oldest first, then what came meanwhile, and that nothing is
   * missing. Never rejects: an archive that fails is no reason to do without everything else, and the next connection asks
   * again, because the mark stays. Ends early if the signal aborts.
   */
  async catchUp(signal: AbortSignal): Promise<void> {
    this.#held = new Map()
    signal.addEventListener('abort', () => this.#heldMemory.end(), { once: true })
    let complete = false
    await this.#decideClaims(signal)
    if (signal.aborted) return
    try {
      complete = await this.#readAll(signal)
      if (!complete)
        this.#warn(
          'an XMPP account has more messages than are read at once; the rest follow with the next connection',
        )
    } catch (caught) {
      if (!signal.aborted)
        this.#warn('could not read the archive of an XMPP account; the next connection tries again', caught)
    }
    if (signal.aborted) return
    this.#release()
    await this.#options.othersRead
    if (complete && !signal.aborted) this.reportCaughtUp()
  }

  /** Reads after the mark, and after the next one as long as more came meanwhile than could be held. */
  async #readAll(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const mark = await this.#options.caughtUp()
      if (mark === null) return true
      this.#isReadBehind = true
      this.#isLeft = false
      if (!(await this.#readBehind(mark, signal))) return false
      if (!this.#isLeft) return true
    }
  }

  /** Reports that everything that came in until now was reported. */
  reportCaughtUp(): void {
    this.#options.session.caughtUp = true
    this.#options.report({ kind: 'caught-up', through: null })
  }

  /**
   * Looks for the messages that only the count of an ended session speaks for (docs/decisions/0025), from the latest entry of
   * the archive back to before the first of them. Those that are not there are given up; so are all if the archive cannot be
   * read: a later connection may still come by them.
   */
  async #decideClaims(signal: AbortSignal): Promise<void> {
    const { session } = this.#options
    if (session.claims.length === 0) return
    try {
      await this.#searchClaims(session, signal)
    } catch (caught) {
      if (!signal.aborted) this.#warn('could not search the archive of an XMPP account', caught)
    }
    if (!signal.aborted) session.dropClaims()
  }

  async #searchClaims(session: XmppSession, signal: AbortSignal): Promise<void> {
    const earliest = Math.min(...session.claims.map(({ at }) => at)) - overlap
    let reachedEarlier = false
    const take = ({ message, at }: ArchivedMessage) => {
      if (at !== null && at < earliest) reachedEarlier = true
      const sent = this.#isOwn(message) ? messageCompletedBy(message) : null
      if (sent !== null) session.proveClaim(sent)
    }
    let before = ''
    for (let pages = 0; pages < maxPagesBack && session.claims.length > 0 && !reachedEarlier; pages += 1) {
      const { complete, first } = await this.#page({ before }, take, signal)
      if (complete || first === null || first === before) return
      before = first
    }
  }

  /** False if there is more than is read at once. */
  async #readBehind({ mark: id, at }: CaughtUp, signal: AbortSignal): Promise<boolean> {
    const reached = { at: at - overlap }
    this.#lastAttempts = reached.at
    if (id !== null && isArchiveId(id) && (await this.#readAfterEntry(id, reached, signal))) return true
    // The entry may have left the archive, or so much comes after it that the time leads further: what the account itself
    // sends is archived, too, and may be most of it.
    return await this.#read({ since: reached.at }, reached, signal)
  }

  /** False if the archive does not know the entry, or has too many after it. */
  async #readAfterEntry(after: string, reached: { at: number }, signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#read({ after }, reached, signal)
    } catch (caught) {
      if (caught instanceof ArchiveRefused) return false
      throw caught
    }
  }

  /** Reads page after page, noting the time that was reached; false if there are too many. */
  async #read(beginning: Beginning, reached: { at: number }, signal: AbortSignal): Promise<boolean> {
    let next = beginning
    for (let count = 0; count < maxEntries; ) {
      const before = count
      const reports: Promise<boolean>[] = []
      const take = (entry: ArchivedMessage) => {
        count += 1
        reached.at = Math.max(reached.at, entry.at ?? 0)
        reports.push(...this.#takeEntry(entry))
      }
      const { complete, last } = await this.#page(next, take, signal)
      // A page without a continuation is the last one, even if it denies that.
      if (complete || last === null || last === next.after || count === before) return true
      if (isPlain(last)) reports.push(this.#options.report({ kind: 'caught-up', through: last }))
      next = { ...beginning, after: last }
      // No more is read than can be stored.
      await Promise.all(reports)
      signal.throwIfAborted()
    }
    return false
  }

  /** One page, for which the archive has so much time. */
  #page(
    beginning: Beginning,
    take: (entry: ArchivedMessage) => void,
    signal: AbortSignal,
  ): Promise<ArchivePage> {
    const deadline = AbortSignal.timeout(this.#options.timeouts.archive)
    return this.#archive.page(beginning, take, AbortSignal.any([signal, deadline]))
  }

  /** Returns true if the account itself wrote the message, with any of its clients. */
  #isOwn(message: Xml): boolean {
    return bareAddressOf(attribute(message, 'from')) === this.#options.session.address
  }

  #takeEntry({ id: stanzaId, message, at }: ArchivedMessage): Promise<boolean>[] {
    const { session, report, isKnownRoom } = this.#options
    if (at !== null && at >= this.#lastAttempts && this.#isOwn(message)) {
      const sent = messageCompletedBy(message)
      return sent === null ? [] : [report({ kind: 'message-acknowledged', network_message_id: sent })]
    }
    const arrived = { account: session.address, stanzaId, at: this.#past(at), isKnownRoom }
    return observationsIn(message, arrived).map((observed) => {
      const observation = ownCopy(observed)
      // Servers bring what came in a gap by themselves, too.
      if (observation.kind === 'message-received') {
        this.#held?.delete(observation.network_message_id)
        this.#readingElsewhere.note(observation)
      }
      return this.#report(observation)
    })
  }

  /** Returns a time that another party wrote down, as far as it can be true. */
  #past(time: number | null): number {
    const now = this.#options.clock.now()
    return time === null || time <= 0 ? now : Math.min(time, now)
  }

  #warn(what: string, err?: unknown): void {
    const { log, session } = this.#options
    log.warn({ err, account: session.address }, what)
  }

  #hold(held: Map<string, Observation>, observation: MessageReceived): void {
    held.set(observation.network_message_id, observation)
    const { text, content } = observation
    const characters = (text?.length ?? 0) + (content ? JSON.stringify(content).length : 0)
    this.#heldMemory.add(heldBytes + 2 * characters)
    if (held.size < maxHeld && !this.#options.share.crowded) return
    if (this.#isReadBehind) {
      held.clear()
      this.#heldMemory.set(0)
      this.#isLeft = true
    } else this.#release()
  }

  #report(observation: Observation): Promise<boolean> {
    if (observation.kind === 'message-received' && isArchiveId(observation.network_message_id))
      this.#mark = observation.network_message_id
    return this.#options.report(observation)
  }

  #release(): void {
    const held = this.#held?.values() ?? []
    this.#held = null
    this.#isReadBehind = false
    this.#heldMemory.end()
    for (const observation of held) this.#report(observation)
  }
}
