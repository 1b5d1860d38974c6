import { NetFailure } from '../../net/failure.ts'
import type { Fetched } from '../../net/fetch/fetch.ts'
import type { HttpClient } from '../../net/http/client.ts'
import type { AddressesAnswer } from '../driver/abilities/checking.ts'
import type { FileAccess, FileRequest } from '../driver/abilities/files.ts'
import type { GroupActions } from '../driver/abilities/groups.ts'
import type { LinkActions } from '../driver/abilities/linking.ts'
import type { PictureAnswer } from '../driver/abilities/pictures.ts'
import type { ReadOutcome, ReceivedName } from '../driver/abilities/reading.ts'
import type { ConnectContext, DriverConnection } from '../driver/connection.ts'
import type { Observation } from '../driver/observation.ts'
import { accepted, type Outcome, rejected, uncertain } from '../driver/outcome.ts'
import { memoryReasonAt } from '../kit/memory-reasons.ts'
import { allStored } from '../kit/reports.ts'
import { isGroup, jidOf } from './address.ts'
import { groupActions } from './asking/groups.ts'
import { checkAddresses, findPicture } from './asking/people.ts'
import type { ReasonCode } from './codes.ts'
import type { SendableMessage } from './content/content.ts'
import { type Close, disconnectOf } from './disconnects.ts'
import { DroppedLog } from './dropped.ts'
import { endingOf, errorOf } from './errors.ts'
import { LinkState } from './linking/link-attempt.ts'
import { openFile } from './media/files.ts'
import type { ImageMemory } from './media/image-memory.ts'
import type { MediaConnection } from './media/upload.ts'
import type { Answers } from './processes/rpc-channel.ts'
import type { WorkerClient } from './processes/worker-client.ts'
import type { AskServer, ClientSettings, WorkerClientEvent } from './processes/worker-protocol.ts'
import type { Workers } from './processes/workers.ts'
import { Restrictions } from './restrictions.ts'
import { Sender } from './sending/sender.ts'
import { isShownOnline, proxyOf } from './settings.ts'

/** Options that all connections of this server have in common. */
export interface ConnectionOptions {
  readonly workers: Workers
  readonly client: ClientSettings
  /** Images that are made smaller take turns. */
  readonly images: ImageMemory
}

/** Milliseconds in which a file host must begin its response. */
const answerTime = 20_000

/** As WhatsApp says that the device is unlinked. */
const deviceRemoved: Close = { status: 401, message: 'Connection Failure' }

/**
 * One connection of one linked account, or of one that is to be linked. The client itself lives in a worker process; what it needs to
 * find again is stored here, and what it reports goes through here.
 */
export class WhatsAppConnection implements DriverConnection {
  readonly files: FileAccess = { open: (reference, request) => this.#openFile(reference, request) }
  readonly linking: LinkActions = {
    logOut: async () => ((await this.#link.unlink()) ? 'confirmed' : 'unreachable'),
  }
  readonly groups: GroupActions = groupActions(
    (question, asked) => this.#ask(question, asked),
    () => this.#isOpen,
  )
  readonly #context: ConnectContext
  readonly #options: ConnectionOptions
  readonly #sender: Sender
  readonly #link: LinkState
  readonly #restrictions: Restrictions
  readonly #http: HttpClient
  readonly #dropped: DroppedLog
  /** Resolves to whether it opened, once that is known. */
  readonly #opened = Promise.withResolvers<boolean>()
  readonly #ended = new AbortController()
  #client: WorkerClient | null = null
  /** File hosts that WhatsApp named last. */
  #hosts: readonly string[] = []
  #room: Promise<unknown> = Promise.resolve()
  /** The last observation to be stored: the next one is stored after it. */
  #storing: Promise<unknown> = Promise.resolve()
  #isOpen = false
  #over = false
  #closed: Promise<void> | null = null

  constructor(context: ConnectContext, options: ConnectionOptions) {
    this.#context = context
    this.#options = options
    this.#dropped = new DroppedLog(context)
    this.#restrictions = new Restrictions(context.clock, context.restriction ?? null, (restriction) =>
      this.#report({ kind: 'restriction', restriction }),
    )
    this.#http = clientFor(context, options.client.ca)
    this.#sender = new Sender({
      http: this.#http,
      signal: this.#ended.signal,
      ask: (question, asked) => this.#ask(question, asked),
      mediaHosts: (fresh) => this.#mediaHosts(fresh),
      inTurn: (work) => options.images.inTurn(context.share.party, work),
      hold: (bytes) => options.images.hold(bytes),
      // WhatsApp may have said before until when.
      onRestriction: () => this.#timeLocked(),
      onSilence: () => this.#end('answer_timeout'),
    })
    this.#link = new LinkState(context, {
      opened: this.#opened.promise,
      logOut: () => this.#ask('logOut', null),
      ended: (close) => void this.#finish(close),
    })
    context.signal.addEventListener('abort', this.#abort, { once: true })
    queueMicrotask(() => (context.signal.aborted ? this.#abort() : this.#begin()))
  }

  send(message: SendableMessage, attempt: number): Promise<Outcome> {
    if (!this.#isOpen) return Promise.resolve(rejected(errorOf('not_connected', false)))
    return this.#sender.send(message, attempt)
  }

  probe(): void {
    if (!this.#isOpen) return
    void this.#ask('ping', null)
      .catch(() => false)
      .then((answered) => {
        if (this.#over) return
        if (answered) this.#report({ kind: 'connection-verified' })
        else this.#end('answer_timeout')
      })
  }

  async markRead({
    conversation,
    from,
    network_message_id,
    sender_message_id,
  }: ReceivedName): Promise<ReadOutcome> {
    const participant = isGroup(conversation) ? jidOf(from) : null
    try {
      const id = sender_message_id ?? network_message_id
      const acknowledged = await this.#ask('markRead', { jid: jidOf(conversation), participant, id })
      return acknowledged
        ? (accepted as ReadOutcome)
        : (uncertain('WhatsApp did not answer in time.') as ReadOutcome)
    } catch {
      return { kind: 'uncertain', detail: 'The connection is not open.' }
    }
  }

  checkAddresses(addresses: readonly string[], signal: AbortSignal): Promise<AddressesAnswer> {
    return checkAddresses(this.#ask, addresses, signal)
  }

  findPicture(address: string, signal: AbortSignal): Promise<PictureAnswer> {
    return findPicture(this.#ask, this.#http, address, signal)
  }

  async showTyping(to: string, seconds: number): Promise<void> {
    await this.#ask('showTyping', { jid: jidOf(to), seconds }).catch(() => undefined)
  }

  async #openFile(reference: string, request: FileRequest): Promise<Fetched> {
    // Files may be elsewhere than usual; if WhatsApp does not say, they are looked for where they usually are.
    if (this.#isOpen && this.#hosts.length === 0) await this.#mediaHosts(false).catch(() => undefined)
    if (!this.#isOpen) throw new NetFailure('lost', false, 'the connection to the network ended')
    return openFile({ http: this.#http, hosts: this.#hosts, answerTime }, reference, request)
  }

  remove(): Promise<boolean> {
    return this.#link.remove()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  #begin(): void {
    const { settings, credentials, stored, log, link = { kind: 'qr' }, instance, share } = this.#context
    // WhatsApp sends missed messages by itself, but none is taken before there is room: until then, the core drops them.
    this.#room = stored.upTo()
    this.#storing = this.#room
    const proxy = proxyOf(settings, credentials.read())
    this.#client = this.#options.workers.open(
      {
        ...this.#options.client,
        proxy,
        isShownOnline: isShownOnline(settings),
        isLinked: this.#link.wasThere,
        link,
      },
      {
        answers: this.#answers(),
        event: (event) => this.#take(event),
        workerEnded: (why) => this.#end(why),
      },
      log,
      { instance, party: share.party },
    )
  }

  #answers(): Answers<AskServer> {
    return {
      keys: ({ type, ids }) => this.#context.keys.get(type, ids),
      setKeys: (changes) => this.#link.setKeys(changes),
      room: async () => void (await this.#room),
      store: (observation) => this.#store(observation),
      storeReceipts: async (receipts) =>
        (await allStored(receipts.map((receipt) => this.#report(receipt)))) && !this.#over,
      storeGroupChanges: async (changes) =>
        (await allStored(changes.map((change) => this.#report(change)))) && !this.#over,
      isStored: (id) => this.#context.stored.has(id),
      linked: ({ account }) => this.#link.begin(account),
    }
  }

  /**
   * Resolves when an observation is stored; never if the connection is over, so that nothing is confirmed. Stores one at a
   * time.
   */
  #store(observation: Observation): Promise<void> {
    const stored = this.#storing.then(async () => {
      await this.#report(observation)
      if (this.#over) await new Promise(() => undefined)
    })
    this.#storing = stored.catch(() => undefined)
    return stored
  }

  #take(event: WorkerClientEvent): void {
    if (this.#over) return
    switch (event.kind) {
      case 'observed':
        for (const observation of event.observations) this.#report(observation)
        break
      case 'opened':
        this.#isOpen = true
        // WhatsApp lets no banned account in.
        this.#restrictions.lift('temporarily_banned')
        this.#report({ kind: 'connection-opened' })
        this.#opened.resolve(true)
        break
      case 'caught-up':
        this.#report({ kind: 'caught-up', through: null })
        break
      case 'time-lock':
        if (event.isActive) this.#restrictions.set('reach_out_restricted', event.endsAt)
        else this.#restrictions.lift('reach_out_restricted')
        break
      case 'new-chats':
        this.#restrictions.lift('new_chats_limit', 'new_chats_limit_near')
        if (event.limit !== null) this.#restrictions.set(event.limit, event.endsAt)
        break
      case 'history-read':
        this.#toldHistory(event)
        break
      case 'dropped':
        this.#options.workers.dropped.add(event.what)
        this.#dropped.add(event.what)
        break
      case 'too-much-held':
        this.#end(memoryReasonAt.connection)
        break
      case 'message-not-stored':
        this.#end('message_not_stored')
        break
      case 'passkey-required':
        this.#end('passkey_required')
        break
      case 'link-refused':
        this.#end('link_refused')
        break
      case 'keys-missing':
        void this.#finish(deviceRemoved)
        break
      case 'keys-not-stored':
        this.#end(event.limitReached ? 'too_many_keys' : 'keys_not_stored')
        break
      case 'ended':
        void this.#finish(event.close)
        break
    }
  }

  /** So that one can see whether the history came without which WhatsApp may refuse messages to known contacts. */
  #toldHistory({ tokens, addresses }: WorkerClientEvent & { kind: 'history-read' }): void {
    const { log, instance } = this.#context
    log.info({ instance_id: instance, tokens, addresses }, 'the phone transferred a part of the history')
  }

  async #mediaHosts(fresh: boolean): Promise<MediaConnection> {
    const connection = await this.#ask('mediaHosts', { fresh })
    this.#hosts = connection.hosts.map(({ hostname }) => hostname)
    return connection
  }

  /** The connection ended by itself. */
  async #finish(close: Close): Promise<void> {
    this.#isOpen = false
    if (this.#link.takeEnd(close)) return
    const disconnect = disconnectOf(close)
    if (disconnect.kind === 'link-expired') {
      this.#stop()
      this.#context.report({ kind: 'link-expired' })
    } else if (disconnect.kind === 'ended') {
      const { code, takenOver, bannedFor, more } = disconnect
      // The rest of the link is worthless, and the next one begins without it.
      if (code === 'logged_out') await this.#link.forget().catch(() => undefined)
      if (code === 'temporarily_banned') this.#restrictions.set(code, this.#momentIn(bannedFor ?? null))
      this.#end(code, more, takenOver)
    } else this.#end('connection_reset')
  }

  /** WhatsApp refused a new chat for that. Until when, it may have said before. */
  #timeLocked(): void {
    if (!this.#restrictions.has('reach_out_restricted')) this.#restrictions.set('reach_out_restricted', null)
  }

  #momentIn(duration: number | null): number | null {
    return duration === null ? null : this.#context.clock.now() + duration
  }

  get #ask(): WorkerClient['line']['ask'] {
    const line = this.#client?.line
    if (!line) return () => Promise.reject(new Error('the connection is not open'))
    return line.ask.bind(line)
  }

  #report(observation: Observation): Promise<boolean> {
    return this.#over ? Promise.resolve(false) : this.#context.report(observation)
  }

  #end(code: ReasonCode, more = '', takenOver?: boolean): void {
    if (this.#over) return
    this.#stop()
    const { kind, reason } = endingOf(code, more)
    if (kind === 'connection-lost') this.#context.report({ kind, reason, takenOver: takenOver === true })
    else this.#context.report({ kind, reason } as Observation)
  }

  /** Nothing is reported from now on. */
  #stop(): void {
    this.#over = true
    this.#isOpen = false
    this.#ended.abort()
    this.#opened.resolve(false)
    this.#context.signal.removeEventListener('abort', this.#abort)
    void this.#client?.close()
  }

  async #close(): Promise<void> {
    this.#stop()
    await this.#client?.close()
  }

  readonly #abort = (): void => void this.close()
}

/** A client that trusts whom the operator trusts for WhatsApp, and goes through the proxy of the instance, if there are any. */
function clientFor({ http, settings, credentials }: ConnectContext, ca: string | null): HttpClient {
  const proxy = proxyOf(settings, credentials.read())
  const more = { ...(ca !== null && { ca }), ...(proxy && { proxy }) }
  return {
    request: (asked) => http.request({ ...asked, ...more }),
    open: (asked) => http.open({ ...asked, ...more }),
  }
}
