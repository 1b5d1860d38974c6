import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshFolder } from '../kit/posthorn.ts'

/** The wall clock of a node's processes, which can be set as an operator or a time server sets that of a machine. */
export class NodeClock {
  readonly #file = join(freshFolder(), 'clock')

  constructor() {
    this.set(0)
  }

  /** Moves it by this many milliseconds against the right time. */
  set(ahead: number): void {
    writeFileSync(`${this.#file}.new`, String(ahead))
    renameSync(`${this.#file}.new`, this.#file)
  }

  /** The settings of a process that goes by this clock, whose other options for Node are these. */
  environment(options: string): Readonly<Record<string, string>> {
    const follow = new URL('follow-clock.js', import.meta.url).href
    return { NODE_OPTIONS: `${options} --import ${follow}`, POSTHORN_TEST_CLOCK: this.#file }
  }
}
