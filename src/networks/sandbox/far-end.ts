import { openSync, writeSync } from 'node:fs'
import type { OutgoingMessage } from '../driver.ts'

/** One line of the transcript: a message at the moment when it reached its recipient. */
export interface TranscriptLine {
  readonly id: string
  readonly to: string
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The setting `account` of the instance that sent it, where it has one. */
  readonly instance?: string
  /** True where the recipient already had a message of this id: it sees nothing new. */
  readonly repeat: boolean
}

/** How many messages are remembered at least, so that a repetition is noticed; at most twice as many are. */
const remembered = 20_000

/**
 * The side of the recipients, shared by all connections of one driver. It tells a repeated message from a new one, and
 * keeps a transcript where the composition asks for one.
 */
export class FarEnd {
  readonly #transcript: string | undefined
  #file: number | null = null
  #recent = new Set<string>()
  #older = new Set<string>()

  constructor(transcript?: string) {
    this.#transcript = transcript
  }

  /**
   * Hands a message to its recipient and tells whether it is a repetition. The transcript is written before this
   * returns, so what was accepted is on record even if the process is killed at once. Throws where it cannot be.
   */
  take(message: OutgoingMessage, at: number, instance: string | undefined): boolean {
    const key = `${message.id} ${message.to}`
    const repeat = this.#recent.has(key) || this.#older.has(key)
    if (this.#transcript !== undefined) {
      const { id, to, text } = message
      this.#append(this.#transcript, {
        id,
        to,
        text,
        at,
        ...(instance !== undefined && { instance }),
        repeat,
      })
    }
    if (!repeat) this.#remember(key)
    return repeat
  }

  /** Two generations, the older of which is forgotten as a whole: memory stays bounded without a list to keep. */
  #remember(key: string): void {
    if (this.#recent.size >= remembered) {
      this.#older = this.#recent
      this.#recent = new Set()
    }
    this.#recent.add(key)
  }

  /** One write per line on a file opened for appending, so that several processes can share one transcript. */
  #append(path: string, line: TranscriptLine): void {
    this.#file ??= openSync(path, 'a')
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    if (writeSync(this.#file, bytes) < bytes.length) throw new Error('the transcript was written in part')
  }
}
