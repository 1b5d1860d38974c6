import { Archive, type ArchivedMessage } from '../incoming/archive.ts'
import type { RoomState } from '../session/room-state.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import type { Xml } from '../stanzas/xml.ts'

/** Pages of the archive of a room that are read when the account comes back to it. */
const maxPages = 40

/** The archives of rooms (XEP-0313), from which the account reads what it missed. */
export class RoomHistory {
  readonly #iqRequests: IqRequests
  readonly #timeout: number
  readonly #over: AbortSignal
  readonly #reading = new Map<string, Archive>()

  /** `timeout`: milliseconds for one page. */
  constructor(iqRequests: IqRequests, timeout: number, over: AbortSignal) {
    this.#iqRequests = iqRequests
    this.#timeout = timeout
    this.#over = over
  }

  /** Handles an entry of an archive that is being read; false if the stanza is not one. */
  take(room: RoomState, stanza: Xml): boolean {
    return this.#reading.get(room.address)?.take(stanza) ?? false
  }

  /** Hands on what a room got from then on, page by page, oldest first; resolves to whether that was all. Rejects if the archive does not answer. */
  async read(
    room: RoomState,
    since: number,
    take: (entry: ArchivedMessage) => Promise<unknown>,
  ): Promise<boolean> {
    const archive = new Archive(room.address, this.#iqRequests)
    this.#reading.set(room.address, archive)
    try {
      let after: string | undefined
      for (let pages = 0; pages < maxPages; pages += 1) {
        const signal = AbortSignal.any([this.#over, AbortSignal.timeout(this.#timeout)])
        const stored: Promise<unknown>[] = []
        const beginning = after === undefined ? { since } : { since, after }
        const page = await archive.page(beginning, (entry) => stored.push(take(entry)), signal)
        // No more is read than can be stored.
        await Promise.all(stored)
        if (page.complete || page.last === null || page.last === after || stored.length === 0) return true
        after = page.last
      }
      return false
    } finally {
      this.#reading.delete(room.address)
    }
  }
}
