import {
  type AuthenticationCreds,
  type BinaryNode,
  type ConnectionState,
  initAuthCreds,
  type WASocket,
} from 'baileys'
import type { PartyNames } from '../../../net/resolve/names.ts'
import type { Observation } from '../../driver/observation.ts'
import { addressOf } from '../address.ts'
import { type Close, disconnectOf } from '../disconnects.ts'
import { ownIdFrom } from '../message-id.ts'
import { type Answers, LineFailure, type LineMessage, RpcChannel } from '../processes/rpc-channel.ts'
import type {
  AskServer,
  AskWorker,
  Dropped,
  SendingResult,
  ToSend,
  WorkerClientEvent,
  WorkerClientOptions,
} from '../processes/worker-protocol.ts'
import { answerTime, isAlive } from './asking/account.ts'
import { Asking } from './asking/asking.ts'
import { boundStanzas } from './baileys/bounds/stanzas.ts'
import { Departures } from './baileys/departures.ts'
import { keepReceipts } from './baileys/incoming/receipt-keeper.ts'
import { durableSignal } from './baileys/signal.ts'
import { closeOf } from './closes.ts'
import { clientHistory, type HistoryHome } from './history/client-history.ts'
import type { History } from './history/history.ts'
import { type KeyHome, Keys, readCreds } from './keys.ts'
import { LinkSteps } from './link-steps.ts'
import { MediaHosts } from './media-hosts.ts'
import { newChatsIn } from './new-chats.ts'
import { Expirations } from './outgoing/expirations.ts'
import { type OutgoingOptions, outgoing } from './outgoing/outgoing.ts'
import { Polls } from './outgoing/polls.ts'
import type { Resending } from './outgoing/resending.ts'
import type { MessageSender } from './outgoing/sending.ts'
import { Receiving } from './receiving.ts'
import { ClientCaches, openSocket } from './socket.ts'
import { thumbnailOf } from './thumbnail.ts'

/** Times in a row that WhatsApp may ask for a new socket before the client is open. */
const maxRestarts = 3

/** The error with which the server says that the client has too many keys. */
const keyLimit = 'KeyLimitReached'

export interface ClientHome extends HistoryHome {
  /** Looks names up. */
  readonly names: PartyNames
  send(message: LineMessage): void
  /** Nothing follows. */
  closed(): void
}

/** One linked client, or one that is to be linked: a socket, and a new one whenever WhatsApp asks for that. */
export class WhatsAppClient {
  readonly #options: WorkerClientOptions
  readonly #home: ClientHome
  readonly line: RpcChannel<AskWorker, AskServer>
  readonly #caches = new ClientCaches(() => this.#creds?.me?.lid)
  readonly #mediaHosts = new MediaHosts(async (question) => await this.#open().query(question, answerTime))
  #creds: AuthenticationCreds | null = null
  #isLinked = false
  #keys: Keys | null = null
  #history: History | null = null
  #sock: WASocket | null = null
  #sending: MessageSender | null = null
  #receiving: Receiving | null = null
  readonly #asking: Asking
  #isOpen = false
  #isDoubted = false
  #restarts = 0
  #over = false

  constructor(options: WorkerClientOptions, home: ClientHome) {
    this.#options = options
    this.#home = home
    this.#asking = this.#askingFor(options)
    const answers: Answers<AskWorker> = {
      send: (toSend) => this.#send(toSend),
      ping: () => this.#ping(),
      mediaHosts: ({ fresh }) => this.#mediaHosts.get(fresh),
      thumbnail: ({ image }) => thumbnailOf(image),
      ...this.#asking.answers,
    }
    this.line = new RpcChannel<AskWorker, AskServer>((message) => home.send(message), answers)
  }

  async open(): Promise<void> {
    const home: KeyHome = {
      get: (type, ids) => this.line.ask('keys', { type, ids }),
      set: (changes) => this.line.ask('setKeys', changes),
    }
    try {
      const stored = this.#options.isLinked ? await readCreds(home) : null
      if (this.#over) return
      if (this.#options.isLinked && stored === null) {
        this.#end({ kind: 'keys-missing' })
        return
      }
      this.#isLinked = stored !== null
      this.#creds = stored ?? initAuthCreds()
      this.#keys = new Keys(home, this.#creds, (error) => this.#keysFailed(error))
      if (stored !== null) this.#keys.credsAreStored()
      this.#connect(this.#creds, this.#keys)
    } catch (error) {
      this.#keysFailed(error)
    }
  }

  /** Ends without logging out. */
  close(): void {
    if (this.#over) return
    this.#over = true
    this.#history?.end()
    this.#asking.end()
    this.line.end(new Error('the client is closed'))
    void this.#sock?.end(undefined).catch(() => undefined)
    this.#receiving?.end()
    this.#home.closed()
  }

  /** Verifies the connection after an error that nothing caught: WhatsApp shows by its answer if it still works. */
  async doubt(): Promise<void> {
    const sock = this.#sock
    if (this.#isDoubted || !this.#isOpen) return
    this.#isDoubted = true
    const answered = await this.#ping()
    this.#isDoubted = false
    if (!answered && sock === this.#sock && this.#isOpen) {
      void sock?.ws.close().catch(() => undefined)
      this.#end({ kind: 'ended', close: { status: 408, message: 'Connection was lost' } })
    }
  }

  /** Something goes on for this client. */
  serves(): void {
    this.#home.serves()
  }

  /** Something that came in was larger than may be. */
  dropped(what: Dropped): void {
    if (!this.#over) this.#home.tell({ kind: 'dropped', what })
  }

  #connect(creds: AuthenticationCreds, keys: Keys): void {
    let receiving: Receiving | undefined
    let sending: MessageSender | undefined
    const departures = new Departures()
    const sock = openSocket(
      {
        options: this.#options,
        names: this.#home.names,
        auth: { creds, keys },
        departures,
        makeSignalRepository: durableSignal({
          keys,
          departures,
          encrypted: (user) => sending?.encrypted(user),
          decrypted: async (ciphertext, plaintext) => {
            const decrypted = await (receiving ? receiving.decrypted(ciphertext, plaintext) : plaintext())
            this.serves()
            return decrypted
          },
          failed: async (ciphertext, error) =>
            receiving ? await receiving.failed(ciphertext, error) : error,
        }),
      },
      this.#caches,
    )
    this.#bound(sock)
    const [expirations, polls] = [new Expirations(keys), new Polls(keys, () => creds.me)]
    const history = this.#historyOf(keys, expirations)
    const parts = this.#outgoing(sock, { keys, expirations, polls, departures })
    sending = parts.sending
    receiving = new Receiving({
      sock,
      room: () => this.line.ask('room', null),
      hold: () => keys.hold(() => this.#end({ kind: 'message-not-stored' })),
      store: (observation) => this.line.ask('store', observation),
      said: async (envelope, message) => {
        await expirations.note(envelope, message)
        await history.note(envelope, message)
        polls.note(envelope, message)
        this.#asking.said(envelope)
      },
      voteIn: (envelope, message) => polls.voteIn(envelope, message),
      isStored: (id) => this.line.ask('isStored', id),
      flush: () => keys.flush(),
      report: (observations) => this.#observed(...observations),
      withoutText: (id) => this.#caches.phoneRequests.needed(id),
      overflowed: () => this.#end({ kind: 'too-much-held' }),
      dropped: () => this.dropped('message'),
    })
    this.#keepReceipts(sock, parts.resending)
    this.#asking.listen(sock)
    this.#sock = sock
    this.#sending = sending
    this.#receiving = receiving
    this.#listen(sock, keys, receiving)
  }

  #keepReceipts(sock: WASocket, resending: Resending): void {
    keepReceipts({
      sock,
      store: async (receipts) => await this.line.ask('storeReceipts', await this.#asking.named(receipts)),
      sendAgain: (node) => resending.answer(node),
      overflowed: () => this.#end({ kind: 'too-much-held' }),
    })
  }

  #askingFor({ isShownOnline }: WorkerClientOptions): Asking {
    return new Asking({
      socket: () => this.#openSocket,
      keys: () => this.#keys,
      own: () => ({ number: this.#creds?.me?.id ?? '', lid: this.#creds?.me?.lid ?? null }),
      groups: this.#caches.groups,
      isShownOnline,
      report: (seen) => this.#observed(seen),
      store: (changes) => this.line.ask('storeGroupChanges', changes),
      overflowed: () => this.#end({ kind: 'too-much-held' }),
    })
  }

  #historyOf(keys: Keys, expirations: Expirations): History {
    this.#history?.end()
    const parts = { keys, expirations, mediaHosts: () => this.#mediaHosts.get(false) }
    this.#history = clientHistory({ ...parts, options: this.#options, home: this.#home })
    return this.#history
  }

  #outgoing(sock: WASocket, own: Pick<OutgoingOptions, 'keys' | 'expirations' | 'polls' | 'departures'>) {
    const { devices, groups } = this.#caches
    return outgoing({
      ...this.#options,
      ...own,
      sock,
      devices,
      groupOf: (group, fresh) => groups.of(sock, group, fresh),
      forget: (...jids) => this.#caches.forget(jids),
      report: (contact) => this.#observed(contact),
      reportNewChats: (info) => this.#home.tell(newChatsIn(info)),
    })
  }

  #bound({ ws }: WASocket): void {
    boundStanzas(ws, {
      came: () => this.serves(),
      tooLong: () => this.#end({ kind: 'too-much-held' }),
      dropped: () => this.dropped('stanza'),
    })
  }

  #listen(sock: WASocket, keys: Keys, receiving: Receiving): void {
    const steps = new LinkSteps(sock, {
      ...this.#options,
      tell: (step) => this.#observed(step),
      refused: () => {
        if (!this.#isLinked) this.#end({ kind: 'link-refused' })
      },
    })
    sock.ev.on('creds.update', () => {
      if (this.#isLinked && keys.putCreds()) void keys.flush().catch(() => undefined)
    })
    sock.ev.on('connection.update', (update) => {
      if (sock !== this.#sock) return
      if (update.qr !== undefined && !this.#isLinked) steps.show(update.qr)
      if (update.receivedPendingNotifications)
        void receiving.caughtUp().then(() => {
          if (!this.#over) this.#home.tell({ kind: 'caught-up' })
        })
      this.#updated(sock, keys, update)
    })
    sock.ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => this.#acknowledged(attrs))
    sock.ev.on('message-capping.update', (info) => this.#home.tell(newChatsIn(info)))
    sock.ws.on('CB:notification,type:passkey_prologue_request', () => this.#end({ kind: 'passkey-required' }))
  }

  #updated(sock: WASocket, keys: Keys, update: Partial<ConnectionState>): void {
    if (update.isNewLogin) this.#linked(keys)
    if (update.connection === 'open') {
      this.#restarts = 0
      this.#isOpen = true
      this.#tellAccount(sock)
      this.#home.tell({ kind: 'opened' })
      void this.#history?.opened()
    }
    if (update.reachoutTimeLock) {
      const { isActive, timeEnforcementEnds } = update.reachoutTimeLock
      this.#home.tell({
        kind: 'time-lock',
        isActive: isActive === true,
        endsAt: timeEnforcementEnds?.getTime() ?? null,
      })
    }
    if (update.connection === 'close')
      this.#closed(keys, closeOf(update.lastDisconnect?.error, this.#options.proxy !== null))
  }

  /** The phone has linked this client. Its keys are stored before the socket on which it logs in is opened. */
  #linked(keys: Keys): void {
    this.#isLinked = true
    keys.putCreds()
  }

  #closed(keys: Keys, close: Close): void {
    this.#isOpen = false
    if (this.#over || !this.#creds) return
    const creds = this.#creds
    const mayRestart = this.#isLinked && this.#restarts < maxRestarts
    if (disconnectOf(close).kind === 'restart' && mayRestart) void this.#restart(creds, keys)
    else this.#end({ kind: 'ended', close })
  }

  async #restart(creds: AuthenticationCreds, keys: Keys): Promise<void> {
    this.#restarts += 1
    this.#sock = null
    try {
      await keys.flush()
      await this.line.ask('linked', { account: creds.me?.id ?? '' })
      if (!this.#over) this.#connect(creds, keys)
    } catch (error) {
      this.#keysFailed(error)
    }
  }

  #tellAccount(sock: WASocket): void {
    const { id = '', name } = sock.user ?? {}
    const address = addressOf(id)
    if (address === null) return
    this.#observed({
      kind: 'account-known',
      address,
      ...(name && name !== '~' && { display_name: name.slice(0, 255) }),
      url: `https://wa.me/${address.slice(1)}`,
    })
  }

  #acknowledged(attrs: BinaryNode['attrs']): void {
    const { id = '', error, phash } = attrs
    const answer = {
      error: error === undefined ? null : Number(error) || 0,
      listHash: phash ?? null,
    }
    const isAwaited = this.#sending?.acknowledged(id, answer)
    const own = ownIdFrom(id)
    if (!isAwaited && error === undefined && own !== null)
      this.#observed({ kind: 'message-acknowledged', network_message_id: own })
  }

  async #send(toSend: ToSend): Promise<SendingResult> {
    if (!this.#isOpen || !this.#sending) return { kind: 'not_sent', detail: 'The connection is not open.' }
    const result = await this.#sending.send(toSend)
    this.#asking.sent(toSend.jid)
    return result
  }

  async #ping(): Promise<boolean> {
    const sock = this.#openSocket
    return sock !== null && (await isAlive(sock))
  }

  get #openSocket(): WASocket | null {
    return this.#isOpen ? this.#sock : null
  }

  #open(): WASocket {
    const sock = this.#openSocket
    if (!sock) throw new Error('the connection is not open')
    return sock
  }

  #observed(...observations: readonly Observation[]): void {
    if (!this.#over && observations.length > 0) this.#home.tell({ kind: 'observed', observations })
  }

  /** Messages that were encrypted with keys that are not stored must not leave: so the socket is closed at once. */
  #keysFailed(error: unknown): void {
    if (this.#over) return
    void this.#sock?.ws.close().catch(() => undefined)
    this.#end({
      kind: 'keys-not-stored',
      limitReached: error instanceof LineFailure && error.why === keyLimit,
    })
  }

  #end(event: WorkerClientEvent): void {
    if (this.#over) return
    this.#home.tell(event)
    this.close()
  }
}
