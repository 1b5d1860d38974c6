import { type Deadline, setDeadline } from '../../runtime/timers/deadline.ts'
import type { FileAccess } from '../driver/abilities/files.ts'
import type { PictureAnswer } from '../driver/abilities/pictures.ts'
import type { ConnectContext, DriverConnection } from '../driver/connection.ts'
import type { Observation } from '../driver/observation.ts'
import { type Outcome, rejected } from '../driver/outcome.ts'
import { ownCopy } from '../kit/received-text.ts'
import { bareOf, isRoom, uriOf } from './address.ts'
import { memoryError, XmppError, xmppErrorFrom } from './errors.ts'
import { bounceIn } from './incoming/bounces.ts'
import { Intake } from './intake.ts'
import type { XmppTimeouts } from './limits.ts'
import { type LoggedIn, logIn } from './login/login.ts'
import { AccountRemoval } from './login/removal.ts'
import type { DeriveKeys } from './login/sasl.ts'
import type { ScramKeys } from './login/scram-keys.ts'
import { findPicture } from './pictures/find-picture.ts'
import { RoomActions } from './rooms/room-actions.ts'
import { roomFault } from './rooms/room-fault.ts'
import { asSharedIn, surroundingsIn } from './rooms/room-sending.ts'
import { Composing } from './sending/composing.ts'
import { messageIdOf } from './sending/message-parts.ts'
import {
  fileXmls,
  hasFile,
  notConnected,
  stanzasOf,
  unsendable,
  type XmppMessage,
} from './sending/outgoing-message.ts'
import { directly, type Surroundings } from './sending/surroundings.ts'
import { XmppSession } from './session/session.ts'
import { type Account, accountOf } from './settings.ts'
import { answerTo, IqRequests } from './stanzas/iq-requests.ts'
import { capabilities } from './stanzas/own-features.ts'
import { element, isStanza, ns, type Xml } from './stanzas/xml.ts'
import { dialXmpp, type XmppDialOptions } from './stream/dial.ts'
import { Stream } from './stream/stream.ts'
import { Uploads } from './upload/uploads.ts'

export interface ConnectionOptions extends XmppDialOptions {
  readonly timeouts: XmppTimeouts
  readonly keys: ScramKeys
}

/**
 * One connection to one account: one socket, one stream, one login. If something breaks, it is reported, never repaired here.
 */
export class XmppConnection implements DriverConnection {
  readonly groups: RoomActions
  readonly files: FileAccess = {
    ownAddress: async (url) => (this.#open ? await this.#uploads.ownAddress(url) : null),
  }

  readonly #context: ConnectContext
  readonly #options: ConnectionOptions
  readonly #account: Account
  readonly #iqRequests: IqRequests
  readonly #uploads: Uploads
  #intake: Intake | null = null
  /** Ends the dialling, the login and the wait for TLS. */
  readonly #over = new AbortController()
  #session: XmppSession | null
  #stream: Stream | null = null
  /** The address at which the server is. */
  #peer: string | undefined
  #open = false
  /** Resolves to whether the connection opened, once that is known. */
  readonly #opened = Promise.withResolvers<boolean>()
  #silent = false
  #closed: Promise<void> | null = null
  #acknowledgementTimer: Deadline | null = null
  #probeTimer: Deadline | null = null
  readonly #removal: AccountRemoval
  readonly #composing: Composing

  constructor(context: ConnectContext, options: ConnectionOptions) {
    this.#context = context
    this.#options = options
    this.#account = accountOf(context.settings)
    const { clock, http, log } = context
    this.#iqRequests = new IqRequests(this.#account.address, (xml) => this.#write(xml))
    this.#uploads = new Uploads({
      ...{ ...options, http, clock, log },
      ...{ peer: () => this.#peer, account: this.#account, iqRequests: this.#iqRequests },
    })
    this.#removal = new AccountRemoval((xml) => this.#write(xml))
    this.#composing = new Composing((xml) => this.#write(xml))
    this.groups = new RoomActions({
      account: this.#account.address,
      iqRequests: this.#iqRequests,
      write: (xml) => this.#write(xml),
      rooms: () => (this.#open ? (this.#intake?.rooms ?? null) : null),
      timeout: options.timeouts.group,
      over: this.#over.signal,
    })
    this.#session = this.#inherited()
    const abort = () => void this.close()
    context.signal.addEventListener('abort', abort, { once: true })
    this.#over.signal.addEventListener('abort', () => context.signal.removeEventListener('abort', abort))
    queueMicrotask(() => (context.signal.aborted ? abort() : void this.#connect()))
  }

  send(message: XmppMessage, _attempt: number): Promise<Outcome> {
    const refusal = unsendable(message)
    if (refusal) return Promise.resolve(refusal)
    const session = this.#session
    if (!this.#open || !session || !this.#stream) return Promise.resolve(notConnected)
    const underWay = session.underWay(message.id) ?? this.#uploads.underWay(message.id)
    if (underWay) return underWay
    if (isRoom(message.to)) return this.#sendToRoom(session, message)
    if (this.#intake?.rooms.isKnown(message.to))
      return Promise.resolve(rejected(roomFault('recipient_is_room')))
    return this.#sendIn(session, message, directly(this.#account.address))
  }

  async #sendToRoom(session: XmppSession, message: XmppMessage): Promise<Outcome> {
    const refused = await this.#intake?.rooms.ready(message.to, message.id)
    if (refused) return refused
    const room = this.#intake?.rooms.inside(message.to)
    if (!this.#open || session !== this.#session || !room) return notConnected
    const underWay = session.underWay(message.id) ?? this.#uploads.underWay(message.id)
    return await (underWay ??
      this.#sendIn(session, asSharedIn(room, message), surroundingsIn(room, this.#account.address)))
  }

  #sendIn(session: XmppSession, message: XmppMessage, around: Surroundings): Promise<Outcome> {
    if (!hasFile(message)) return this.#handOver(session, message, stanzasOf(message, around))
    return this.#uploads.send(message, (url) =>
      this.#handOver(session, message, fileXmls(message, url, around)),
    )
  }

  /** Writes the stanzas of a message: the server acknowledges in order, so its word for the last covers all of them. */
  #handOver(session: XmppSession, { id, to }: XmppMessage, xmls: readonly string[]): Promise<Outcome> {
    for (const xml of xmls.slice(0, -1)) this.#write(xml)
    const last = xmls.at(-1) ?? ''
    this.#composing.messageSent(to)
    const outcome = session.noteMessage(id, to, last, this.#context.clock.now())
    this.#stream?.send(last)
    this.#awaitAcknowledgement()
    return outcome
  }

  probe(): void {
    if (!this.#open || !this.#session || this.#probeTimer) return
    this.#probeTimer = setDeadline(this.#options.timeouts.probe, () => {
      this.#end(new XmppError('probe_timeout'))
    })
    this.#stream?.send(this.#session.request())
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async remove(): Promise<boolean> {
    const opened = await this.#opened.promise
    // An account that was there before the instance stays when it goes.
    if (this.#context.credentials.read().registered !== true) return opened
    if (!opened || !this.#open) return false
    return await this.#removal.ask(this.#options.timeouts.removal)
  }

  async showTyping(to: string, seconds: number): Promise<void> {
    const intake = this.#open ? this.#intake : null
    if (!intake) return
    const isShown = isRoom(to) ? intake.rooms.inside(to) !== null : await intake.chatStates.areKnownAt(to)
    if (isShown && this.#open) this.#composing.show(to, seconds)
  }

  findPicture(address: string, signal: AbortSignal): Promise<PictureAnswer> {
    if (!this.#open) return Promise.resolve({ kind: 'unanswered', detail: 'The connection is not open.' })
    return findPicture(
      bareOf(address),
      isRoom(address),
      this.#iqRequests,
      AbortSignal.any([signal, this.#over.signal]),
    )
  }

  /** A session to take up again, if the connection before this one left one that was for the same account. */
  #inherited(): XmppSession | null {
    const { resumption } = this.#context
    if (resumption instanceof XmppSession && resumption.address === this.#account.address) return resumption
    resumption?.abandon()
    return null
  }

  async #connect(): Promise<void> {
    const { connect } = this.#options.timeouts
    const deadline = setDeadline(connect, () => {
      this.#end(new XmppError('connect_timeout'))
    })
    const { signal } = this.#over
    const { random, credentials } = this.#context
    try {
      const socket = await dialXmpp(this.#account, this.#options, random, signal)
      if (signal.aborted) {
        socket.destroy()
        return
      }
      this.#peer = socket.remoteAddress
      const { share } = this.#context
      share.onExceeded = (scope) => this.#end(memoryError(scope))
      const { untaken } = this.#options.timeouts
      const stream = new Stream(socket, { domain: this.#account.domain, share, untaken })
      this.#stream = stream
      void stream.over.then((error) => this.#end(error))
      const { ca, keys } = this.#options
      const derive: DeriveKeys = (derivation) => keys.derive(derivation, share, signal)
      const context = { account: this.#account, credentials, ca, derive, share, signal }
      const loggedIn = await logIn(stream, context, this.#session)
      if (!signal.aborted) this.#begin(stream, loggedIn)
    } catch (caught) {
      const expected = caught instanceof XmppError || (caught instanceof Error && 'code' in caught)
      if (!expected) this.#context.log.error({ err: caught }, 'an XMPP login failed internally')
      this.#end(xmppErrorFrom(caught))
    } finally {
      deadline.cancel()
    }
  }

  #begin(stream: Stream, { session, resumed, early }: LoggedIn): void {
    if (this.#session) session.inheritClaims(this.#session)
    if (!session.archiveSupport.archive) session.dropClaims()
    this.#session = session
    const intake = this.#intakeOf(session)
    this.#intake = intake
    this.#open = true
    this.#opened.resolve(true)
    stream.appendToBatch = () => session.takeRequest()
    // Without presence no message to the bare address would arrive (RFC 6121 section 8.5.2.1.1); a resumed session still has
    // it. What was sent again there left before anything could follow it.
    if (resumed) stream.send(session.takeRequest())
    else this.#write(element('presence', {}, capabilities()).toString())
    this.#awaitAcknowledgement()
    const { address } = this.#account
    this.#report({ kind: 'account-known', address, url: uriOf(address) })
    intake.open(resumed)
    for (const stanza of early) this.#handle(stanza)
    stream.deliverTo((arrived) => this.#arrived(arrived))
  }

  #intakeOf(session: XmppSession): Intake {
    return new Intake({
      context: this.#context,
      session,
      iqRequests: this.#iqRequests,
      timeouts: this.#options.timeouts,
      write: (xml) => this.#write(xml),
      report: (observation) => this.#report(observation),
      over: this.#over.signal,
    })
  }

  /** Writes one of our stanzas for which no message waits. */
  #write(xml: string): void {
    this.#session?.note(xml)
    this.#stream?.send(xml)
  }

  #arrived(arrived: Xml): void {
    try {
      this.#take(arrived)
    } catch (caught) {
      if (!(caught instanceof XmppError))
        this.#context.log.error({ err: caught }, 'could not handle an XMPP stanza')
      this.#end(caught instanceof XmppError ? caught : new XmppError('internal_error'))
    }
  }

  #take(arrived: Xml): void {
    const session = this.#session
    if (!session) return
    const before = session.acknowledged
    if (session.takeAcknowledgement(arrived)) {
      if (session.acknowledged !== before) this.#awaitAcknowledgement(true)
      this.#verified()
    } else if (isStanza(arrived)) {
      this.#handle(arrived)
      session.handled = (session.handled + 1) >>> 0
    } else if (arrived.is('r', ns.management)) {
      this.#acknowledge()
    }
  }

  #handle(stanza: Xml): void {
    if (stanza.name === 'iq') {
      this.#handleIq(stanza)
    } else if (stanza.name === 'message' && stanza.attrs.type === 'error') {
      this.#handleBounce(stanza)
    } else {
      this.#intake?.take(stanza)
    }
  }

  #handleIq(iq: Xml): void {
    const answer = answerTo(iq)
    if (answer) this.#write(answer)
    else if (!this.#iqRequests.take(iq)) this.#removal.take(iq, this.#account.address)
  }

  /**
   * An error about a message under way answers its attempt; one about an accepted message is reported separately. For a
   * caption, only an error that answers the attempt counts: the later outcome of its message is reported about the file.
   */
  #handleBounce(stanza: Xml): void {
    const { rooms } = this.#intake ?? {}
    const bounce = bounceIn(stanza, this.#context.clock.now(), (bare) => rooms?.isKnown(bare) === true)
    if (!bounce) return
    const id = messageIdOf(bounce.id)
    const to = this.#session?.recipientOf(id) ?? null
    // Errors come from the recipient, or without a sender from our own server. Any other is forged.
    const ours = bounce.from === null || bounce.from === to || bounce.from === this.#account.address
    if (to !== null && ours) {
      this.#session?.settle(id, bounce.outcome)
      this.#awaitAcknowledgement(true)
    } else if (to === null && bounce.returned && id === bounce.id) {
      this.#report(ownCopy(bounce.returned))
    }
  }

  #acknowledge(): void {
    this.#stream?.send(
      element('a', { xmlns: ns.management, h: String(this.#session?.handled ?? 0) }).toString(),
    )
  }

  #verified(): void {
    if (!this.#probeTimer) return
    this.#probeTimer.cancel()
    this.#probeTimer = null
    this.#report({ kind: 'connection-verified' })
  }

  /** Runs one timer while messages wait; progress restarts it. It ends a half-open connection. */
  #awaitAcknowledgement(progress = false): void {
    if (this.#acknowledgementTimer && progress) {
      this.#acknowledgementTimer.cancel()
      this.#acknowledgementTimer = null
    }
    if (this.#acknowledgementTimer || !this.#session?.waiting) return
    this.#acknowledgementTimer = setDeadline(this.#options.timeouts.acknowledgement, () => {
      this.#end(new XmppError('acknowledgement_timeout'))
    })
  }

  #report(observation: Observation): Promise<boolean> {
    return this.#silent ? Promise.resolve(false) : this.#context.report(observation)
  }

  /** The one end of the connection: everything stops, and what can be taken up again is handed on. */
  #end(error: XmppError): void {
    if (this.#over.signal.aborted) return
    this.#stop(error)
    const { reason, verdict, takenOver } = error
    const session = this.#session
    const goesOn = session?.resumptionId || session?.claims.length
    if (verdict === 'connection-lost' && !this.#silent && !error.ours && session && goesOn) {
      this.#report({ kind: verdict, reason, resumption: session, takenOver })
      return
    }
    session?.abandon()
    this.#report(
      verdict === 'connection-lost' ? { kind: verdict, reason, takenOver } : { kind: verdict, reason },
    )
  }

  #stop(error: XmppError): void {
    this.#open = false
    this.#opened.resolve(false)
    this.#over.abort(error)
    this.#uploads.abandon()
    this.#stream?.destroy(error)
    this.#acknowledgementTimer?.cancel()
    this.#probeTimer?.cancel()
    this.#removal.end()
    this.#composing.end()
  }

  async #close(): Promise<void> {
    const over = this.#over.signal.aborted
    this.#silent = true
    if (over) return
    if (this.#open && this.#stream) {
      this.#open = false
      this.#uploads.abandon()
      // XEP-0198 section 5: before a graceful close each side says once more what it handled. The server's last count
      // still settles messages under way, so it is waited for.
      if (this.#session?.resumptionId) this.#acknowledge()
      await this.#stream.close(this.#options.timeouts.close)
    }
    this.#end(new XmppError('connection_closed'))
  }
}
