import { waitedOf } from './vital-signs.ts'

/** Missed answers in a row after which a worker counts as gone: if it is asked every second, that is within four. */
const missedBeats = 3

/** Further beats that it may take to begin. */
const startBeats = 57

/** Weight of a beat without an answer if the machine did not let the worker run: a busy machine must not end its workers. */
const starvedBeat = 0.125

/** Looks between two beats. */
const looksPerBeat = 4

export interface BeatsOptions {
  readonly ask: () => void
  readonly look: () => void
  /** It did not answer for too long. */
  readonly silent: () => void
}

/** Asks a worker for signs of life. Only beats of this process count: if it stood still itself, the answers that wait are heard first. */
export class Beats {
  readonly #pid: number
  readonly #beat: number
  readonly #options: BeatsOptions
  readonly #timer: NodeJS.Timeout
  #looks = 0
  #missed = -startBeats
  #waited = 0

  /** `beat` in milliseconds. */
  constructor(pid: number, beat: number, options: BeatsOptions) {
    this.#pid = pid
    this.#beat = beat
    this.#options = options
    this.#timer = setInterval(() => this.#look(), beat / looksPerBeat)
    this.#timer.unref()
  }

  heard(): void {
    this.#missed = 0
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    this.#options.look()
    this.#looks += 1
    if (this.#looks % looksPerBeat !== 0) return
    if (this.#missed >= missedBeats) {
      this.#options.silent()
      return
    }
    const waited = waitedOf(this.#pid)
    this.#missed += waited - this.#waited > this.#beat / 2 ? starvedBeat : 1
    this.#waited = waited
    this.#options.ask()
  }
}
