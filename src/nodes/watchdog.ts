import { Worker } from 'node:worker_threads'
import { sinceBoot } from './since-boot.ts'

/** Milliseconds between two looks of the watchdog, and two signs of life of the main thread. */
const watchEvery = 100
const pulseEvery = 250
/** For how long the main thread may give no sign of life once its lease is over: work that takes long is no reason to end. */
const mayStandStill = 1_000

/** Memory that the main thread and the watchdog share. */
export interface Watched {
  /** In milliseconds since the machine was started: until when the lease is trusted, and the last sign of life. */
  readonly times: BigInt64Array<SharedArrayBuffer>
  readonly watchEvery: number
  readonly mayStandStill: number
  /** True if it writes a last line to standard output, where the log is. */
  readonly says: boolean
}

/**
 * Kills the process when it goes on after it stood still for so long that its lease is over: what it was about to do may be done by
 * another node by now. It is a thread, because the main thread cannot know that it stood still before it has gone on; and it counts
 * the time in which the machine slept, as no other clock does. A process that merely cannot renew its lease is left alone: it does
 * nothing by itself then. What it did stands in the log, if that takes a line without making it wait.
 */
export class Watchdog {
  readonly #times = new BigInt64Array(new SharedArrayBuffer(16))
  readonly #worker: Worker
  readonly #pulse: NodeJS.Timeout

  constructor({ says }: Pick<Watched, 'says'>) {
    this.trust(Number.MAX_SAFE_INTEGER)
    this.#beat()
    const workerData: Watched = { times: this.#times, watchEvery, mayStandStill, says }
    this.#worker = new Worker(new URL('watchdog-thread.js', import.meta.url), {
      name: 'watchdog',
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
    })
    this.#worker.unref()
    this.#pulse = setInterval(() => this.#beat(), pulseEvery)
    this.#pulse.unref()
  }

  /** The lease is trusted until then, in milliseconds since the machine was started. */
  trust(until: number): void {
    Atomics.store(this.#times, 0, BigInt(Math.round(until)))
  }

  async end(): Promise<void> {
    clearInterval(this.#pulse)
    await this.#worker.terminate()
  }

  #beat(): void {
    Atomics.store(this.#times, 1, BigInt(Math.round(sinceBoot())))
  }
}
