import { BoundedMap } from './bounded-map.ts'

/** An ack or a receipt that a client has sent. */
export interface Settled {
  /** `ack`, or the type of the receipt; `delivery` if it has none. */
  readonly type: string
  /** The phone number of the client's account. */
  readonly account: string
  readonly device: number
  /** The code with which the client refused it, if it did. */
  readonly error?: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A stream that ended because the same client logged in again. */
export interface Replaced {
  /** The phone number of the client's account. */
  readonly account: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A sign that a client lets others see of its person: there or not, writing or not; or the person whom it wants to see. */
export interface Shown {
  /** The phone number of the client's account. */
  readonly person: string
  /** The type of a presence or the state of a chat; `unseen` before that of one that no phone shows. */
  readonly what: string
  /** The address that it is for; null if for all. */
  readonly to: string | null
}

const maxShown = 10_000
const maxIds = 100_000
const maxReplaced = 10_000

/** Counts for tests of the frames that clients have sent. */
export class Counters {
  readonly #changed: () => void
  /** Number of copies of each message, by its id. */
  readonly messages = new BoundedMap<string, number>(maxIds)
  /** Receipts and acknowledgements of clients for each message, by its id. */
  readonly settled = new BoundedMap<string, Settled[]>(maxIds)
  /** Number of questions, by namespace and content, as `encrypt/count`. */
  readonly questions = new Map<string, number>()
  /** Questions that the simulator does not know. */
  readonly unknown = new Map<string, number>()
  /** Files that came to the media host, and those that it took. */
  readonly uploads = { tried: 0, taken: 0 }
  /** Files that clients asked the media host for. */
  downloads = 0
  /** Messages to groups that came with the hash of their devices, as clients know them: those that there are, or others. */
  readonly lists = { right: 0, wrong: 0 }
  readonly shown: Shown[] = []
  /** Streams that were opened, registrations included. */
  streams = 0
  /** Streams that ended because the same client logged in again. */
  readonly replaced: Replaced[] = []
  /** TCP connections to the server and to the media host. */
  connections = 0

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Counts a message, and says how often it has come. */
  message(id: string): number {
    const times = (this.messages.get(id) ?? 0) + 1
    this.messages.set(id, times)
    this.#changed()
    return times
  }

  settle(id: string, settled: Settled): void {
    const known = this.settled.getOrMake(id, () => [])
    if (known.length < 100) known.push(settled)
    this.#changed()
  }

  replace(account: string): void {
    if (this.replaced.length < maxReplaced) this.replaced.push({ account, at: Date.now() })
  }

  show(shown: Shown): void {
    if (this.shown.length < maxShown) this.shown.push(shown)
    this.#changed()
  }

  upload(outcome: 'tried' | 'taken'): void {
    this.uploads[outcome] += 1
    this.#changed()
  }

  download(): void {
    this.downloads += 1
    this.#changed()
  }

  question(name: string, isKnown: boolean): void {
    for (const counts of isKnown ? [this.questions] : [this.questions, this.unknown]) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    this.#changed()
  }
}
