import type { ConnectContext } from '../driver/connection.ts'
import type { Observation } from '../driver/observation.ts'
import { ChatStates } from './incoming/chat-states.ts'
import { Reception } from './incoming/reception.ts'
import type { XmppTimeouts } from './limits.ts'
import { Rooms } from './rooms/rooms.ts'
import type { XmppSession } from './session/session.ts'
import type { IqRequests } from './stanzas/iq-requests.ts'
import type { Xml } from './stanzas/xml.ts'

/** Milliseconds by which what was missed in rooms is read from earlier than needed: the clocks of the two sides differ. */
const overlap = 10 * 60_000

/** Milliseconds for which rooms wait to learn what is stored. */
const maxWaitForMark = 10_000

export interface IntakeOptions {
  readonly context: ConnectContext
  readonly session: XmppSession
  readonly iqRequests: IqRequests
  readonly timeouts: XmppTimeouts
  readonly write: (xml: string) => void
  /** As in `ConnectContext`, until the connection is closed. */
  readonly report: (observation: Observation) => Promise<boolean>
  /** Aborts when the connection ends. */
  readonly over: AbortSignal
}

/** All that people send to the account on one connection: to itself, and in its rooms. */
export class Intake {
  readonly rooms: Rooms
  readonly chatStates: ChatStates
  readonly #options: IntakeOptions
  readonly #reception: Reception
  readonly #othersRead = Promise.withResolvers<void>()

  constructor(options: IntakeOptions) {
    this.#options = options
    const { context, session, iqRequests, timeouts, write, report, over } = options
    const { clock, log, share, keys } = context
    const shared = { session, iqRequests, clock, log, share, report, write, timeouts }
    const now = () => clock.now()
    const seen = (observation: Observation) => void report(observation)
    this.chatStates = new ChatStates({ account: session.address, iqRequests, now, report: seen, over })
    this.#reception = new Reception({
      ...shared,
      caughtUp: () => context.stored.upTo(),
      isKnownRoom: (bare) => session.rooms.get(bare)?.isProven === true,
      othersRead: this.#othersRead.promise,
    })
    const { chatStates } = this
    this.rooms = new Rooms({ ...shared, keys, chatStates, mark: () => this.#reception.mark, over })
  }

  /** Reports the connection as open, and what was missed while there was none. */
  open(isResumed: boolean): void {
    const { over, report, context } = this.#options
    const since = context.stored.upTo().then((stored) => stored && stored.at - overlap)
    const rooms = this.rooms.begin(isResumed, Promise.race([since, this.#lateMark()]))
    void rooms.then(() => this.#othersRead.resolve())
    if (this.#reception.isBehind) {
      void this.#openCaughtUp()
      return
    }
    void report({ kind: 'connection-opened' })
    void rooms.then(() => {
      if (!over.aborted) this.#reception.reportCaughtUp()
    })
  }

  /** Takes a message that is no error, or a presence. */
  take(stanza: Xml): void {
    if (this.rooms.take(stanza) || stanza.name !== 'message') return
    this.#reception.take(stanza)
    this.chatStates.take(stanza)
  }

  /** Opens once everything that was missed is reported; but a long gap, or an unavailable store, delays sending only briefly. */
  async #openCaughtUp(): Promise<void> {
    const { over, report, timeouts } = this.#options
    const { promise: longEnough, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, timeouts.catchUp)
    await Promise.race([this.#reception.catchUp(over), longEnough])
    clearTimeout(timer)
    if (!over.aborted) void report({ kind: 'connection-opened' })
  }

  /** If the store cannot say what it has, rooms do without what was missed. */
  #lateMark(): Promise<null> {
    const { promise, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(() => resolve(null), maxWaitForMark)
    const end = () => {
      clearTimeout(timer)
      resolve(null)
    }
    this.#options.over.addEventListener('abort', end, { once: true })
    void this.#othersRead.promise.then(end)
    return promise
  }
}
