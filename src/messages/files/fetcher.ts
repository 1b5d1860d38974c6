import { type MediaErrorCode, mediaErrors, sentencesOf, triesAgain } from '../../contract/codes.ts'
import type { Draft } from '../../contract/handler.ts'
import type { MessageDirection } from '../../contract/resources/message.ts'
import { type MediaRefusal, mediaRefusal } from '../../media/content/media-refusal.ts'
import { MediaTooLarge } from '../../media/draft.ts'
import { type FileIntake, FileQuotaExceeded } from '../../media/file-quota.ts'
import type { Media } from '../../media/media.ts'
import { type FailureReason, NetFailure } from '../../net/failure.ts'
import type { Fetched, FetchRequest } from '../../net/fetch/fetch.ts'
import type { FileRequest } from '../../networks/driver/abilities/files.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import type { Networks } from '../../networks/driver/registry.ts'
import { abortOf } from '../../runtime/abort.ts'
import type { Changes } from '../../runtime/changes.ts'
import { QueueFull } from '../../runtime/limits/fair-semaphore.ts'
import { sizeInWords } from '../../runtime/text/size.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import { WakeUp } from '../../store/wake-up.ts'
import type { DispatchContext } from '../outbox/dispatch/dispatch.ts'
import { retryDelay } from '../outbox/queue/verdict.ts'
import { type FileToFetch, filesDue } from './fetch-store.ts'
import { FetchTurns } from './fetch-turns.ts'

/** The instances that run in this process. */
export interface RunningInstances {
  /** Has an instance look for what it has to send. */
  wake(instanceId: string): void
  /** Undefined for an instance that this node does not run. */
  runnerOf(instanceId: string):
    | {
        /** The connection, while it is open. */
        readonly connection: DriverConnection | undefined
      }
    | undefined
}

/** The parts that the fetching of message files is made from. */
export interface FileParts extends Pick<DispatchContext, 'clock' | 'log' | 'messageChanges'> {
  readonly store: Store
  /** The node that this process runs. */
  readonly node: { readonly id: string }
  /** Stores the files. */
  readonly media: Media
  /** Receives the bytes of files. */
  readonly intake: Pick<FileIntake, 'reserve'>
  readonly networks: Networks
  readonly alarms: Alarms
  /** Notified, with the direction of its message, after the commit of each file to fetch. */
  readonly filesToFetch: Changes
  readonly supervisor: RunningInstances
}

/** Why a file is not there. */
export interface FetchProblem {
  readonly code: MediaErrorCode
  readonly detail: string
}

/** The type and the name of a file according to its server. Neither can be trusted. */
export interface ClaimedFileType {
  readonly declared: string | undefined
  readonly filename: string | undefined
}

/**
 * The files that a fetcher fetches, and the storage of their results. `arrived`, `failed` and `later` resolve with true if
 * the message changed.
 */
export interface FetchWork<Taken> {
  readonly direction: MessageDirection
  /** Returns the bytes that a file may have. */
  largest(file: FileToFetch): number
  /** Fetches the file. Fails as a guarded fetch does. */
  fetch(file: FileToFetch, request: FileRequest): Promise<Fetched>
  /** Makes the received bytes a file of the organization, or says why it cannot. It must not discard the draft. */
  take(
    file: FileToFetch,
    draft: Draft,
    said: ClaimedFileType,
  ): Promise<{ readonly ok: true; readonly file: Taken } | MediaRefusal>
  arrived(file: FileToFetch, taken: Taken): Promise<boolean>
  /** It cannot be had. */
  failed(file: FileToFetch, problem: FetchProblem): Promise<boolean>
  /** It cannot be had now, and may be had at `at`. */
  later(file: FileToFetch, problem: FetchProblem, at: number): Promise<boolean>
}

const redirects = 3

/** The request for a file that is at a URL. Throws a NetFailure if that is no longer known. */
export function requestOf({ url, organization_id: party }: FileToFetch, request: FileRequest): FetchRequest {
  if (url === null) throw new NetFailure('malformed', true, 'the URL is no longer known')
  return { ...request, url, party, redirects }
}

/** Delay before fetching a file again if not even its failure could be stored, in milliseconds. */
const fetchRetry = 10_000

const codes: Readonly<Record<FailureReason, MediaErrorCode>> = {
  refused: 'media_refused',
  unreachable: 'media_unreachable',
  authentication: 'media_unreachable',
  tls: 'media_unreachable',
  lost: 'media_unreachable',
  timeout: 'media_timeout',
  too_large: 'media_too_large',
  status: 'media_unreachable',
  malformed: 'media_unreachable',
}

/** The result of a fetch: the file is there, cannot be had, or may be had later. */
type Fetching<Taken> =
  | { readonly ok: true; readonly file: Taken }
  | MediaRefusal
  | (FetchProblem & { readonly ok: 'later' })

const notKept = { code: 'media_not_kept', detail: sentencesOf(mediaErrors.media_not_kept) } as const

const withoutRoom = {
  code: 'files_quota_exceeded',
  detail: sentencesOf({ ...mediaErrors.files_quota_exceeded, next: triesAgain }),
} as const

function later(code: MediaErrorCode, word?: string): FetchProblem & { readonly ok: 'later' } {
  return { ok: 'later', code, detail: sentencesOf({ ...mediaErrors[code], next: triesAgain }, word) }
}

/**
 * Fetches the files that messages name by URL or reference. The store knows the files to fetch. A fetcher only remembers
 * what is under way, so a crash costs no more than fetching again. Each direction has a fetcher of its own, so that files
 * from unknown senders never take the place of those from callers.
 */
export class FileFetcher<Taken> {
  readonly #parts: FileParts
  readonly #work: FetchWork<Taken>
  readonly #stop = new AbortController()
  readonly #turns = new FetchTurns()
  /** The ids of their messages. */
  readonly #underway = new Set<string>()
  readonly #fetches = new Set<Promise<void>>()
  #looking: Promise<void> | undefined
  #wanted = false
  readonly #wakeUp: WakeUp

  constructor(parts: FileParts, work: FetchWork<Taken>) {
    this.#parts = parts
    this.#work = work
    this.#wakeUp = new WakeUp(parts, () => this.wake())
    parts.filesToFetch.listen(work.direction, () => this.wake())
  }

  /** Files being fetched. */
  get underway(): number {
    return this.#underway.size
  }

  /** Looks for files to fetch. Cheap, and may be called at any time. */
  wake(): void {
    this.#wanted = true
    this.#looking ??= this.#look()
  }

  /** Aborts the fetches under way, which the next server repeats; resolves when none is left. */
  async end(): Promise<void> {
    this.#stop.abort()
    this.#wakeUp.cancel()
    await this.#looking
    await Promise.all(this.#fetches)
  }

  async #look(): Promise<void> {
    while (this.#wanted && !this.#stop.signal.aborted) {
      this.#wanted = false
      try {
        await this.#lookOnce()
      } catch (error) {
        this.#parts.log.error({ err: error }, 'could not read the files to fetch')
        this.#wakeUp.afterFailure()
      }
    }
    this.#looking = undefined
  }

  async #lookOnce(): Promise<void> {
    const { store, clock, node } = this.#parts
    const limit = this.#turns.free
    if (limit === 0) return
    const { files, nextAt } = await store.read(filesDue, {
      direction: this.#work.direction,
      now: clock.now(),
      limit,
      passedOver: this.#turns.passedOver(),
      underway: [...this.#underway],
      node: node.id,
    })
    if (this.#stop.signal.aborted) return
    for (const file of files) if (this.#turns.begin(file)) this.#begin(file)
    // A batch may hold others of those who had their turn by it; the next look passes them over.
    if (files.length > 0 || this.#turns.nextRound()) this.#wanted = true
    else if (nextAt !== null) this.#wakeUp.at(nextAt)
  }

  #begin(file: FileToFetch): void {
    this.#underway.add(file.message_id)
    const fetching = this.#fetch(file)
    this.#fetches.add(fetching)
    void fetching.finally(() => {
      this.#fetches.delete(fetching)
      this.#underway.delete(file.message_id)
      this.#turns.end(file)
      this.wake()
    })
  }

  /** Never rejects: a file whose result could not be stored is fetched again. */
  async #fetch(file: FileToFetch): Promise<void> {
    try {
      const fetching = await this.#tryFetch(file)
      if (this.#stop.signal.aborted && fetching.ok === 'later') return
      if (await this.#settle(file, fetching)) {
        this.#parts.messageChanges.notify(file.message_id)
        this.#parts.supervisor.wake(file.instance_id)
      }
    } catch (error) {
      this.#parts.log.error(
        { err: error, message_id: file.message_id },
        'could not store the result of a fetch',
      )
      const retry = new Promise<void>((resolve) => void this.#parts.alarms.in(fetchRetry, resolve))
      await Promise.race([abortOf(this.#stop.signal), retry])
    }
  }

  async #tryFetch(file: FileToFetch): Promise<Fetching<Taken>> {
    const { intake } = this.#parts
    const largest = this.#work.largest(file)
    let room: Awaited<ReturnType<FileIntake['reserve']>> | undefined
    try {
      room = await intake.reserve(file.organization_id, 0)
      const request = { largest, signal: this.#stop.signal }
      const { body, headers, suggestedFilename } = await this.#work.fetch(file, request)
      const draft = await room.receive(body, largest)
      const declared = headers['content-type']
      try {
        return await this.#work.take(file, draft, { declared, filename: suggestedFilename })
      } finally {
        await draft.discard()
      }
    } catch (error) {
      return this.#failed(error, largest)
    } finally {
      room?.release()
    }
  }

  #failed(error: unknown, largest: number): Fetching<Taken> {
    if (error instanceof MediaTooLarge)
      return mediaRefusal('media_too_large', `it has more than ${sizeInWords(largest)}`)
    if (this.#stop.signal.aborted) return later('media_unreachable', 'the server stopped')
    if (error instanceof FileQuotaExceeded) return { ok: 'later', ...withoutRoom }
    if (error instanceof StoreUnavailable) {
      this.#parts.log.error({ err: error }, 'could not store a fetched file')
      return { ok: 'later', ...notKept }
    }
    if (error instanceof QueueFull) return later('voice_queue_full')
    if (!(error instanceof NetFailure)) throw error
    const { reason, permanent, message } = error
    return permanent ? mediaRefusal(codes[reason], message) : later(codes[reason], message)
  }

  /** Stores the result of a fetch; true if that changed the message. */
  #settle(file: FileToFetch, fetching: Fetching<Taken>): Promise<boolean> {
    if (fetching.ok === true) return this.#work.arrived(file, fetching.file)
    const { ok, code, detail } = fetching
    if (ok === false) return this.#work.failed(file, { code, detail })
    const at = Math.round(this.#parts.clock.now() + retryDelay(file.fetch_attempts + 1, Math.random()))
    return this.#work.later(file, { code, detail }, at)
  }
}
