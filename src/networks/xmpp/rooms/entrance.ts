import type { RoomState } from '../session/room-state.ts'
import { stampOf } from '../stanzas/date-time.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import { element, ns } from '../stanzas/xml.ts'
import { type RoomFault, roomFault } from './room-fault.ts'
import { askRoom, isFault } from './room-info.ts'

/** Messages that a room without an archive is asked to repeat. */
const maxRepeated = 200

/** Other names that are tried if the name is taken. */
const maxNicks = 4

export interface EntranceOptions {
  readonly iqRequests: IqRequests
  readonly write: (xml: string) => void
  /** Milliseconds for a room to let the account in. */
  readonly timeout: number
  /** Aborts when the connection ends. */
  readonly over: AbortSignal
}

/** The way into rooms (XEP-0045 section 7.2). */
export class Entrance {
  readonly #options: EntranceOptions
  readonly #waiting = new Map<RoomState, (fault: RoomFault | null) => void>()

  constructor(options: EntranceOptions) {
    this.#options = options
  }

  /**
   * Goes into a room, which repeats what it got since then if it has no archive; `isToBeMade`: it need not exist. Resolves to the reason if it is not let in. Never rejects.
   */
  async enter(room: RoomState, since: number | null, isToBeMade = false): Promise<RoomFault | null> {
    const { over, timeout } = this.#options
    const signal = AbortSignal.any([over, AbortSignal.timeout(timeout)])
    try {
      const info = isToBeMade ? null : await askRoom(room.address, this.#options.iqRequests, signal)
      if (info && isFault(info)) return info
      room.isProven = true
      if (info) {
        room.support = info.support
        room.name = info.name
      }
      return await this.#present(room, since, signal)
    } catch {
      return roomFault('room_silent')
    }
  }

  async #present(room: RoomState, since: number | null, signal: AbortSignal): Promise<RoomFault | null> {
    for (let tries = 1; ; tries += 1) {
      const fault = await this.#presentAs(room, since, signal)
      if (fault?.code !== 'room_nick_taken' || tries === maxNicks) return fault
      room.nick += '_'
    }
  }

  async #presentAs(room: RoomState, since: number | null, signal: AbortSignal): Promise<RoomFault | null> {
    const { promise, resolve, reject } = Promise.withResolvers<RoomFault | null>()
    const give = () => reject(signal.reason)
    signal.addEventListener('abort', give)
    this.#waiting.set(room, resolve)
    const repeats = since !== null && !room.support.archive
    const history = repeats
      ? element('history', { since: stampOf(since), maxstanzas: String(maxRepeated) })
      : element('history', { maxstanzas: '0' })
    const to = `${room.address}/${room.nick}`
    this.#options.write(
      element('presence', { to }, element('x', { xmlns: ns.roomEntry }, history)).toString(),
    )
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', give)
      this.#waiting.delete(room)
    }
  }

  /** The room let the account in, or did not. */
  answered(room: RoomState, fault: RoomFault | null): void {
    this.#waiting.get(room)?.(fault)
  }
}
