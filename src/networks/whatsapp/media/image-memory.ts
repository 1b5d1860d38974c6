import { FairSemaphore } from '../../../runtime/limits/fair-semaphore.ts'

/** Images that are read, and of which thumbnails are made, at a time; and how many wait for that. A whole image is in memory meanwhile. */
const imagesAtOnce = 2
const waitingImages = 100

/** Bytes of images that stay in memory until they are uploaded; others are read again for that. */
const maxHeldBytes = 64 * 1024 * 1024

/** Bounds the images in memory, those of all accounts together. */
export class ImageMemory {
  readonly #turns = new FairSemaphore({ limit: imagesAtOnce, queue: waitingImages })
  #room: number

  constructor(room: number = maxHeldBytes) {
    this.#room = room
  }

  /** Does something that holds a whole image when it is the turn of the organization. Rejects if too much waits. */
  inTurn<Result>(party: string, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(party, work)
  }

  /** Keeps room for the bytes of an image until it is uploaded; returns how to release them, or null if there is no room. */
  hold(bytes: number): (() => void) | null {
    if (bytes > this.#room) return null
    this.#room -= bytes
    return () => {
      this.#room += bytes
    }
  }
}
