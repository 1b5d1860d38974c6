import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { proto } from 'baileys'
import { NetFailure } from '../../../../net/failure.ts'
import type { FileRequest } from '../../../driver/abilities/files.ts'
import type { Envelope } from '../../incoming/incoming-message.ts'
import { referenceTo } from '../../media/files.ts'
import { HistoryBounds, largestHistory } from '../baileys/bounds/history.ts'
import type { HistoryContents } from '../baileys/bounds/history-contents.ts'
import type { Keys } from '../keys.ts'
import { type KeepingOptions, type KeptHistory, keepHistory } from './keeping.ts'

/** Parts that may wait to be fetched. */
const maxWaiting = 32

/** For how long a part is fetched after the phone told of it, in milliseconds; WhatsApp keeps it for some weeks. */
const waitsFor = 14 * 24 * 60 * 60 * 1000

/** Milliseconds that fetching one may take. */
const fetchTime = 120_000

/** Bytes that each attempt costs at least of those that may be fetched in an hour: a connection is no less work. */
const leastCost = 128 * 1024

/**
 * Milliseconds to wait after each attempt that failed for a reason that may pass. After the last one the part is dropped.
 */
const usualPauses = [2_000, 15_000, 60_000, 300_000, 1_800_000]

/** Under this type and id, the parts are stored that are still to be fetched. */
const waitingType = 'history'
const waitingId = 'waiting'

const { INITIAL_BOOTSTRAP, RECENT, PUSH_NAME, NON_BLOCKING_DATA } = proto.Message.HistorySyncType

/**
 * The parts that have people's addresses. The others are statuses, the years before, and answers to questions that are not
 * asked here.
 */
const wantedTypes: ReadonlySet<unknown> = new Set([INITIAL_BOOTSTRAP, RECENT, PUSH_NAME, NON_BLOCKING_DATA])

export interface HistoryOptions extends KeepingOptions {
  readonly keys: Keys
  /** Opens the file of a reference, decrypted. Rejects as `openFile` does, and if the connection is not open. */
  readonly open: (reference: string, request: FileRequest) => Promise<Readable>
  /** Runs `work` when it is the turn of this client. */
  readonly inTurn: <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>
  /** Marks this client as the cause of everything that happens next. */
  readonly serves: () => void
  readonly dropped: (what: 'history' | 'history_file') => void
  readonly read: (kept: KeptHistory) => void
  readonly pauses?: readonly number[]
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
}

type Outcome = 'over' | 'later'

/**
 * Takes what the own phone tells of the history from before the account was linked, of which privacy tokens and addresses are kept. Parts that are
 * in messages are read at once. Files are fetched one after the other, while messages come and go; those that are waiting are stored before the
 * phone learns that its client has the message, so that none is lost if the server ends.
 */
export class History {
  readonly #options: HistoryOptions
  readonly #bounds: HistoryBounds
  readonly #ended = new AbortController()
  /** References in the order in which they came; null until they were read. */
  #waiting: Set<string> | null = null
  #isOpen = false
  #isFetching = false

  constructor(options: HistoryOptions) {
    this.#options = options
    this.#bounds = new HistoryBounds(options.now)
  }

  /** Notes a message of a person or of the own phone. Its share of the history is put into the keys. */
  async note({ from_me }: Pick<Envelope, 'from_me'>, { protocolMessage }: proto.IMessage): Promise<void> {
    const { type, historySyncNotification: told } = protocolMessage ?? {}
    if (!from_me || !told || type !== proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION) return
    if (!wantedTypes.has(told.syncType)) return
    const inline = told.initialHistBootstrapInlinePayload
    // Keys are held back until the message is stored, so nothing here may wait for them.
    if (inline && inline.length > 0) await this.#keep(this.#unpack(inline), () => Promise.resolve())
    else if (told.directPath) await this.#noteFile(told)
  }

  /** The connection is open: what waits is fetched. */
  async opened(): Promise<void> {
    this.#isOpen = true
    await this.#fetchAll()
  }

  /** Parts that were not fetched are fetched by the next client of the account. */
  end(): void {
    this.#ended.abort()
  }

  async #noteFile(told: proto.Message.IHistorySyncNotification): Promise<void> {
    const { dropped } = this.#options
    const size = Number(String(told.fileLength ?? 0))
    const reference = referenceTo({
      kind: 'history',
      directPath: told.directPath ?? '',
      secrets: {
        mediaKey: told.mediaKey ?? new Uint8Array(),
        fileSha256: told.fileSha256 ?? new Uint8Array(),
        fileEncSha256: told.fileEncSha256 ?? new Uint8Array(),
      },
      size,
    })
    if (reference === null) return dropped('history_file')
    const waiting = await this.#known()
    if (size > largestHistory || waiting.size >= maxWaiting) return dropped('history')
    waiting.add(reference)
    this.#putWaiting(waiting)
    void this.#fetchAll()
  }

  async #fetchAll(): Promise<void> {
    if (!this.#isOpen || this.#isFetching) return
    this.#isFetching = true
    try {
      const waiting = await this.#known()
      for (const reference of waiting) {
        await this.#fetchSoon(reference)
        waiting.delete(reference)
        this.#putWaiting(waiting)
        await this.#options.keys.flush()
      }
    } catch (error) {
      // Keys that cannot be stored end the client by themselves.
      if (!this.#ended.signal.aborted) throw error
    } finally {
      this.#isFetching = false
    }
  }

  /** Resolves when nothing more is to be done for this part. Rejects if the client ends before. */
  async #fetchSoon(reference: string): Promise<void> {
    const { signal } = this.#ended
    for (const pause of this.#options.pauses ?? usualPauses) {
      if ((await this.#attempt(reference)) === 'over') return
      await wait(pause, undefined, { signal, ref: false })
    }
    if ((await this.#attempt(reference)) === 'later') this.#options.dropped('history_file')
  }

  async #attempt(reference: string): Promise<Outcome> {
    const { signal } = this.#ended
    signal.throwIfAborted()
    if (this.#bounds.isSpent) {
      this.#options.dropped('history')
      return 'over'
    }
    try {
      const { inTurn, keys } = this.#options
      const contents = await inTurn(async () => this.#unpack(await this.#download(reference)), signal)
      await this.#keep(contents, () => keys.flush())
      return 'over'
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof NetFailure) || !error.permanent) return 'later'
      this.#options.dropped(error.reason === 'too_large' ? 'history' : 'history_file')
      return 'over'
    }
  }

  /** All bytes of a file, once it is sure that it is the one that the phone told of. */
  async #download(reference: string): Promise<Buffer> {
    const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(fetchTime)])
    const chunks: Buffer[] = []
    let length = 0
    try {
      const body = await this.#options.open(reference, { largest: largestHistory, signal })
      for await (const chunk of body as AsyncIterable<Buffer>) {
        length += chunk.length
        chunks.push(chunk)
      }
    } finally {
      this.#bounds.spend(Math.max(length, leastCost))
    }
    return Buffer.concat(chunks)
  }

  #unpack(payload: Uint8Array): HistoryContents | null {
    this.#options.serves()
    return this.#bounds.unpack(payload)
  }

  async #keep(contents: HistoryContents | null, pause: () => Promise<unknown>): Promise<void> {
    const { dropped, read } = this.#options
    if (!contents) return dropped('history')
    const kept = await keepHistory(this.#options, contents, pause)
    const isOver = this.#ended.signal.aborted
    if (!isOver && (kept.tokens > 0 || kept.addresses > 0)) read(kept)
  }

  async #known(): Promise<Set<string>> {
    if (this.#waiting) return this.#waiting
    const stored = await this.#options.keys.read(waitingType, [waitingId])
    this.#waiting ??= new Set(stored.get(waitingId) as readonly string[] | undefined)
    return this.#waiting
  }

  #putWaiting(waiting: ReadonlySet<string>): void {
    const value = waiting.size > 0 ? [...waiting] : null
    this.#options.keys.put({ [waitingType]: { [waitingId]: value } }, Date.now() + waitsFor)
  }
}
