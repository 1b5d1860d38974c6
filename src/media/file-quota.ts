import { createHash } from 'node:crypto'
import type { Draft } from '../contract/handler.ts'
import type { QuotaNotices } from '../events/quota-notices.ts'
import { type QuotaUsage, readUsage } from '../organizations/usage.ts'
import type { StoreForAll } from '../store/store.ts'
import { type Drafts, MediaTooLarge } from './draft.ts'

/** The organization has no room for a file among its bytes. */
export class FileQuotaExceeded extends Error {
  override readonly name = 'FileQuotaExceeded'
}

/**
 * The intake of the files of organizations. Stored files are counted in the store; files that are still coming in are
 * reserved here before their bytes are read, so that many files at once have no more than is left.
 */
export class FileIntake {
  readonly #parts
  /** The bytes that are coming in, by organization. */
  readonly #reserved = new Map<string, number>()

  constructor(parts: {
    readonly store: StoreForAll
    readonly media: { readonly drafts: Pick<Drafts, 'receive'> }
    readonly quotas: Pick<QuotaUsage, 'file_bytes'>
    /** Told of each file that exceeds the quota. */
    readonly notices: Pick<QuotaNotices, 'refused'>
  }) {
    this.#parts = parts
  }

  /** Reserves capacity for a file of at least so many bytes. Rejects with `FileQuotaExceeded` if there is none. */
  async reserve(organizationId: string, bytes: number): Promise<Reservation> {
    const { store, notices } = this.#parts
    const { drafts } = this.#parts.media
    const { file_bytes: limit } = this.#parts.quotas
    if (limit === null) return new Reservation(drafts, () => {})
    const { file_bytes: kept } = await store.read(
      readUsage,
      { organization: organizationId },
      { party: organizationId },
    )
    const reservation = new Reservation(drafts, (more) => {
      const all = (this.#reserved.get(organizationId) ?? 0) + more
      // A file of unknown length has a byte at least.
      if (more >= 0 && kept + Math.max(all, 1) > limit) {
        notices.refused(organizationId, 'file_bytes')
        throw new FileQuotaExceeded()
      }
      if (all > 0) this.#reserved.set(organizationId, all)
      else this.#reserved.delete(organizationId)
    })
    reservation.grow(bytes)
    return reservation
  }
}

/** Room for one file that is coming in. */
class Reservation {
  readonly #drafts: Pick<Drafts, 'receive'>
  readonly #take: (bytes: number) => void
  #bytes = 0

  /** `take` reserves that many more bytes, or throws; a negative number releases them. */
  constructor(drafts: Pick<Drafts, 'receive'>, take: (bytes: number) => void) {
    this.#drafts = drafts
    this.#take = take
  }

  grow(bytes: number): void {
    this.#take(bytes)
    this.#bytes += bytes
  }

  /**
   * Takes in the file, as `Drafts` does; the room is given back when the draft is discarded, and the file kept by then and
   * counted in the store, or given up. Rejects with `FileQuotaExceeded` if more comes than there is room for.
   */
  async receive(source: AsyncIterable<Uint8Array>, limit: number): Promise<Draft> {
    try {
      const draft = await this.#drafts.receive(this.#count(source), limit)
      return { ...draft, discard: () => draft.discard().finally(() => this.release()) }
    } catch (error) {
      this.release()
      throw error
    }
  }

  /** Releases the capacity. Idempotent. */
  release(): void {
    this.#take(-this.#bytes)
    this.#bytes = 0
  }

  async *#count(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    let came = 0
    for await (const part of source) {
      came += part.length
      if (came > this.#bytes) this.grow(came - this.#bytes)
      yield part
    }
  }
}

/**
 * Reads past a file that there is no room for, only to know it again: a request that is repeated gets the reply that it got
 * when there was room. Rejects with `MediaTooLarge` at the first byte over `limit`.
 */
export async function recogniseFile(source: AsyncIterable<Uint8Array>, limit: number): Promise<Draft> {
  const digest = createHash('sha256')
  let size = 0
  for await (const part of source) {
    size += part.length
    if (size > limit) throw new MediaTooLarge(limit)
    digest.update(part)
  }
  const none = () => Promise.reject(new FileQuotaExceeded())
  const nothing = new Uint8Array()
  const sha256 = digest.digest('hex')
  return { bytes: null, head: nothing, size, sha256, file: none, discard: async () => {}, isTurnedAway: true }
}
