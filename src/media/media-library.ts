import { Readable } from 'node:stream'
import type { Draft } from '../contract/handler.ts'
import type { Clock } from '../runtime/clock.ts'
import { newId } from '../runtime/ids.ts'
import type { StoreForAll, Turn } from '../store/store.ts'
import { smallBytes } from './draft.ts'
import { forgetMedia, type MediaToTake, registerMedia, smallFile, unknownMedia } from './media-record.ts'
import type { ByteRange, KeptFile, MediaStore } from './store/media-store.ts'

/**
 * Milliseconds for which a file is held for the message that is to use it. The limit only bounds what a crash leaves behind:
 * if storing and accepting take longer, the message does not find its file and is not accepted.
 */
const hold = 60 * 60_000

/** The turn for removing files that are no longer needed, of all organizations. */
const removing: Turn = { party: 'housekeeping' }

/** Number of files that are removed, or compared with the records, at a time. */
const batch = 500

export interface LibraryParts {
  readonly store: StoreForAll
  readonly bytes: MediaStore
  readonly clock: Clock
}

/** The files of all organizations: their records and the bytes of small ones in the store, larger ones in the media store. */
export class MediaLibrary {
  readonly #store: StoreForAll
  readonly #bytes: MediaStore
  readonly #clock: Clock
  /** The files that are being stored now, so that the same bytes are not written twice at once. */
  readonly #underWay = new Map<string, Promise<void>>()

  constructor({ store, bytes, clock }: LibraryParts) {
    this.#store = store
    this.#bytes = bytes
    this.#clock = clock
  }

  /**
   * Makes a draft a file of an organization that a message can take (`takeMedia`); the same bytes are kept once. When it
   * resolves they are on disk and stay there for an hour, in which a message must take them. Those of a small file wait in
   * memory, and are kept as it is taken.
   */
  async keep(organizationId: string, draft: Draft): Promise<MediaToTake> {
    const { sha256, size, bytes } = draft
    const now = this.#clock.now()
    const media = { id: newId('med'), organizationId, sha256, size, now }
    if (bytes) return { ...media, bytes }
    const heldUntil = now + hold
    const { id, fresh } = await this.#store.transact(
      registerMedia,
      { ...media, heldUntil },
      { party: organizationId },
    )
    if (fresh || !(await this.#isKept({ id, size }))) await this.#put(id, draft, organizationId)
    return { id, heldUntil }
  }

  /** Resolves with true if the bytes of a file are there; waits for a file that is just being stored. */
  async #isKept(file: KeptFile): Promise<boolean> {
    // The check below shows if it succeeded.
    await this.#underWay.get(file.id)?.catch(() => {})
    return this.#bytes.has(file)
  }

  async #put(id: string, draft: Draft, organizationId: string): Promise<void> {
    const putting = this.#bytes.put(id, draft, organizationId)
    this.#underWay.set(id, putting)
    try {
      await putting
    } finally {
      if (this.#underWay.get(id) === putting) this.#underWay.delete(id)
    }
  }

  /**
   * Opens a file for reading, completely or in part, with back-pressure. Bytes in the store are read in this turn. The stream fails with
   * `MediaMissing` if the bytes do not exist, and with `StoreUnavailable` if they cannot be read at the moment.
   */
  open(file: KeptFile, turn: Turn, range?: ByteRange): Readable {
    const isSmall = file.size <= smallBytes
    const bytes = isSmall ? this.#readSmall(file, turn, range) : this.#bytes.read(file, range, turn.party)
    return Readable.from(bytes, { objectMode: false })
  }

  async *#readSmall(file: KeptFile, turn: Turn, range?: ByteRange): AsyncIterable<Uint8Array> {
    const bytes = await this.#store.read(smallFile, { id: file.id }, turn)
    // Earlier versions stored small files there, too.
    if (bytes === null) yield* this.#bytes.read(file, range, turn.party)
    else yield range ? bytes.subarray(range.first, range.last + 1) : bytes
  }

  /** Removes a batch of expired files; returns how many, and whether there may be more. */
  async forgetExpired(): Promise<{ removed: number; more: boolean }> {
    const order = { now: this.#clock.now(), limit: batch }
    const { forgotten, elsewhere, more } = await this.#store.transact(forgetMedia, order, removing)
    if (elsewhere.length > 0) await this.#bytes.remove(elsewhere)
    return { removed: forgotten, more }
  }

  /** The same until none is left; files that cannot be removed now are left for later. Never rejects. */
  async forgetAllExpired(): Promise<void> {
    try {
      while ((await this.forgetExpired()).more);
    } catch {
      // The one that looks regularly finds them again, and says so.
    }
  }

  /** Removes bytes without a record, which only a crash or a fault leaves behind; returns how many files. */
  async removeLeftovers(): Promise<number> {
    let removed = 0
    let ids: string[] = []
    const compare = async () => {
      const unknown = ids.length === 0 ? [] : await this.#store.read(unknownMedia, { ids }, removing)
      if (unknown.length > 0) await this.#bytes.remove(unknown)
      removed += unknown.length
      ids = []
    }
    for await (const id of this.#bytes.ids()) if (ids.push(id) === batch) await compare()
    await compare()
    return removed
  }
}
