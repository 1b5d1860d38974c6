import { type MediaErrorCode, mediaErrors, sentencesOf, triesAgain } from '../contract/codes.ts'
import type { MediaKind } from '../contract/message.ts'
import { MediaTooLarge } from '../media/draft.ts'
import type { Media } from '../media/media.ts'
import { mediaRefusal } from '../media/media-refusal.ts'
import type { Networks } from '../networks/registry.ts'
import type { Alarm, Alarms } from '../runtime/alarms.ts'
import type { Changes } from '../runtime/changes.ts'
import type { Clock } from '../runtime/clock.ts'
import { type FailureReason, FetchFailure } from '../runtime/guarded-fetch/failure.ts'
import type { GuardedFetch } from '../runtime/guarded-fetch/guarded-fetch.ts'
import type { Log } from '../runtime/log.ts'
import { sizeInWords } from '../runtime/size.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { type FileToFetch, fetchLater, fileArrived, fileFailed, filesDue } from './file-fetching.ts'
import { type FileTaken, takeFile } from './file-intake.ts'
import { retryDelay } from './verdict.ts'

export interface FileFetcherContext {
  readonly store: Store
  readonly media: Media
  readonly networks: Networks
  readonly fetch: GuardedFetch
  readonly clock: Clock
  readonly alarms: Alarms
  readonly random: () => number
  readonly log: Log
  /** Told, after the commit, of each message that changed. */
  readonly messageChanges: Changes
  /** Told when the file of a message of this instance is there, or will not come. */
  readonly wake: (instanceId: string) => void
}

/** How many files are fetched at a time, in all and for one organization. */
const fetchesAtOnce = 64
const fetchesOfOrganization = 4
const redirects = 3
/** How long to wait before the store is asked again after it failed, in milliseconds. */
const storeRetry = 1_000
/** How long to wait before a file is fetched again of which not even the failure could be kept, in milliseconds. */
const fetchRetry = 10_000

const codes: Readonly<Record<FailureReason, MediaErrorCode>> = {
  refused: 'media_refused',
  unreachable: 'media_unreachable',
  tls: 'media_unreachable',
  lost: 'media_unreachable',
  timeout: 'media_timeout',
  too_large: 'media_too_large',
  status: 'media_unreachable',
  malformed: 'media_unreachable',
}

/** What came of a fetch: the file is there, cannot be had, or may be had later. */
type Fetching = FileTaken | { readonly ok: 'later'; readonly code: MediaErrorCode; readonly detail: string }

const notKept = { code: 'media_not_kept', detail: sentencesOf(mediaErrors.media_not_kept) } as const

function later(code: MediaErrorCode, word: string): Fetching {
  return { ok: 'later', code, detail: sentencesOf({ ...mediaErrors[code], next: triesAgain }, word) }
}

/**
 * Fetches the files that messages name by URL, before it is their turn. What is to be fetched stands in the store; this keeps
 * nothing but what is under way, so a crash costs no more than fetching again.
 */
export class FileFetcher {
  readonly #context: FileFetcherContext
  readonly #stop = new AbortController()
  /** By the id of the message, whose organization it is. */
  readonly #underway = new Map<string, string>()
  readonly #fetches = new Set<Promise<void>>()
  #looking: Promise<void> | undefined
  #wanted = false
  #alarm: Alarm | undefined

  constructor(context: FileFetcherContext) {
    this.#context = context
  }

  /** Something may be to be fetched. Cheap, and may be called at any time. */
  wake(): void {
    this.#wanted = true
    this.#looking ??= this.#look()
  }

  /** Ends what is under way, for the next server to begin again; resolves when nothing is. */
  async end(): Promise<void> {
    this.#stop.abort()
    this.#alarm?.cancel()
    await this.#looking
    await Promise.all(this.#fetches)
  }

  async #look(): Promise<void> {
    while (this.#wanted && !this.#stop.signal.aborted) {
      this.#wanted = false
      try {
        await this.#lookOnce()
      } catch (error) {
        this.#context.log.error({ err: error }, 'the files to be fetched could not be read')
        this.#wakeIn(storeRetry)
      }
    }
    this.#looking = undefined
  }

  async #lookOnce(): Promise<void> {
    const { store, clock } = this.#context
    const limit = fetchesAtOnce - this.#underway.size
    if (limit === 0) return
    const { files, nextAt } = await store.read(filesDue, {
      now: clock.now(),
      limit,
      busyOrganizations: this.#busyOrganizations(),
      underway: [...this.#underway.keys()],
    })
    for (const file of files) if (this.#mayFetch(file.organization_id)) this.#begin(file)
    // A batch may have been full of those who may not begin any more; the next look passes them over.
    if (files.length === limit) this.#wanted = true
    else if (nextAt !== null) this.#wakeIn(nextAt - clock.now())
  }

  #countOf(organizationId: string): number {
    return [...this.#underway.values()].filter((id) => id === organizationId).length
  }

  #busyOrganizations(): string[] {
    const organizations = new Set(this.#underway.values())
    return [...organizations].filter((id) => this.#countOf(id) >= fetchesOfOrganization)
  }

  #mayFetch(organizationId: string): boolean {
    return !this.#stop.signal.aborted && this.#countOf(organizationId) < fetchesOfOrganization
  }

  #wakeIn(delay: number): void {
    this.#alarm?.cancel()
    this.#alarm = this.#context.alarms.in(delay, () => this.wake())
  }

  #begin(file: FileToFetch): void {
    this.#underway.set(file.message_id, file.organization_id)
    const fetching = this.#fetch(file)
    this.#fetches.add(fetching)
    void fetching.finally(() => {
      this.#fetches.delete(fetching)
      this.#underway.delete(file.message_id)
      this.wake()
    })
  }

  /** Never rejects: what the store could not keep is fetched again. */
  async #fetch(file: FileToFetch): Promise<void> {
    try {
      const fetching = await this.#tryFetch(file)
      if (this.#stop.signal.aborted && fetching.ok === 'later') return
      if (await this.#settle(file, fetching)) {
        this.#context.messageChanges.tell(file.message_id)
        this.#context.wake(file.instance_id)
      }
    } catch (error) {
      this.#context.log.error(
        { err: error, message_id: file.message_id },
        'what came of a fetch could not be kept',
      )
      await new Promise<void>((resolve) => {
        this.#stop.signal.addEventListener('abort', () => resolve(), { once: true })
        this.#context.alarms.in(fetchRetry, resolve)
      })
    }
  }

  async #tryFetch(file: FileToFetch): Promise<Fetching> {
    const { fetch, media, networks } = this.#context
    const kind = file.kind as MediaKind
    const largest = networks.get(file.network)?.limits.media_bytes[kind] ?? 0
    if (file.url === null) return mediaRefusal('media_unreachable', 'the URL is not known any more')
    try {
      const request = { url: file.url, largest, redirects, signal: this.#stop.signal }
      const { body, headers, suggestedFilename } = await fetch(request)
      const draft = await media.drafts.receive(body, largest)
      try {
        return await takeFile(media, draft, {
          organizationId: file.organization_id,
          kind,
          voice: file.voice === 1,
          declared: headers['content-type'],
          filename: file.filename ?? suggestedFilename,
          largest,
        })
      } finally {
        await draft.discard()
      }
    } catch (error) {
      return this.#failed(error, largest)
    }
  }

  #failed(error: unknown, largest: number): Fetching {
    if (error instanceof MediaTooLarge)
      return mediaRefusal('media_too_large', `it has more than ${sizeInWords(largest)}`)
    if (this.#stop.signal.aborted) return later('media_unreachable', 'the server stopped')
    if (error instanceof StoreUnavailable) {
      this.#context.log.error({ err: error }, 'a fetched file could not be kept')
      return { ok: 'later', ...notKept }
    }
    if (!(error instanceof FetchFailure)) throw error
    const { reason, permanent, message } = error
    return permanent ? mediaRefusal(codes[reason], message) : later(codes[reason], message)
  }

  /** Keeps what came of a fetch; true where the message changed by it. */
  async #settle(file: FileToFetch, fetching: Fetching): Promise<boolean> {
    const { store, clock, random } = this.#context
    const messageId = file.message_id
    if (fetching.ok === true) return store.transact(fileArrived, { messageId, file: fetching.file })
    const { ok, code, detail } = fetching
    if (ok === false) return store.transact(fileFailed, { messageId, now: clock.now(), code, detail })
    const at = Math.round(clock.now() + retryDelay(file.fetch_attempts + 1, random()))
    await store.transact(fetchLater, { messageId, at, code, detail })
    return true
  }
}
